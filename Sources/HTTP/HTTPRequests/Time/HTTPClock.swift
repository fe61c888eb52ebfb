// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The clock of time limits and pauses. Tests replace it, so that they need not wait.
public protocol HTTPClock: Sendable {
    /// The current time.
    var now: ContinuousClock.Instant { get }

    /// Waits until a time.
    ///
    /// - Throws: A `CancellationError` if the task is cancelled.
    func sleep(until deadline: ContinuousClock.Instant) async throws
}

extension ContinuousClock: HTTPClock {
    public func sleep(until deadline: Instant) async throws { try await sleep(until: deadline, tolerance: nil) }
}

extension HTTPClock where Self == ContinuousClock {
    /// The clock of the system, which runs on while the machine sleeps.
    public static var continuous: ContinuousClock { ContinuousClock() }
}

extension Duration {
    /// Returns the pause after attempt n: a part of the upper bound `base` · 2ⁿ⁻¹, which is at most `maximum`.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts so far. The first is 1.
    ///   - fraction: The part, from 0 to 1. Other values count as the nearest bound.
    package static func backoff(
        after attempts: Int, base: Duration, maximum: Duration, fraction: Double
    ) -> Duration {
        let factor = Int64(1) << Int64(min(max(attempts - 1, 0), 30))
        // The division keeps the product below `maximum`, however large `base` is.
        let bound = base > maximum / factor ? maximum : base * factor
        return max(.zero, bound * min(max(fraction, 0), 1))
    }
}
