// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Finds out whether the peer still lives: PING frames (RFC 6455 §5.5.2) at an interval, and a limit on silence.
///
/// A peer that died is found within `interval + timeout` of its last byte. PINGs go out whatever the traffic, so that
/// round trips are measured under load too; any byte that comes counts as life, not only PONGs. Instants are
/// nanoseconds of a monotonic clock.
struct KeepaliveStateMachine {
    private let interval: Int64
    private let timeout: Int64
    private var lastLife: Int64
    private var nextPing: Int64
    /// When the first PING since the last sign of life was due.
    private var unansweredSince: Int64?
    private var counter: UInt64 = 0
    /// The PINGs without a PONG, oldest first: so round trips longer than the interval are measured too.
    private var pending: [(counter: UInt64, sentAt: Int64)] = []
    private static let maximumPending = 16
    private var isSuspended = false
    /// Both times are at least 10 ms: with less, a connection would do nothing but send PINGs.
    private static let minimum: Int64 = 10_000_000

    init(interval: Duration, timeout: Duration, now: Int64) {
        self.interval = max(interval.wholeNanoseconds, Self.minimum)
        self.timeout = max(timeout.wholeNanoseconds, Self.minimum)
        lastLife = now
        nextPing = now + self.interval
    }

    /// What to do now, and when to come again.
    struct TimerAction: Equatable {
        enum Step: Equatable {
            case doNothing
            /// Send a PING with this payload.
            case sendPing(UInt64)
            /// The peer is dead.
            case fail
        }
        var step: Step
        var next: Int64?
    }

    /// When ``timerFired(now:lastByteAt:)`` is due; `nil` while suspended.
    var nextDeadline: Int64? {
        guard !isSuspended else { return nil }
        guard let unansweredSince else { return nextPing }
        return min(nextPing, unansweredSince + timeout)
    }

    /// The deadline came.
    /// - Parameter lastByteAt: When the last byte came, as far as the socket knows.
    mutating func timerFired(now: Int64, lastByteAt: Int64) -> TimerAction {
        guard !isSuspended else { return TimerAction(step: .doNothing, next: nil) }
        lastLife = max(lastLife, lastByteAt)
        if let since = unansweredSince, lastLife > since { unansweredSince = nil }
        if let since = unansweredSince, now >= since + timeout {
            // A timer this late says that this process stood still, and the peer may have had no chance.
            if now - (since + timeout) <= timeout { return TimerAction(step: .fail, next: nil) }
            unansweredSince = now
            nextPing = now
        }
        guard now >= nextPing else { return TimerAction(step: .doNothing, next: nextDeadline) }
        nextPing = now + interval
        if unansweredSince == nil { unansweredSince = now }
        counter += 1
        return TimerAction(step: .sendPing(counter), next: nextDeadline)
    }

    /// The PING with this payload is given to the socket now.
    mutating func pingSent(_ counter: UInt64, now: Int64) {
        if pending.count == Self.maximumPending { pending.removeFirst() }
        pending.append((counter, now))
    }

    /// A PONG came. Returns the round-trip time when it answers a PING of ours; those before it need no answer any
    /// more (RFC 6455 §5.5.3).
    mutating func pongReceived(_ payload: UInt64?, now: Int64) -> Duration? {
        lastLife = max(lastLife, now)
        unansweredSince = nil
        guard let index = pending.firstIndex(where: { $0.counter == payload }) else { return nil }
        let sentAt = pending[index].sentAt
        pending.removeFirst(index + 1)
        return .nanoseconds(now - sentAt)
    }

    /// Reading stops: no PONG can be seen, so silence means nothing.
    mutating func readingSuspended() {
        isSuspended = true
        pending = []
        unansweredSince = nil
    }

    /// Reading goes on.
    mutating func readingResumed(now: Int64) {
        guard isSuspended else { return }
        isSuspended = false
        lastLife = max(lastLife, now)
        nextPing = min(nextPing, now + interval)
    }
}

extension Duration {
    /// Nanoseconds, held at the ends of what fits half of `Int64`, so that an instant can be added.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let limit: Int64 = 4_000_000_000
        if seconds >= limit { return limit * 1_000_000_000 }
        if seconds < 0 { return 0 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
