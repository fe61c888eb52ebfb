// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct RequestTimeoutTests {
    private struct Impatient: JSONRPCRequest {
        typealias Response = Int
        var method: String { "m" }
        var timeout: CallTimeout { .after(.zero) }
    }

    @Test func theTimeoutOfARequestCounts() async throws {
        let wire = await Wire()
        let error = await #expect(throws: ClientError.self) { try await wire.session.call(Impatient()) }
        #expect(error?.code == .timedOut)
        let result = await wire.session.result(of: Impatient())
        #expect((result.failure?.underlying as? ClientError)?.code == .timedOut)
        await wire.session.close()
    }

    @Test func theTimeoutOfTheCallTakesPrecedence() async throws {
        let wire = await Wire()
        async let answer = wire.session.call(Impatient(), timeout: nil)
        try wire.peer.reply(to: try await wire.peer.expectRequest("m"), result: 7)
        #expect(try await answer == 7)
        await wire.session.close()
    }

    @Test func itCountsOverOtherTransports() async throws {
        struct Silent: DataTransport {
            func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8] {
                try await ContinuousClock().sleep(for: .seconds(600))
                return []
            }
        }
        let error = await #expect(throws: ClientError.self) {
            try await TransportCaller(over: Silent()).call(Impatient())
        }
        #expect(error?.code == .timedOut)
    }
}

@Suite(.inTurn(within: .seconds(60)))
struct ScalarParamsTests {
    @Test func theCompilerWarnsOfParamsThatAreNoContainer() async throws {
        let complaints = try await compilerComplaints(about: [
            "Calls.swift": """
            import JSONRPCSession
            func make(_ client: JSONRPCClient, count: Int, name: String, both: ByName) async throws {
                let a: Int = try await client.call("m", params: 5)
                try await client.call("m", params: "five")
                try await client.notify("m", params: true)
                let b = await client.result(of: "m", params: count, as: Int.self)
                let c: Int = try await client.call("m", params: name)
                try await client.call("m", params: [5])
                try await client.call("m", params: ["five", 5])
                try await client.call("m", params: both)
                let d: Int = try await client.call("m", params: ["a": count])
                _ = (a, b, c, d)
            }
            """
        ])
        #expect(complaints.map(\.line) == [3, 4, 5, 6, 7], "\(complaints)")
        #expect(complaints.allSatisfy { $0.message.contains("params must be an array or an object") })
    }
}

@Suite(.inTurn(within: .seconds(60)))
struct UnreadableErrorTests {
    @Test(arguments: [
        (#""Method not found, sorry""#, #"a response whose error is not an object: "Method not found, sorry""#),
        (
            #"{"code":1180591620717411303424,"message":"busy"}"#,
            #"an error without a usable code: {"code":1180591620717411303424,"message":"busy"}"#
        ),
        (#"{"message":"busy"}"#, #"an error without a usable code: {"message":"busy"}"#),
    ])
    func theServersWordsAreShown(error: String, text: String) async throws {
        let wire = await Wire()
        async let answer = outcome { try await wire.session.callRaw("m") }
        let request = try await wire.peer.expectRequest("m")
        let id = String(decoding: try #require(request.id).bytes, as: UTF8.self)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"error":\#(error)}"#)
        let failure = try #require(await answer.failure as? ClientError)
        #expect(failure.code == .protocolViolation)
        #expect(failure.message == "The peer sent \(text)")
        await wire.session.close()
    }
}
