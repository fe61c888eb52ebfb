// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct RepeatedCallTests {
    private let server = ReconnectingPeer()
    private let idempotent = CallOptions(extraMembers: ExtraMembers(), isIdempotent: true)

    private func connectedClient(
        change: (inout ReconnectPolicy) -> Void = { _ in }
    ) async throws -> JSONRPCClient {
        let client = server.client(change: change)
        try await client.connect()
        return client
    }

    private func idempotentCall(
        _ method: String, of client: JSONRPCClient, params: RawJSON? = nil, timeout: CallTimeout = .default
    ) async throws -> RawJSON {
        try await client.callRaw(method, params: params, timeout: timeout, options: idempotent)
    }

    @Test func aCallThatWasSentIsNotRepeated() async throws {
        let client = try await connectedClient()
        async let call = outcome { try await client.callRaw("pay") }
        try await server.peer.expectRequest("pay")
        server.peer.drop()
        let error = try #require(await call.failure as? ClientError)
        #expect(error.code == .connectionLost && error.delivery == .outcomeUnknown && error.method == "pay")
        try await server.letConnect(after: .seconds(2))
        await client.reaches(.connected)
        await client.close()
        try server.peer.expectNothingMore()
    }

    @Test func anIdempotentCallIsRepeatedWithANewID() async throws {
        let client = try await connectedClient()
        async let other = outcome { try await client.callRaw("other") }
        try await server.peer.expectRequest("other")
        async let call = idempotentCall("get", of: client, params: RawJSON(validating: "[1]"))
        let first = try await server.peer.expectRequest("get", params: [1])
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        let second = try await server.peer.expectRequest("get", params: [1])
        #expect(first.id == 2 && second.id == 1)
        try server.peer.reply(to: second, result: 7)
        #expect(try await call == RawJSON(validating: "7"))
        #expect(await other.failure != nil)
        await client.close()
    }

    @Test func aCallThatBringsTheServerDownIsRepeatedAFewTimesOnly() async throws {
        let client = try await connectedClient { $0.maximumRepetitions = 2 }
        async let call = outcome { try await idempotentCall("crash", of: client, timeout: nil) }
        for (number, delay) in [(2, 2), (3, 4)] {
            try await server.peer.expectRequest("crash")
            server.peer.drop()
            try await server.letConnect(number, after: .seconds(delay))
        }
        try await server.peer.expectRequest("crash")
        server.peer.drop()
        let error = try #require(await call.failure as? ClientError)
        #expect(error.code == .connectionLost && error.delivery == .outcomeUnknown)
        await client.close()
    }

    @Test func aCallCanHaveALimitOfItsOwn() async throws {
        let client = try await connectedClient()
        let options = CallOptions(isIdempotent: true, maximumRepetitions: 0)
        async let call = outcome { try await client.callRaw("crash", params: nil, timeout: .none, options: options) }
        try await server.peer.expectRequest("crash")
        server.peer.drop()
        let error = try #require(await call.failure as? ClientError)
        #expect(error.code == .connectionLost && error.delivery == .outcomeUnknown)
        try await server.letConnect(after: .seconds(2))
        await client.reaches(.connected)
        await client.close()
        try server.peer.expectNothingMore()
    }

    @Test func aCallThatWasNotSentIsRepeated() async throws {
        let client = try await connectedClient()
        let near = try #require(server.dials.near)
        near.holdOutbox()
        async let call: Int = client.call("pay", params: [5])
        try await near.waitForOutbox { $0 > 0 }
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        try server.peer.reply(to: try await server.peer.expectRequest("pay", params: [5]), result: 5)
        #expect(try await call == 5)
        await client.close()
        try server.peer.expectNothingMore()
    }

    @Test func theTimeWithoutAConnectionCountsForTheTimeout() async throws {
        let client = try await connectedClient()
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        async let call = outcome { try await client.callRaw("m", timeout: .seconds(1)) }
        await server.clock.waitForSleeper(dueIn: .seconds(1))
        server.clock.advance(by: .seconds(1))
        let error = try #require(await call.failure as? ClientError)
        #expect(error.code == .timedOut && error.delivery == .notSent && error.method == "m")
        #expect(error.message == "The client got no connection within the timeout of the call.")
        await client.close()
    }

    @Test func theRestOfTheTimeIsForTheNextConnection() async throws {
        let client = try await connectedClient()
        async let call = outcome { try await idempotentCall("get", of: client, timeout: .seconds(10)) }
        try await server.peer.expectRequest("get")
        server.clock.advance(by: .seconds(3))
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        try await server.peer.expectRequest("get")
        await server.clock.waitForSleeper(dueIn: .seconds(5))
        server.clock.advance(by: .seconds(5))
        let error = try #require(await call.failure as? ClientError)
        #expect(error.code == .timedOut && error.delivery == .outcomeUnknown)
        await client.close()
    }

    @Test func theCertaintyIsThatOfAllAttempts() async throws {
        let client = try await connectedClient()
        async let call = outcome { try await idempotentCall("get", of: client, timeout: .seconds(2)) }
        try await server.peer.expectRequest("get")
        server.dials.setDown(true)
        server.peer.drop()
        // The attempt and the timeout are due together.
        await server.letAttemptBegin(after: .seconds(2))
        let error = try #require(await call.failure as? ClientError)
        #expect(error.code == .timedOut && error.delivery == .outcomeUnknown)
        await client.close()
    }

    /// An unusable answer is still an answer, in a single call, in a batch and among many calls.
    @Test func anAnswerToARepetitionIsCertain() async throws {
        let client = try await connectedClient()
        async let call = outcome { try await idempotentCall("get", of: client) }
        try await server.peer.expectRequest("get")
        async let batch = client.batch(
            [BatchEntry(method: "list", params: nil, isNotification: false, options: idempotent)])
        try await server.peer.expectBatch()
        let many = ManyCalls([Idempotent()], over: client)
        try await server.peer.expectRequest("many")
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        let ids = [
            try await server.peer.expectRequest("get").id, try await server.peer.expectBatch().calls.first?.id,
            try await server.peer.expectRequest("many").id,
        ]
        for id in ids {
            let id = try #require(id)
            try server.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":1,"error":{"code":1,"message":"m"}}"#)
        }
        let failures = [
            await call.failure, try await batch.first??.failure?.underlying,
            await many.outcome(0)?.failure?.underlying,
        ]
        for failure in failures {
            let error = try #require(failure as? ClientError)
            #expect(error.code == .protocolViolation && error.delivery == .answered)
        }
        await client.close()
    }

    private struct Idempotent: JSONRPCRequest {
        typealias Response = Int
        var method: String { "many" }
        var isIdempotent: Bool { true }
    }

    @Test func aCancelledCallIsNotRepeated() async throws {
        let client = try await connectedClient()
        let call = Task { try await idempotentCall("get", of: client) }
        try await server.peer.expectRequest("get")
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        try await server.letConnect(after: .seconds(2))
        await client.reaches(.connected)
        await client.close()
        try server.peer.expectNothingMore()
    }

    // MARK: Calls that begin without a connection

    @Test func callsFailAtOnceIfTheyMayNotWait() async throws {
        let client = try await connectedClient { $0.disconnectedCalls = .fail }
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        let call = try #require(await outcome { try await client.callRaw("m") }.failure as? ClientError)
        #expect(call.code == .notConnected && call.delivery == .notSent && call.method == "m" && call.isRetryable)
        let notification = try #require(await outcome { try await client.notify("n") }.failure as? ClientError)
        #expect(notification.code == .notConnected && notification.method == "n")
        await client.close()
    }

    @Test func theNumberOfCallsThatWaitIsLimited() async throws {
        let client = try await connectedClient { $0.disconnectedCalls = .wait(atMost: 2) }
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        await withTaskGroup(of: ClientError.Code?.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    (await outcome { try await client.callRaw("m", timeout: nil) }.failure as? ClientError)?.code
                }
            }
            // There is no room for one of the three.
            #expect(await group.next() == .notConnected)
            group.cancelAll()
            #expect(await group.next() == .some(nil))
            #expect(await group.next() == .some(nil))
        }
        await client.close()
    }

    @Test func aNotificationWaitsForTheConnection() async throws {
        let client = try await connectedClient()
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        async let sent: Void = client.notify("n", params: [1])
        try await server.letConnect(after: .seconds(2))
        try await server.peer.expectNotification("n", params: [1])
        try await sent
        await client.close()
    }

    // MARK: Batches

    @Test func theMembersOfABatchThatMayBeRepeatedAre() async throws {
        let client = try await connectedClient()
        let entries = [
            BatchEntry(method: "pay", params: nil, isNotification: false),
            BatchEntry(method: "get", params: nil, isNotification: false, options: idempotent),
            BatchEntry(method: "log", params: nil, isNotification: true),
            BatchEntry(method: "list", params: nil, isNotification: false, options: idempotent),
        ]
        async let results = client.batch(entries)
        let batch = try await server.peer.expectBatch()
        try server.peer.send(#"{"jsonrpc":"2.0","id":3,"result":"listed"}"#)
        _ = batch
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        let repeated = try await server.peer.expectBatch()
        #expect(repeated.calls.map(\.method) == ["get"])
        try server.peer.reply(to: repeated, results: ["got"])
        let outcomes = try await results
        #expect(try outcomes[1]?.get() == RawJSON(validating: #""got""#))
        #expect(outcomes[2] == nil)
        #expect(try outcomes[3]?.get() == RawJSON(validating: #""listed""#))
        guard case .failure(.failed(let error)) = outcomes[0] else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(error.code == .connectionLost && error.delivery == .outcomeUnknown && error.method == "pay")
        await client.close()
    }

    @Test func aBatchThatWaitsInVainHasAnOutcomeForEachMember() async throws {
        let client = try await connectedClient()
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        async let results = client.batch(
            [
                BatchEntry(method: "a", params: nil, isNotification: false),
                BatchEntry(method: "b", params: nil, isNotification: false),
            ], timeout: .seconds(1))
        await server.clock.waitForSleeper(dueIn: .seconds(1))
        server.clock.advance(by: .seconds(1))
        let methods = try await results.map { outcome -> String? in
            guard case .failure(.failed(let error)) = outcome, error.code == .timedOut else { return nil }
            return error.delivery == .notSent ? error.method : nil
        }
        #expect(methods == ["a", "b"])
        await client.close()
    }
}
