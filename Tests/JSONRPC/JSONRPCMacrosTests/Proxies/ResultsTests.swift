// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import JSONRPCTesting
import TestTurns
import Testing

enum BankError: CallErrorRepresentable, Equatable {
    case overdrawn(by: Int)
    case failed(String)

    init(callError: any Error) {
        if let answered = callError as? ErrorObject, answered.code == 7, let data = answered.data,
            let amount = try? data.decode(as: Int.self)
        {
            self = .overdrawn(by: amount)
        } else {
            let text = (callError as? ErrorObject)?.message ?? (callError as? ClientError).map { "\($0.code)" }
            self = .failed(text ?? "\(callError)")
        }
    }

    var errorObject: ErrorObject {
        switch self {
        case .overdrawn(let amount):
            ErrorObject(code: 7, message: "Overdrawn", data: try? RawJSON(encoding: amount))
        case .failed(let text): ErrorObject(code: 8, message: text)
        }
    }
}

extension CallOptions {
    /// The member can be set: its name is not one of the protocol's.
    static func session(_ name: String) -> CallOptions {
        var members = ExtraMembers()
        try? members.set("session", to: RawJSON(.string(name)))
        return CallOptions(extraMembers: members)
    }
}

@JSONRPCProxyAndService(timeout: .seconds(30))
protocol Bank {
    func balance() async throws -> Int?
    func ping() async throws
    func pong() async throws -> Void
    func list() async throws -> [String: [Int]]
    func value() async throws -> JSONValue
    func draw(amount: Int) async throws(BankError) -> Int
    func close() async throws(BankError)
    @RPC(timeout: .milliseconds(5)) func quick() async throws -> Int
    @RPC(timeout: nil) func patient() async throws -> Int
    @RPC(options: .session("s1")) func extended() async throws -> Int
    @RPCNotification(options: .session("s2")) func note() async throws
}

struct MyBank: Bank {
    var funds = 10

    func balance() async throws -> Int? { nil }
    func ping() async throws {}
    func pong() async throws {}
    func list() async throws -> [String: [Int]] { ["a": [1]] }
    func value() async throws -> JSONValue { ["x": 1] }
    func draw(amount: Int) async throws(BankError) -> Int {
        guard amount <= funds else { throw .overdrawn(by: amount - funds) }
        return funds - amount
    }
    func close() async throws(BankError) { throw .failed("closed on Sundays") }
    func quick() async throws -> Int { 1 }
    func patient() async throws -> Int { 2 }
    func extended() async throws -> Int { 3 }
    func note() async throws {}
}

@Suite(.inTurn(within: .seconds(60)))
struct ResultsTests {
    @Test func anyResultWillDoWhereNoneIsWanted() async throws {
        let link = try await ScriptedLink()
        let bank = BankProxy(over: link.client)
        for result in [.null, 1, "x", [1, 2], ["a": 1]] as [JSONValue] {
            async let done: Void = bank.ping()
            try link.peer.reply(to: await link.peer.expectRequest("ping"), result: result)
            try await done
        }
        try await link.close()
    }

    @Test func nullIsNilForAnOptionalResult() async throws {
        let link = try await ServedLink(SessionConfiguration(), BankService(MyBank()))
        let bank = BankProxy(over: link.client)
        #expect(try await bank.balance() == nil)
        try await bank.ping()
        try await bank.pong()
        #expect(try await bank.list() == ["a": [1]])
        #expect(try await bank.value() == ["x": 1])
        await link.client.close()
    }

    @Test func aResultOfAnotherTypeIsADecodingFailure() async throws {
        let link = try await ScriptedLink()
        let bank = BankProxy(over: link.client)
        let balance = Task { try await bank.balance() }
        try link.peer.reply(to: await link.peer.expectRequest("balance"), result: "much")
        let error = await #expect(throws: ClientError.self) { try await balance.value }
        #expect(error?.code == .decodingFailed)
        #expect(error?.method == "balance")
        try await link.close()
    }

    @Test func thePeersErrorIsThrownAsItIs() async throws {
        let link = try await ScriptedLink()
        let bank = BankProxy(over: link.client)
        let thrown = ErrorObject(code: -32000, message: "no", data: try RawJSON(validating: "[1]"))
        let list = Task { try await bank.list() }
        try link.peer.reply(to: await link.peer.expectRequest("list"), error: thrown)
        #expect(await #expect(throws: ErrorObject.self) { try await list.value } == thrown)
        try await link.close()
    }

    @Test func aTypedErrorIsMadeOfWhatTheCallThrows() async throws {
        let link = try await ServedLink(SessionConfiguration(), BankService(MyBank()))
        let bank = BankProxy(over: link.client)
        #expect(try await bank.draw(amount: 4) == 6)
        do throws(BankError) {
            _ = try await bank.draw(amount: 13)
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == .overdrawn(by: 3))
        }
        await #expect(throws: BankError.failed("closed on Sundays")) { try await bank.close() }
        await link.client.close()
        await #expect(throws: BankError.failed("closed")) { try await bank.draw(amount: 1) }
    }

    @Test func timeoutsAreTheMethodsOrElseTheProtocols() async throws {
        let clock = ManualClock()
        var configuration = SessionConfiguration()
        configuration.clock = clock
        let client = DuplexSession(configuration: configuration)
        let peer = ScriptedPeer()
        try await peer.connector.connect(receiver: client.receiver)
        let bank = BankProxy(over: client)
        let patient = Task { try await bank.patient() }
        try await peer.expectRequest("patient")
        let list = Task { try await bank.list() }
        try await peer.expectRequest("list")
        let quick = Task { try await bank.quick() }
        try await peer.expectRequest("quick")
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(5))
        #expect(await #expect(throws: ClientError.self) { try await quick.value }?.code == .timedOut)
        #expect(client.callsInFlight == 2)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await #expect(throws: ClientError.self) { try await list.value }?.code == .timedOut)
        clock.advance(by: .seconds(1_000_000))
        #expect(client.callsInFlight == 1)
        patient.cancel()
        await #expect(throws: CancellationError.self) { try await patient.value }
        await client.close()
    }

    @Test func optionsTravelWithTheCall() async throws {
        let link = try await ScriptedLink()
        let bank = BankProxy(over: link.client)
        async let extended = bank.extended()
        let request = try await link.peer.expectRequest("extended")
        #expect(request.json["session"] == "s1")
        try link.peer.reply(to: request, result: 3)
        #expect(try await extended == 3)
        try await bank.note()
        #expect(try await link.peer.expectNotification("note").json["session"] == "s2")
        try await link.close()
    }

    @Test func cancellationOfTheTaskEndsTheCall() async throws {
        let link = try await ScriptedLink()
        let bank = BankProxy(over: link.client)
        let call = Task { try await bank.list() }
        try await link.peer.expectRequest("list")
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(link.client.callsInFlight == 0)
        try await link.close()
    }
}
