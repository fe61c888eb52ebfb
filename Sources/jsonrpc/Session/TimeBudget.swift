// swift-jsonrpc · SPDX-License-Identifier: MIT

/// How much of `--timeout` is left, for a command that has to end within it.
struct TimeBudget: Sendable {
    /// `nil` for no limit.
    let limit: Duration?
    private let end: ContinuousClock.Instant?

    /// The budget of a command that begins now.
    init(_ limit: TimeLimitOption) {
        self.limit = limit.duration
        end = limit.duration.map { ContinuousClock.now + $0 }
    }

    /// What is left, at least one nanosecond, so that it is never taken for "no limit"; `nil` for no limit.
    var rest: Duration? { end.map { max(.nanoseconds(1), $0 - .now) } }
}
