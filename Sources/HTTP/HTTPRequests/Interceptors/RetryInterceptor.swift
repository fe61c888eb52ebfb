// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials
public import HTTPTypes
import Synchronization
import TaskWaits

/// Retries requests after transient failures.
///
/// A request is retried after one of ``statuses``, and if its connection could not be established, was lost, or
/// exceeded a time limit. A request that is not idempotent is retried only if the server provably did not process it:
/// no byte was sent, or the status is 429. A request whose body cannot be sent again is not retried.
///
/// The pause before attempt n + 1 is a random time between zero and ``baseDelay`` · 2ⁿ⁻¹, at most ``maximumDelay``. A
/// `Retry-After` field of the response replaces it. A request does not wait beyond its total time limit.
///
/// The result is the last response or error. If the body of the request could not be made again, the result is the
/// first response or error.
///
/// If the server closed an idle connection when the request was sent, the request is retried without a pause, once.
public struct RetryInterceptor: HTTPInterceptor {
    /// The largest number of attempts, the first included. The default is 3.
    public var maximumAttempts = 3
    /// The upper bound of the pause before the second attempt. The default is 200 milliseconds.
    public var baseDelay: Duration = .milliseconds(200)
    /// The upper bound of every pause. The default is 20 seconds.
    public var maximumDelay: Duration = .seconds(20)
    /// The longest pause that `Retry-After` can ask for. Longer ones are shortened. The default is 60 seconds.
    public var maximumRetryAfter: Duration = .seconds(60)
    /// The statuses after which a request is retried. The default is 408, 429, 502, 503 and 504.
    public var statuses: Set<Int> = [408, 429, 502, 503, 504]
    /// A limit for the retries of many requests together; `nil` for none. The default is none.
    public var budget: RetryBudget?
    /// The clock of the pauses.
    public var clock: any HTTPClock = .continuous
    /// The current time, for a `Retry-After` field with a date.
    public var currentDate: @Sendable () -> Date = { Date() }
    /// A random number from 0 to 1, by which the upper bound of a pause is multiplied.
    public var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }

    /// Makes the default interceptor.
    ///
    /// - Parameters:
    ///   - maximumAttempts: The largest number of attempts, the first included.
    ///   - budget: A limit for the retries of many requests together.
    public init(maximumAttempts: Int = 3, budget: RetryBudget? = nil) {
        self.maximumAttempts = maximumAttempts
        self.budget = budget
    }

    public func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> ReceivedHTTPResponse {
        var context = context
        var state = RetryState()
        budget?.deposit()
        while true {
            let outcome = await outcome(of: request, body, context, next)
            if let first = state.first, outcome.isFailureOfBody { return try first.get() }
            guard body?.isReplayable ?? true, let pause = pause(after: outcome, context, &state) else {
                return try outcome.get()
            }
            let kept = await outcome.withBodyInMemory()
            state.first = state.first ?? kept
            if pause > .zero { try await clock.sleep(until: clock.now.advanced(by: pause)) }
            try Task.checkCancellation()
            context.attempt += 1
        }
    }

    private func outcome(
        of request: HTTPRequest, _ body: HTTPBodyEntity?, _ context: HTTPRequestContext, _ next: NextHTTPInterceptor
    ) async -> RetryOutcome {
        do { return .success(try await next(request, body: body, context: context)) } catch { return .failure(error) }
    }

    /// Returns the pause before the next attempt; `nil` if there is none.
    private func pause(
        after outcome: RetryOutcome, _ context: HTTPRequestContext, _ state: inout RetryState
    ) -> Duration? {
        guard !Task.isCancelled else { return nil }
        var pause: Duration
        switch outcome {
        case .failure(let error):
            guard let error = error as? HTTPTransportError, context.isIdempotent || error.isRequestUnsent else {
                return nil
            }
            if error.wasConnectionStale, maximumAttempts > 1, !state.hasReplacedConnection {
                state.hasReplacedConnection = true
                return .zero
            }
            guard [.cannotConnect, .connectionLost, .timedOut].contains(error.code) else { return nil }
            pause = backoff(after: state.counted)
        case .success(let response):
            let head = response.head
            guard statuses.contains(head.status.code), context.isIdempotent || head.status.code == 429 else {
                return nil
            }
            let asked = head.headerFields.retryDelay(from: currentDate())
            pause = asked.map { min($0, maximumRetryAfter) } ?? backoff(after: state.counted)
        }
        guard state.counted < maximumAttempts else { return nil }
        // If the pause would pass the deadline, the original failure is thrown.
        if let deadline = context.deadline, clock.now.duration(to: deadline) <= pause { return nil }
        guard budget?.withdraw() ?? true else { return nil }
        state.counted += 1
        return pause
    }

    private func backoff(after attempts: Int) -> Duration {
        .backoff(after: attempts - 1, initial: baseDelay, maximum: maximumDelay, share: jitter())
    }
}

private struct RetryState {
    /// The number of attempts, without the one after a stale connection.
    var counted = 1
    var hasReplacedConnection = false
    /// The outcome of the first attempt; `nil` before the first retry.
    var first: RetryOutcome?
}

private typealias RetryOutcome = Result<ReceivedHTTPResponse, any Error>

extension RetryOutcome {
    /// Whether the request's body or an interceptor failed, not the exchange.
    fileprivate var isFailureOfBody: Bool {
        guard case .failure(let error) = self else { return false }
        return !(error is HTTPTransportError || error is CancellationError)
    }

    /// Reads the body into memory to free its connection. A body that is too long is dropped.
    fileprivate func withBodyInMemory() async -> RetryOutcome {
        guard case .success(var response) = self else { return self }
        response.body = HTTPByteStream(await response.body.discard())
        return .success(response)
    }
}

/// A limit for the retries of many requests together, so that retries cannot multiply the load of a server that fails.
///
/// Each request adds a fraction of a retry to the budget, and each retry takes one. To share a budget, give several
/// interceptors the same instance.
public final class RetryBudget: Sendable {
    private let retriesPerRequest: Double
    private let capacity: Double
    private let balance: Mutex<Double>

    /// Makes a full budget.
    ///
    /// - Parameters:
    ///   - retriesPerRequest: The number of retries that each request adds. The default is 0.2, one retry for each five
    ///     requests.
    ///   - capacity: The largest number of retries that can be saved. The default is 10.
    public init(retriesPerRequest: Double = 0.2, capacity: Int = 10) {
        self.retriesPerRequest = retriesPerRequest
        self.capacity = Double(capacity)
        balance = Mutex(Double(capacity))
    }

    /// The number of retries that can be made now.
    public var availableRetries: Int { Int(balance.withLock { min($0, 1e9) }) }

    func deposit() { balance.withLock { $0 = min($0 + retriesPerRequest, capacity) } }

    func withdraw() -> Bool {
        balance.withLock { balance in
            guard balance >= 1 else { return false }
            balance -= 1
            return true
        }
    }
}
