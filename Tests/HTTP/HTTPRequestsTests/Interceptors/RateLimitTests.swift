// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing

@testable import HTTPRequests

@Suite("Limits of the rate", .inTurn(within: .seconds(60))) struct RateLimitTests {
    @Test func tokensComeBackEvenly() {
        var bucket = TokenBucket(HTTPRateLimit(10, per: .seconds(1), burst: 2))
        let pauses = (0..<5).map { _ in bucket.take(1, at: .zero) }
        #expect(pauses == [.zero, .zero, .milliseconds(100), .milliseconds(200), .milliseconds(300)])
        #expect(bucket.take(1, at: .milliseconds(300)) == .milliseconds(100))
        #expect(bucket.take(1, at: .milliseconds(500)) == .zero)
        // The bucket holds at most two tokens, however long no request is sent.
        #expect((0..<3).map { _ in bucket.take(1, at: .seconds(60)) } == [.zero, .zero, .milliseconds(100)])
    }

    @Test func severalTokensCanBeTakenAtOnce() {
        var bucket = TokenBucket(HTTPRateLimit(10, per: .seconds(2)))
        #expect(bucket.take(30, at: .zero) == .seconds(4))
        #expect(bucket.take(0, at: .zero) == .seconds(4))
        #expect(bucket.take(1, at: .seconds(4)) == .milliseconds(200))
    }

    @Test func extremeLimitsNeitherTrapNorStop() {
        var endless = TokenBucket(HTTPRateLimit(0, per: .zero, burst: -5))
        #expect(endless.take(.max, at: .zero) == .zero)
        #expect(endless.take(.min, at: .seconds(-1)) == .zero)
        var slow = TokenBucket(HTTPRateLimit(.min, per: .seconds(Int64.max)))
        #expect(slow.take(1, at: .zero) == .zero)
        #expect(slow.take(.max, at: .seconds(1)) >= .seconds(1_000_000_000))
        var fast = TokenBucket(HTTPRateLimit(.max, per: .nanoseconds(1)))
        #expect(fast.take(.max, at: .zero) == .zero)
        #expect(fast.take(.max, at: .seconds(Int64.max)) >= .zero)
    }

    @Test func requestsWaitForTheirTokens() async throws {
        let (clock, transport) = (ImmediateHTTPClock(), MockHTTPTransport(reply: .text("ok")))
        let session = HTTPSession(
            transport: transport, interceptors: [RateLimitInterceptor(HTTPRateLimit(2, per: .seconds(1)), clock: clock)]
        )
        for _ in 0..<5 { #expect(try await session.send(Get<String>(path: "/x")) == "ok") }
        #expect(clock.pauses == [.milliseconds(500), .milliseconds(500), .milliseconds(500)])
    }

    @Test func eachAttemptTakesATokenInsideOfRetries() async throws {
        let (clock, transport) = (ImmediateHTTPClock(), MockHTTPTransport(reply: .text("no", status: 503)))
        var retry = RetryInterceptor(maximumAttempts: 3)
        retry.clock = clock
        retry.jitter = { 0 }
        let limit = RateLimitInterceptor(HTTPRateLimit(1, per: .seconds(10)), clock: clock)
        let session = HTTPSession(transport: transport, interceptors: [retry, limit])
        await #expect(throws: HTTPRequestError<[UInt8]>.self) { try await session.send(Get<String>(path: "/x")) }
        #expect(clock.pauses.filter { $0 > .zero } == [.seconds(10), .seconds(10)])
    }

    @Test func aWaitingRequestCanBeCancelled() async throws {
        let (clock, transport) = (ManualHTTPClock(), MockHTTPTransport(reply: .text("ok")))
        let limit = RateLimitInterceptor(HTTPRateLimit(1, per: .seconds(10)), clock: clock)
        let session = HTTPSession(transport: transport, interceptors: [limit])
        #expect(try await session.send(Get<String>(path: "/1")) == "ok")
        let waiting = Task { try await session.send(Get<String>(path: "/2")) }
        waiting.cancel()
        let error = await #expect(throws: HTTPRequestError<[UInt8]>.self) { try await waiting.value }
        #expect(error?.stage == "cancelled")
        clock.advance(by: .seconds(20))
        #expect(try await session.send(Get<String>(path: "/3")) == "ok")
        #expect(transport.requests.map(\.head.path) == ["/1", "/3"])
    }
}
