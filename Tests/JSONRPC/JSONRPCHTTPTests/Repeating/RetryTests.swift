// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct RetryTests {
    private let clock = ManualClock()
    private let idempotent = CallOptions(extraMembers: ExtraMembers(), isIdempotent: true)

    private func client(
        _ server: FakeServer, _ change: (inout MemberRetryPolicy) -> Void = { _ in }
    ) -> JSONRPCHTTPClient {
        var policy = MemberRetryPolicy()
        policy.randomFraction = { 1 }
        change(&policy)
        return .over(server, configuration: .with { $0.clock = clock }) { $0.retry = policy }
    }

    private static func answers(
        _ arrival: FakeServer.Arrival, _ outcome: (Int) -> String?
    ) -> FakeServer.Reply {
        let responses = arrival.calls.compactMap { call in
            outcome(call["params"]?[0]?.intValue ?? 0).map { FakeServer.Reply.response(call["id"] ?? .null, $0) }
        }
        return .text("[\(responses.joined(separator: ","))]")
    }

    private static let tooManyRequests = HTTPResponse.Status.tooManyRequests

    @Test func onlyFailedAndMissingMembersAreSentAgainWithNewIDs() async throws {
        let server = FakeServer { arrival in
            Self.answers(arrival) { number in
                if arrival.number == 0, number == 1 { return nil }
                if arrival.number == 0, number == 3 { return #""error":{"code":-32005,"message":"rate"}"# }
                return number == 4 ? #""error":{"code":1,"message":"final"}"# : #""result":\#(number)"#
            }
        }
        let rpc = client(server) { $0.isIdempotent = { $0 == "subtract" } }
        async let results = rpc.batch((0..<5).map { Subtract($0) })
        await clock.waitForSleeper(dueIn: .milliseconds(200))
        clock.advance(by: .milliseconds(200))
        let outcomes = try await results
        #expect(try outcomes[..<4].map { try $0.get() } == [0, 1, 2, 3])
        #expect(outcomes[4].callError?.errorObject?.code == 1)
        let arrivals = server.arrivals.elements
        #expect(arrivals.map { $0.members.compactMap { $0["params"]?[0]?.intValue } } == [[0, 1, 2, 3, 4], [1, 3]])
        #expect(arrivals.map(\.ids) == [[1, 2, 3, 4, 5], [6, 7]])
        #expect(arrivals.map(\.context.attempt) == [1, 2])
        #expect(arrivals.map(\.context.isIdempotent) == [true, true])
    }

    /// Params that count how often they are encoded.
    private struct Counted: Encodable, Sendable {
        let encodings: EventLog<Int>
        var number: Int

        func encode(to encoder: any Encoder) throws {
            encodings.record(number)
            try [number, 0].encode(to: encoder)
        }
    }

    private struct CountedSubtract: JSONRPCRequest {
        typealias Response = Int
        var params: Counted
        var method: String { "subtract" }
        var isIdempotent: Bool { true }
    }

    @Test func aRequestTypeCanBeIdempotentAndIsEncodedOnce() async throws {
        let server = FakeServer { arrival in
            if arrival.number % 2 == 0 { return .text("", .badGateway, fields: [:]) }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = client(server)
        let encodings = EventLog<Int>()
        let requests = (0..<3).map { CountedSubtract(params: Counted(encodings: encodings, number: $0)) }
        async let results = rpc.batch(requests)
        await clock.waitForSleeper(dueIn: .milliseconds(200))
        clock.advance(by: .milliseconds(200))
        #expect(try await results == [.success(0), .success(1), .success(2)])
        async let result = rpc.call(requests[2])
        await clock.waitForSleeper(dueIn: .milliseconds(200))
        clock.advance(by: .milliseconds(200))
        #expect(try await result == 2)
        #expect(encodings.elements == [0, 1, 2, 2])
        #expect(server.arrivals.elements.map(\.members.count) == [3, 3, 1, 1])
    }

    @Test func callsThatAreNotIdempotentAreNotSentAgain() async throws {
        let server = FakeServer { arrival in Self.answers(arrival) { $0 == 1 ? nil : #""result":\#($0)"# } }
        let outcomes = try await client(server).batch([Subtract(0), Subtract(1)])
        #expect(outcomes[0] == .success(0))
        #expect(outcomes[1].callError?.clientError?.code == .missingResponse)
        #expect(server.arrivals.elements.count == 1)
        #expect(server.arrivals.elements[0].context.isIdempotent == false)
    }

    /// The server has not processed such calls, so they need not be idempotent.
    @Test(arguments: [true, false]) func unprocessedCallsAreSentAgain(isUnsent: Bool) async throws {
        let server = FakeServer { arrival in
            if arrival.number == 0 {
                if isUnsent { throw HTTPTransportError(.cannotConnect, "Refused.", isRequestUnsent: true) }
                return .text("slow down", .tooManyRequests, fields: [:])
            }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        async let result = client(server).call(Subtract(5))
        await clock.waitForSleeper(dueIn: .milliseconds(200))
        clock.advance(by: .milliseconds(200))
        #expect(try await result == 5)
    }

    @Test(arguments: [502, 503, 504, 408]) func otherStatusesNeedAnIdempotentCall(code: Int) async throws {
        let server = FakeServer { arrival in
            if arrival.number < 2 { return .text("", HTTPResponse.Status(code: code), fields: [:]) }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = client(server)
        let failure = await error { try await rpc.call(Subtract(5)) } as? ClientError
        #expect(failure?.httpAnswer?.status.code == code)
        #expect(server.arrivals.elements.count == 1)
        async let result = rpc.call(Subtract(5), options: idempotent)
        await clock.waitForSleeper(dueIn: .milliseconds(200))
        clock.advance(by: .milliseconds(200))
        #expect(try await result == 5)
    }

    /// The status is not lost because the body is JSON-RPC.
    @Test func aRateLimitWithAJSONRPCBodyIsRepeatedAfterTheTimeThatTheServerAsks() async throws {
        let server = FakeServer { arrival in
            if arrival.number == 0 {
                return .text(
                    #"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"quota"}}"#, .tooManyRequests,
                    fields: [.contentType: "application/json", .retryAfter: "7"])
            }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        async let result = client(server).call(Subtract(5))
        await clock.waitForSleeper(dueIn: .seconds(7))
        clock.advance(by: .seconds(7))
        #expect(try await result == 5)
    }

    @Test(arguments: [("3600", 30), ("Fri, 01 Jan 2100 00:00:00 GMT", 30), ("Sat, 01 Jan 2000 00:00:00 GMT", 0)])
    func retryAfterIsLimitedAndMayBeADate(value: String, seconds: Int) async throws {
        let server = FakeServer { arrival in
            if arrival.number == 0 { return .text("", .tooManyRequests, fields: [.retryAfter: value]) }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        async let result = client(server).call(Subtract(5), timeout: nil)
        if seconds > 0 {
            await clock.waitForSleeper(dueIn: .seconds(seconds))
            clock.advance(by: .seconds(seconds))
        }
        #expect(try await result == 5)
    }

    @Test func anErrorCanAskForADelay() async throws {
        let server = FakeServer { arrival in
            .each(arrival) { call in
                arrival.number == 0
                    ? #""error":{"code":429,"message":"m","data":{"seconds":11}}"#
                    : #""result":\#(FakeServer.difference(call))"#
            }
        }
        let rpc = client(server) {
            $0.delayHint = { error in
                (try? error.data(as: [String: Int].self)["seconds"]).flatMap { $0 }.map { .seconds($0) }
            }
        }
        async let result = rpc.call(Subtract(5), options: idempotent)
        await clock.waitForSleeper(dueIn: .seconds(11))
        clock.advance(by: .seconds(11))
        #expect(try await result == 5)
    }

    @Test func attemptsAndDelaysAreLimited() async throws {
        let events = EventLog<Duration>()
        let server = FakeServer { _ in .text("", .serviceUnavailable, fields: [:]) }
        var policy = MemberRetryPolicy()
        policy.maximumAttempts = 4
        policy.maximumDelay = .milliseconds(500)
        policy.randomFraction = { 1 }
        let rpc = JSONRPCHTTPClient.over(server, configuration: .with { $0.clock = clock }) { options in
            options.retry = policy
            options.observe = { if case .retrying(_, _, let delay) = $0 { events.record(delay) } }
        }
        async let failing = error { try await rpc.call(Subtract(5), options: idempotent) }
        for delay in [200, 400, 500] {
            await clock.waitForSleeper(dueIn: .milliseconds(delay))
            clock.advance(by: .milliseconds(delay))
        }
        #expect(await (failing as? ClientError)?.httpAnswer?.status == .serviceUnavailable)
        #expect(server.arrivals.elements.count == 4)
        #expect(events.elements == [.milliseconds(200), .milliseconds(400), .milliseconds(500)])
    }

    @Test func noAttemptBeginsAfterTheTimeout() async throws {
        let server = FakeServer { _ in .text("", .tooManyRequests, fields: [.retryAfter: "10"]) }
        let failure = await error { try await client(server).call(Subtract(5), timeout: .seconds(10)) }
        #expect((failure as? ClientError)?.httpAnswer?.status == Self.tooManyRequests)
        #expect(server.arrivals.elements.count == 1)
    }

    @Test func aCancelledCallIsNotSentAgain() async throws {
        let server = FakeServer { _ in .text("", .tooManyRequests, fields: [:]) }
        let rpc = client(server)
        let task = Task { try await rpc.call(Subtract(5)) }
        await clock.waitForSleeper(dueIn: .milliseconds(200))
        task.cancel()
        #expect(await error { try await task.value } is CancellationError)
        #expect(server.arrivals.elements.count == 1)
    }

    @Test func withoutAPolicyNothingIsSentAgain() async throws {
        let server = FakeServer { _ in .text("", .tooManyRequests, fields: [:]) }
        let rpc = JSONRPCHTTPClient.over(server)
        #expect(await error { try await rpc.call(Subtract(5), options: idempotent) } is ClientError)
        #expect(server.arrivals.elements.count == 1)
    }

    @Test func gatheredCallsAreRepeatedTogether() async throws {
        let server = FakeServer { arrival in
            if arrival.number == 0 { return .text("", .serviceUnavailable, fields: [.retryAfter: "2"]) }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        var policy = MemberRetryPolicy()
        policy.isIdempotent = { _ in true }
        let rpc = JSONRPCHTTPClient.over(server, configuration: .with { $0.clock = clock }) {
            $0.retry = policy
            $0.gathering = CallGathering(window: .seconds(3600), maximumMembers: 2)
        }
        async let first = rpc.call(Subtract(1))
        async let second = rpc.call(Subtract(2))
        await clock.waitForSleeper(dueIn: .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(try await (first, second) == (1, 2))
        #expect(server.arrivals.elements.map(\.members.count) == [2, 2])
    }
}
