// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Notifications on their way to consumers that wait for them.
///
/// A consumer that is faster than the connection waits for each notification. If it was woken for each of them, waking
/// would cost more than the rest. So the notifications that were read together reach their buffers first, and then the
/// consumers are woken.
struct PendingWakeups: ~Copyable {
    typealias Waiter = CheckedContinuation<NotificationBuffer.Entry?, any Error>

    /// The number of notifications for which consumers wait at most: some 300 microseconds.
    static let limit = 512

    private var waiters: [(waiter: Waiter, notification: InboundNotification)] = []
    /// The number of notifications since the first of ``waiters``.
    private var age = 0

    /// Takes a notification for a consumer, which gets it in ``perform()``.
    mutating func add(_ waiter: Waiter, _ notification: InboundNotification) { waiters.append((waiter, notification)) }

    /// Counts a notification. Returns `true` if the consumers have waited long enough.
    mutating func isDue() -> Bool {
        guard !waiters.isEmpty else { return false }
        age += 1
        return age >= Self.limit
    }

    /// Wakes the consumers, in the order of their notifications.
    mutating func perform() {
        guard !waiters.isEmpty else { return }
        for (waiter, notification) in waiters { waiter.resume(returning: .notification(notification)) }
        waiters.removeAll(keepingCapacity: true)
        age = 0
    }
}
