// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import TaskWaits

/// The rules by which a ``JSONRPCHTTPClient`` sends calls again after a failure.
///
/// Only members that failed or got no response are sent again, with new ids. Members with a result keep it. A call is
/// repeated only if the failure is transient, and one of these holds:
///
/// - The call is idempotent: `JSONRPCRequest.isIdempotent`, `CallOptions.isIdempotent` or ``isIdempotent`` says so.
/// - The server has provably not processed it: the request was not sent, or the status is 429 (RFC 6585 §4).
///
/// Transient failures are failures of the connection, missing responses, the ``statuses``, and the errors that
/// ``isTransient`` recognizes. Timeouts of calls are not repeated.
public struct MemberRetryPolicy: Sendable {
    /// The maximum number of attempts, the first one included. The default is 3.
    public var maximumAttempts = 3
    /// The upper bound of the delay before the second attempt. It doubles with each attempt. The delay is a random part
    /// of it. The default is 200 milliseconds.
    public var baseDelay = Duration.milliseconds(200)
    /// The maximum delay. A longer time in `Retry-After` is lowered to it. The default is 30 seconds.
    public var maximumDelay = Duration.seconds(30)
    /// The statuses of transient failures. The default is 408, 429, 502, 503 and 504.
    public var statuses: Set<Int> = [408, 429, 502, 503, 504]
    /// Returns whether calls of a method can be sent twice, in addition to `JSONRPCRequest.isIdempotent` and
    /// `CallOptions.isIdempotent`. The default returns `false`.
    public var isIdempotent: @Sendable (_ method: String) -> Bool = { _ in false }
    /// Returns whether a server's error is transient. The default recognizes the codes 429 and -32005, by which some
    /// services limit the rate.
    public var isTransient: @Sendable (ErrorObject) -> Bool = { [429, -32005].contains($0.code.rawValue) }
    /// Returns the delay that an error asks for, for example in its `data`; `nil` if it asks for none. It is limited
    /// like `Retry-After`. The default returns `nil`.
    public var delayHint: @Sendable (ErrorObject) -> Duration? = { _ in nil }
    /// Returns the random part of a delay, from 0 to 1. The default is uniform.
    public var randomFraction: @Sendable () -> Double = { .random(in: 0...1) }

    public init() {}

    /// Returns the delay before an attempt, whose number is at least 2.
    func delay(before attempt: Int, asked: Duration?) -> Duration {
        if let asked { return max(.zero, min(asked, maximumDelay)) }
        return .backoff(after: attempt - 2, initial: baseDelay, maximum: maximumDelay, share: randomFraction())
    }
}
