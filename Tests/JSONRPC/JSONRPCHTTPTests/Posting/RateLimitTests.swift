// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

@Suite("Limits of the rate of calls", .inTurn(within: .seconds(60)))
struct RateLimitTests {
    private let clock = ManualClock()

    private func client(
        _ server: FakeServer, _ limit: HTTPRateLimit, _ change: (inout JSONRPCHTTPOptions) -> Void = { _ in }
    ) -> JSONRPCHTTPClient {
        .over(server, configuration: .with { $0.clock = clock }) {
            $0.rateLimit = CallRateLimit(limit)
            change(&$0)
        }
    }

    @Test func callsBeyondTheBurstWait() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server, HTTPRateLimit(1, per: .seconds(10), burst: 2))
        for number in 1...2 { #expect(try await rpc.call(Subtract(number)) == number) }
        async let third = rpc.call(Subtract(3))
        await clock.waitForSleeper(dueIn: .seconds(10))
        #expect(server.arrivals.elements.count == 2)
        clock.advance(by: .seconds(10))
        #expect(try await third == 3)
    }

    @Test func eachMemberOfABatchTakesAToken() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server, HTTPRateLimit(1, per: .seconds(1), burst: 2))
        async let batch = rpc.batch((0..<5).map { Subtract($0) })
        await clock.waitForSleeper(dueIn: .seconds(3))
        #expect(server.arrivals.elements.isEmpty)
        clock.advance(by: .seconds(3))
        #expect(try await batch == (0..<5).map { .success($0) })
    }

    @Test func theCostIsAnOption() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server, HTTPRateLimit(1, per: .seconds(1))) {
            $0.rateLimit?.cost = { methods in methods.contains("subtract") ? 1 : 3 }
        }
        #expect(try await rpc.batch((0..<5).map { Subtract($0) }) == (0..<5).map { .success($0) })
        async let costly = rpc.call("costly", as: Int.self)
        await clock.waitForSleeper(dueIn: .seconds(3))
        clock.advance(by: .seconds(3))
        #expect(try await costly == 0)
    }

    @Test func attemptsTakeTokens() async throws {
        let server = FakeServer { arrival in
            if arrival.number == 0 { return .text("", .tooManyRequests, fields: [:]) }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = client(server, HTTPRateLimit(1, per: .seconds(10))) {
            $0.retry = MemberRetryPolicy()
            $0.retry?.randomFraction = { 0 }
        }
        async let result = rpc.call(Subtract(5))
        await clock.waitForSleeper(dueIn: .seconds(10))
        clock.advance(by: .seconds(10))
        #expect(try await result == 5)
    }

    @Test func aCallThatTimesOutOrIsCancelledThereWasNotSent() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server, HTTPRateLimit(1, per: .seconds(100)))
        #expect(try await rpc.call(Subtract(1)) == 1)
        async let late = error { try await rpc.call(Subtract(2), timeout: .seconds(5)) }
        await clock.waitForSleeper(dueIn: .seconds(5))
        await clock.waitForSleeper(dueIn: .seconds(100))
        let cancelled = Task { try await rpc.call(Subtract(3)) }
        await clock.waitForSleeper(dueIn: .seconds(200))
        clock.advance(by: .seconds(5))
        let failure = await late as? ClientError
        #expect(failure?.code == .timedOut)
        #expect(failure?.delivery == .notSent)
        cancelled.cancel()
        #expect(await error { try await cancelled.value } is CancellationError)
        #expect(server.arrivals.elements.count == 1)
    }
}
