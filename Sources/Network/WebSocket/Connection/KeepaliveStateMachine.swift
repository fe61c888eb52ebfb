// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The state machine of keepalive: PING frames (RFC 6455 §5.5.2) at an interval, and a limit on silence. A dead peer is
/// detected within `interval + timeout` after its last byte. PINGs are also sent during other traffic, so that round
/// trips are measured under load. Any received byte counts as a sign of life, not only a PONG. Instants are nanoseconds
/// of a monotonic clock.
struct KeepaliveStateMachine {
    private let interval: Int64
    private let timeout: Int64
    private var lastLife: Int64
    private var nextPing: Int64
    /// The time at which the first PING since the last sign of life was due.
    private var unansweredSince: Int64?
    private var counter: UInt64 = 0
    /// The PINGs without a PONG, oldest first, so that round trips longer than the interval can be measured.
    private var pending: [(counter: UInt64, sentAt: Int64)] = []
    private static let maximumPending = 16
    private var isSuspended = false
    /// The minimum of both times, 10 ms. With a smaller value, a connection would do little else than send PINGs.
    private static let minimum: Int64 = 10_000_000

    init(interval: Duration, timeout: Duration, now: Int64) {
        self.interval = max(interval.wholeNanoseconds, Self.minimum)
        self.timeout = max(timeout.wholeNanoseconds, Self.minimum)
        lastLife = now
        nextPing = 0
        nextPing = pingTime(after: now)
    }

    /// The time of the PING after `now`. It is up to 1/64 of the interval early, so that many connections share it: one
    /// wake-up then sends all their PINGs.
    private func pingTime(after now: Int64) -> Int64 {
        let due = now + interval
        return due - due % (interval / 64)
    }

    enum Step: Equatable {
        case doNothing
        /// Send a PING with this payload.
        case sendPing(UInt64)
        /// The peer is dead.
        case fail
    }

    /// The time at which ``timerFired(now:lastByteAt:)`` is due, or `nil` while reading is suspended.
    var nextDeadline: Int64? {
        guard !isSuspended else { return nil }
        guard let unansweredSince else { return nextPing }
        return min(nextPing, unansweredSince + timeout)
    }

    /// Handles the timer. The next call is due at ``nextDeadline``. `lastByteAt` is the time at which the last byte was
    /// received.
    mutating func timerFired(now: Int64, lastByteAt: Int64) -> Step {
        guard !isSuspended else { return .doNothing }
        lastLife = max(lastLife, lastByteAt)
        if let since = unansweredSince, lastLife > since { unansweredSince = nil }
        if let since = unansweredSince, now >= since + timeout {
            // If the timer is this late, the process was suspended, and the peer's bytes may not have been read.
            if now - (since + timeout) <= timeout { return .fail }
            unansweredSince = now
            nextPing = now
        }
        guard now >= nextPing else { return .doNothing }
        nextPing = pingTime(after: now)
        if unansweredSince == nil { unansweredSince = now }
        counter += 1
        return .sendPing(counter)
    }

    static func payload(of counter: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) }
    }

    /// Returns the counter in the payload of a PONG, or `nil` if the PONG does not answer a PING of this side.
    static func counter(in payload: [UInt8]) -> UInt64? {
        payload.count == 8 ? payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : nil
    }

    /// Records that the PING with this payload is given to the socket now.
    mutating func pingSent(_ counter: UInt64, now: Int64) {
        if pending.count == Self.maximumPending { pending.removeFirst() }
        pending.append((counter, now))
    }

    /// Handles a PONG. Earlier PINGs need no answer after it (RFC 6455 §5.5.3). Returns the round-trip time, or `nil`
    /// if the PONG does not answer a PING of this side.
    mutating func pongReceived(_ payload: UInt64?, now: Int64) -> Duration? {
        lastLife = max(lastLife, now)
        unansweredSince = nil
        guard let index = pending.firstIndex(where: { $0.counter == payload }) else { return nil }
        let sentAt = pending[index].sentAt
        pending.removeFirst(index + 1)
        return .nanoseconds(now - sentAt)
    }

    /// Records that reading is suspended. PONGs cannot be seen, so silence is not counted.
    mutating func readingSuspended() {
        isSuspended = true
        pending = []
        unansweredSince = nil
    }

    mutating func readingResumed(now: Int64) {
        guard isSuspended else { return }
        isSuspended = false
        lastLife = max(lastLife, now)
        nextPing = min(nextPing, pingTime(after: now))
    }
}
