// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes
import Synchronization

/// A rate limit, as a token bucket.
///
/// The bucket is full at first. Each request takes a token, and waits for one if the bucket is empty. Tokens are added
/// evenly over the interval, until the bucket is full.
public struct HTTPRateLimit: Sendable, Hashable {
    /// The number of tokens that are added in each ``interval``. Values below 1 are raised to 1.
    public var tokens: Int
    /// The time in which ``tokens`` are added. Zero or less means no limit.
    public var interval: Duration
    /// The size of the bucket, in tokens: the largest number of requests that are sent without a pause. Values below 1
    /// are raised to 1.
    public var burst: Int

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - tokens: The number of tokens that are added in each interval.
    ///   - interval: The interval. The default is one second.
    ///   - burst: The size of the bucket. The default is `tokens`.
    public init(_ tokens: Int, per interval: Duration = .seconds(1), burst: Int? = nil) {
        self.tokens = tokens
        self.interval = interval
        self.burst = burst ?? tokens
    }
}

/// Limits the rate of requests. Requests beyond the limit wait in order, and can be cancelled while they wait.
///
/// Inside a ``RetryInterceptor``, each attempt takes a token; outside of it, only the first does. A request that is
/// cancelled while it waits still uses its token.
public final class RateLimitInterceptor: HTTPInterceptor {
    private let bucket: Mutex<TokenBucket>
    private let clock: any HTTPClock
    private let start: ContinuousClock.Instant

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - limit: The limit for all requests together.
    ///   - clock: The clock of the pauses.
    public init(_ limit: HTTPRateLimit, clock: any HTTPClock = .continuous) {
        bucket = Mutex(TokenBucket(limit))
        self.clock = clock
        start = clock.now
    }

    public func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> ReceivedHTTPResponse {
        try await take(1)
        return try await next(request, body: body, context: context)
    }

    /// Takes tokens, and waits until they are available. After a cancellation, the tokens are lost.
    package func take(_ count: Int) async throws {
        let now = clock.now
        let pause = bucket.withLock { $0.take(count, at: start.duration(to: now)) }
        if pause > .zero { try await clock.sleep(until: now.advanced(by: pause)) }
    }
}

/// The tokens of a limit. Waiting requests have taken tokens in advance.
struct TokenBucket: Sendable {
    private let capacity: Double
    private let tokensPerSecond: Double
    /// The tokens at the time ``updated``; below zero while requests wait.
    private var tokens: Double
    private var updated = Duration.zero

    init(_ limit: HTTPRateLimit) {
        capacity = Double(max(limit.burst, 1))
        tokens = capacity
        let seconds = limit.interval / .seconds(1)
        tokensPerSecond = seconds > 0 ? Double(max(limit.tokens, 1)) / seconds : .infinity
    }

    /// Takes tokens, and returns the time to wait for them. Their count may exceed the size of the bucket. The time is
    /// since the bucket was made; a time before the last one counts as the last one.
    mutating func take(_ count: Int, at time: Duration) -> Duration {
        guard tokensPerSecond.isFinite else { return .zero }
        if time > updated {
            tokens = min(capacity, tokens + (time - updated) / .seconds(1) * tokensPerSecond)
            updated = time
        }
        tokens -= Double(max(count, 0))
        guard tokens < 0 else { return .zero }
        // More would overflow `Duration`'s conversion.
        return .seconds(min(-tokens / tokensPerSecond, Self.longestPause))
    }

    /// About 31 years, in seconds.
    private static let longestPause = 1e9
}
