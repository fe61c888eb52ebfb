// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import Synchronization

package enum NotificationEnd: Sendable {
    /// This side ended the stream, so it finishes.
    case finished
    /// The stream throws this error once.
    case failed(any Error)

    init(_ error: ClientError?) { self = error.map { .failed($0) } ?? .finished }
}

/// The buffer of one stream and its waiting consumers. It drives a ``NotificationBuffer``.
@usableFromInline
final class NotificationQueue: Sendable {
    fileprivate typealias Waiter = PendingWakeups.Waiter

    private typealias Waiters = Deque<(id: UInt64, waiter: Waiter)>

    private struct State {
        var buffer: NotificationBuffer
        /// The waiting consumers, in order. There are none while the buffer has entries.
        var waiters: Waiters = []
        var nextWaiter: UInt64 = 0
        /// The waiters that were cancelled before they were registered.
        var cancelled: Set<UInt64> = []
        var end: NotificationEnd?
        var suspension: Suspension?
    }

    private struct Suspension {
        let timer: Task<Void, Never>
        let since: SessionTime
    }

    private let router: NotificationRouter
    /// The name of the stream in events; `nil` for a stream of all notifications.
    private let method: String?
    private let state: Mutex<State>

    init(_ router: NotificationRouter, _ overflow: NotificationOverflow, _ method: String?) {
        self.router = router
        self.method = method
        state = Mutex(State(buffer: NotificationBuffer(overflow: overflow)))
    }

    var count: Int { state.withLock { $0.buffer.count } }

    // MARK: From the session

    fileprivate enum Delivery {
        /// A consumer waits, and gets the entry after the lock is released.
        case hand(Waiter)
        case suspend(NotificationBuffer.Suspension)
        case drop(NotificationBuffer.Drops)
        case nothing
    }

    /// Adds a notification. It is called on the transport's thread. A consumer that waits for it is woken later.
    func deliver(_ notification: InboundNotification, _ pendingWakeups: inout PendingWakeups) {
        if let waiter = perform(place(notification)) { pendingWakeups.add(waiter, notification) }
    }

    func missed(_ gap: NotificationGap) {
        router.state.withLock { $0.gaps.add(gap) }
        perform(place(gap))?.resume(returning: .gap(gap))
    }

    /// An entry that was added under a lock of the caller. Its side effects are performed after the lock is released.
    struct Staged: Sendable {
        fileprivate let queue: NotificationQueue
        fileprivate let entry: NotificationBuffer.Entry
        fileprivate let delivery: Delivery

        func perform() { queue.perform(delivery)?.resume(returning: entry) }
    }

    func stage(_ notification: InboundNotification) -> Staged {
        Staged(queue: self, entry: .notification(notification), delivery: place(notification))
    }

    /// Adds a gap, which the caller counts.
    func stage(_ gap: NotificationGap) -> Staged { Staged(queue: self, entry: .gap(gap), delivery: place(gap)) }

    private func place(_ notification: InboundNotification) -> Delivery {
        state.withLock { state in
            guard state.end == nil else { return .nothing }
            if let (_, waiter) = state.waiters.popFirst() { return .hand(waiter) }
            switch state.buffer.arrived(notification) {
            case .doNothing: return state.buffer.takeDrops().map { .drop($0) } ?? .nothing
            case .suspend(let suspension): return .suspend(suspension)
            case .fail:
                state.end = .failed(NotificationError.overflow(capacity: state.buffer.overflow.capacity))
                return .nothing
            }
        }
    }

    private func place(_ gap: NotificationGap) -> Delivery {
        state.withLock { state in
            guard state.end == nil else { return .nothing }
            if let (_, waiter) = state.waiters.popFirst() { return .hand(waiter) }
            state.buffer.missed(gap)
            return .nothing
        }
    }

    /// Performs the side effects of an added entry. Returns the consumer that gets it.
    private func perform(_ delivery: consuming Delivery) -> Waiter? {
        switch delivery {
        case .hand(let waiter): return waiter
        case .suspend(let suspension): begin(suspension)
        case .drop(let drops): report(drops)
        case .nothing: break
        }
        return nil
    }

    private func report(_ drops: NotificationBuffer.Drops) {
        router.state.withLock { $0.gaps.add(drops) }
        if drops.begins { router.publish(.dropping(method: method)) }
    }

    /// Ends the stream: consumers get the buffered entries, then the end. The first end wins.
    func finish(_ end: NotificationEnd) {
        var drops: NotificationBuffer.Drops?
        let (waiters, suspension, resumes) = state.withLock { state in
            guard state.end == nil else { return ([] as Waiters, nil as Suspension?, false) }
            let resumes = state.buffer.ended()
            drops = state.buffer.takeDrops()
            defer { state.waiters = [] }
            // If a consumer waits, the buffer is empty, so the first consumer gets the end.
            state.end = state.waiters.isEmpty ? end : .finished
            return (state.waiters, state.suspension.take(), resumes)
        }
        if resumes { resume(suspension) }
        if let drops { report(drops) }
        for (index, (_, waiter)) in waiters.enumerated() {
            if index == 0, case .failed(let error) = end {
                waiter.resume(throwing: error)
            } else {
                waiter.resume(returning: nil)
            }
        }
    }

