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
