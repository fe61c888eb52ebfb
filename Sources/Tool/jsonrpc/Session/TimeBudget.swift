// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The rest of `--timeout`, for a command that must end within it.
struct TimeBudget: Sendable {
    /// The whole limit; `nil` for no limit.
    let limit: Duration?
    private let end: ContinuousClock.Instant?

    /// Makes the budget of a command that starts now.
    init(_ limit: TimeLimitOption) {
        self.limit = limit.duration
        end = limit.duration.map { ContinuousClock.now + $0 }
    }

    /// The remaining time; `nil` for no limit. It is at least one nanosecond, because zero would mean "no limit".
    var rest: Duration? { end.map { max(.nanoseconds(1), $0 - .now) } }
}
