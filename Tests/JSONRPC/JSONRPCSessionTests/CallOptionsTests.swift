// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct CallOptionsTests {
    @Test func paramsThatAreNoContainerAreRefused() async throws {
        let wire = await Wire()
        let error = try #require(
            await outcome { let _: Int = try await wire.session.call("m", params: Int?.some(5)) }.failure
                as? ClientError)
        #expect(error.code == .encodingFailed)
        #expect(error.delivery == .notSent)
        #expect(error.message.contains("encode as neither an array nor an object"))
        await wire.session.close()
        #expect(wire.session.callCounts.issued == 0)
    }

    @Test func resultOfAnotherTypeIsADecodingFailure() async throws {
        let wire = await Wire()
        async let answer = outcome { let _: Int = try await wire.session.call("m") }
        try wire.peer.reply(to: try await wire.peer.expectRequest("m"), result: "text")
        let error = try #require(await answer.failure as? ClientError)
        #expect(error.code == .decodingFailed)
        #expect(error.delivery == .answered)
        #expect(error.cause is DecodingError)
        await wire.session.close()
    }

    @Test func peersErrorIsThrownAsItIs() async throws {
        let wire = await Wire()
        async let answer = outcome { try await wire.session.callRaw("m") }
        let object = ErrorObject(code: -5, message: "no", data: try RawJSON(validating: #"{"why":1}"#))
        try wire.peer.reply(to: try await wire.peer.expectRequest("m"), error: object)
        #expect(await answer.failure as? ErrorObject == object)
        await wire.session.close()
    }

    @Test func extraMembersStandBesideParams() async throws {
        let auth = try ExtraMembers.with("auth", "\"secret\"")
        let wire = await Wire(.with { $0.calls.extraMembers = auth })
        let options = CallOptions(extraMembers: try .with("sessionId", "\"S1\""))
        async let answer: Int = wire.session.call("m", params: [1], options: options)
        try await wire.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":"$id","method":"m","params":[1],"auth":"secret","sessionId":"S1"}
            <-- {"jsonrpc":"2.0","id":"$id","result":1}
            """#)
        #expect(try await answer == 1)
        try await wire.session.notify("n", options: options)
        try await wire.peer.play(#"--> {"jsonrpc":"2.0","method":"n","auth":"secret","sessionId":"S1"}"#)
        await wire.session.close()
    }

    @Test func versionMemberCanBeLeftOut() async throws {
        let wire = await Wire(.with { $0.version = .omitted })
        let events = wire.session.events
        async let answer: Int = wire.session.call("m")
        try await wire.peer.play(
            #"""
            --> {"id":"$id","method":"m"}
            <-- {"id":"$id","result":1}
            """#)
        #expect(try await answer == 1)
        await wire.session.close()
        #expect(await events.irregularities().isEmpty)
    }

    @Test func idsComeFromTheGenerator() async throws {
        let wire = await Wire(.with { $0.calls.idGenerator = .strings(prefix: "a\"-") })
        let events = wire.session.events
        async let answer: Int = wire.session.call("m")
        let request = try await wire.peer.expectRequest("m")
        #expect(request.id == "a\"-1")
        try wire.peer.reply(to: request, result: 1)
        #expect(try await answer == 1)
        try wire.peer.reply(to: request, result: 1)
        await wire.session.close()
        #expect(await events.irregularities() == [.duplicateResponse])
    }

    @Test func idInUseIsRefused() async throws {
        let wire = await Wire(.with { $0.calls.idGenerator = CustomIDGenerator { "same" } })
        async let first: Int = wire.session.call("first")
        let request = try await wire.peer.expectRequest("first")
        let error = try #require(await outcome { try await wire.session.callRaw("m") }.failure as? ClientError)
        #expect(error.code == .requestIDInUse)
        #expect(error.delivery == .notSent)
        try wire.peer.reply(to: request, result: 1)
        #expect(try await first == 1)
        await wire.session.close()
    }

    // MARK: Interceptors

    private struct Wrapper: CallInterceptor {
        var name: String

        func intercept(
            call: OutboundCall, next: NextInterceptor<RawJSON>
        ) async throws -> RawJSON {
            var call = call
            call.method += name
            let result = try await next(call)
            return try RawJSON(encoding: "\(name)(\(result.text))")
        }

        func intercept(notification: OutboundCall, next: NextInterceptor<Void>) async throws {
            var notification = notification
            notification.method += name
            try await next(notification)
        }
    }

    @Test func interceptorsStandAroundCallsTheFirstOutermost() async throws {
        let wire = await Wire(.with { $0.calls.interceptors = [Wrapper(name: "A"), Wrapper(name: "B")] })
        async let answer: String = wire.session.call("m")
        try wire.peer.reply(to: try await wire.peer.expectRequest("mAB"), result: 1)
        #expect(try await answer == #"A("B(1)")"#)
        try await wire.session.notify("n")
        try await wire.peer.expectNotification("nAB")
        await wire.session.close()
    }

    private struct Cache: CallInterceptor {
        func intercept(
            call: OutboundCall, next: NextInterceptor<RawJSON>
        ) async throws -> RawJSON {
            try RawJSON(validating: "42")
        }
    }

    @Test func interceptorCanAnswerByItself() async throws {
        let wire = await Wire(.with { $0.calls.interceptors = [Cache()] })
        #expect(try await wire.session.call("m") == 42)
        await wire.session.close()
        #expect(wire.session.callCounts.issued == 0)
    }
}

extension ExtraMembers {
    fileprivate static func with(_ name: String, _ json: String) throws -> ExtraMembers {
        var members = ExtraMembers()
        try members.set(name, to: try RawJSON(validating: json))
        return members
    }
}
