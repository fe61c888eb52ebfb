// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

/// Calls by request types.
@Suite(.inTurn(within: .seconds(60)))
struct RequestCallTests {
    @Test("K3, K1: a request goes out by its method and params, and its response comes back typed")
    func typedResponse() async throws {
        let wire = await Wire()
        async let difference = wire.session.call(Subtract(minuend: 42, subtrahend: 23))
        let request = try await wire.peer.expectRequest("subtract", params: [42, 23])
        try wire.peer.reply(to: request, result: 19)
        #expect(try await difference == 19)
        async let count = wire.session.call(CountCharacters(characters: "abc"))
        let named = try await wire.peer.expectRequest("count_characters", params: ["characters": "abc"])
        try wire.peer.reply(to: named, result: 3)
        #expect(try await count == 3)
        await wire.session.close()
    }

    @Test("K3, K1: a request without a response goes out as a notification, and nothing is waited for")
    func notification() async throws {
        let wire = await Wire()
        try await wire.session.call(Log("hi"))
        try await wire.session.call(MethodNotification("ping"))
        try await wire.peer.play(
            #"""
            --> {"jsonrpc":"2.0","method":"log","params":["hi"]}
            --> {"jsonrpc":"2.0","method":"ping"}
            """#)
        #expect(wire.session.callCounts.issued == 0)
        await wire.session.close()
    }

    @Test func extraMembersOfRequestAndOptionsAreMerged() async throws {
        let wire = await Wire()
        var ofRequest = ExtraMembers()
        try ofRequest.set("auth", to: RawJSON("request"))
        try ofRequest.set("only", to: RawJSON("here"))
        var ofOptions = ExtraMembers()
        try ofOptions.set("auth", to: RawJSON("options"))
        async let outcome = wire.session.call(
            MethodCall("m", extraMembers: ofRequest), options: CallOptions(extraMembers: ofOptions))
        try await wire.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"m","auth":"options","only":"here"}
            <-- {"jsonrpc":"2.0","id":1,"result":true}
            """#)
        #expect(try await outcome == true)
        await wire.session.close()
    }

    @Test func errorsAreThoseOfOtherCalls() async throws {
        let wire = await Wire()
        async let refused = outcome { try await wire.session.call(Subtract(minuend: 1, subtrahend: 1)) }
        try wire.peer.reply(to: try await wire.peer.expectRequest(), error: ErrorObject(.methodNotFound))
        #expect(await refused.failure as? ErrorObject == ErrorObject(.methodNotFound))
        async let undecodable = outcome { try await wire.session.call(Subtract(minuend: 1, subtrahend: 1)) }
        try wire.peer.reply(to: try await wire.peer.expectRequest(), result: "text")
        let error = try #require(await undecodable.failure as? ClientError)
        #expect(error.code == .decodingFailed)
        #expect(error.method == "subtract")
        #expect(error.delivery == .answered)
        let notSent = await outcome { try await wire.session.call(MethodCall("m", params: 7)) }
        #expect((notSent.failure as? ClientError)?.code == .encodingFailed)
        await wire.session.close()
    }

    @Test func resultNeedsNoCast() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        async let answered = wire.session.result(of: Subtract(minuend: 1, subtrahend: 1))
        try wire.peer.reply(to: try await wire.peer.expectRequest(), error: ErrorObject(.invalidParams))
        #expect(await answered == .failure(.answered(ErrorObject(.invalidParams))))

        let task = Task { await wire.session.result(of: Subtract(minuend: 1, subtrahend: 1)) }
        _ = try await wire.peer.expectRequest()
        task.cancel()
        #expect(await task.value == .failure(.cancelled))

        async let late = wire.session.result(of: Subtract(minuend: 1, subtrahend: 1), timeout: .seconds(5))
        _ = try await wire.peer.expectRequest()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        let failure = await late.callError?.clientError
        #expect(failure?.code == .timedOut)
        #expect(failure?.delivery == .outcomeUnknown)
        await wire.session.close()
        let closed = await wire.session.result(of: Subtract(minuend: 1, subtrahend: 1))
        #expect(closed.callError?.delivery == .notSent)
    }

    @Test func clientsCoderIsUsedBothWays() async throws {
        struct Entry: Codable, Sendable, Equatable {
            var entryName: String
        }
        var coder = WireJSONCoder()
        coder.encoder.keyEncodingStrategy = .convertToSnakeCase
        coder.decoder.keyDecodingStrategy = .convertFromSnakeCase
        let wire = await Wire(.with { [coder] in $0.coder = coder })
        async let entry = wire.session.call(MethodCall("m", params: Entry(entryName: "x"), as: Entry.self))
        let request = try await wire.peer.expectRequest("m", params: ["entry_name": "x"])
        try wire.peer.reply(to: request, result: ["entry_name": "y"])
        #expect(try await entry == Entry(entryName: "y"))
        await wire.session.close()
    }
}