    // MARK: From the consumer

    /// Returns the next entry if the buffer has one. In a cancelled task it returns `nil`, and ``next()`` throws.
    @usableFromInline
    func takeBuffered() -> NotificationBuffer.Entry? {
        if Task.isCancelled { return nil }
        var suspension: Suspension?
        let action = state.withLock { state in
            let action = state.buffer.taken()
            if action.resumes { suspension = state.suspension.take() }
            return action
        }
        return perform(action, suspension)
    }

    /// Performs the side effects of a taken entry, and returns it.
    private func perform(
        _ action: NotificationBuffer.TakeAction, _ suspension: Suspension?
    ) -> NotificationBuffer.Entry? {
        if action.resumes { resume(suspension) }
        if action.caughtUp > 0 { router.publish(.caughtUp(method: method, dropped: action.caughtUp)) }
        return action.entry
    }

    /// Waits for the next entry. Returns `nil` at the end.
    @usableFromInline
    func next() async throws -> NotificationBuffer.Entry? {
        let id = state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        // The cancellation handler has ended when this call returns, so the entry can be removed.
        defer { if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(id) } } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { take(id, $0) }
        } onCancel: {
            cancel(id)
        }
    }

    private func take(_ id: UInt64, _ waiter: Waiter) {
        enum Taking {
            case entry(NotificationBuffer.TakeAction, Suspension?)
            case end(NotificationEnd)
            case cancelled
            case waits
        }
        let taking: Taking = state.withLock { state in
            if state.cancelled.remove(id) != nil { return .cancelled }
            let action = state.buffer.taken()
            if action.entry != nil { return .entry(action, action.resumes ? state.suspension.take() : nil) }
            if let end = state.end {
                // The error is thrown once. Then the stream is finished.
                state.end = .finished
                return .end(end)
            }
            state.waiters.append((id, waiter))
            return .waits
        }
        switch taking {
        case .entry(let action, let suspension): waiter.resume(returning: perform(action, suspension))
        case .end(.finished): waiter.resume(returning: nil)
        case .end(.failed(let error)): waiter.resume(throwing: error)
        case .cancelled: waiter.resume(throwing: CancellationError())
        case .waits: break
        }
    }

    private func cancel(_ id: UInt64) {
        let waiter: Waiter? = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.waiters.remove(at: index).waiter
        }
        waiter?.resume(throwing: CancellationError())
    }

    // MARK: Suspension

    private func begin(_ suspension: NotificationBuffer.Suspension) {
        let clock = router.clock
        router.holdReading(self)
        let since = clock.now
        // Published before the consumer can report the end of the suspension.
        router.publish(.readingSuspended(method: method, limit: suspension.limit))
        let timer = Task { [weak self] in
            guard await clock.isReached(clock.now.advanced(by: suspension.limit)) else { return }
            self?.expired(suspension)
        }
        // The consumer may have ended the suspension meanwhile.
        let isOver = state.withLock { state in
            guard state.buffer.isIn(suspension) else { return true }
            state.suspension = Suspension(timer: timer, since: since)
            return false
        }
        guard isOver else { return }
        timer.cancel()
        reportResumption(since: since)
    }

    /// Resumes reading from the connection.
    ///
    /// - Parameter suspension: `nil` if ``begin(_:)`` has not ended yet. Then that function reports the end.
    private func resume(_ suspension: Suspension?) {
        router.releaseReading(self)
        guard let suspension else { return }
        suspension.timer.cancel()
        reportResumption(since: suspension.since)
    }

    private func reportResumption(since: SessionTime) {
        router.publish(.readingResumed(method: method, after: router.clock.now.duration(since: since)))
    }

    @usableFromInline
    func undecodable(_ gap: NotificationGap) { router.state.withLock { $0.gaps.add(gap) } }

    private func expired(_ suspension: NotificationBuffer.Suspension) {
        let (resumes, drops) = state.withLock { state in
            guard state.buffer.expired(suspension) else { return (false, nil as NotificationBuffer.Drops?) }
            state.suspension = nil
            return (true, state.buffer.takeDrops())
        }
        guard resumes else { return }
        router.releaseReading(self)
        router.publish(.suspensionExpired(method: method, limit: suspension.limit))
        if let drops { report(drops) }
    }
}

/// Notifications on their way to consumers that wait for them.
///
/// A consumer that is faster than the connection waits for each notification. Waking it for each one would cost more
/// than all other work. So the notifications that were read together reach their buffers first, and then the consumers
/// are woken.
struct PendingWakeups: ~Copyable {
    typealias Waiter = CheckedContinuation<NotificationBuffer.Entry?, any Error>

    /// Consumers wait for at most this many notifications, which takes some 300 microseconds.
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
