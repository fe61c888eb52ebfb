// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Counts the notifications of one handler. It outlives the handler's ``HandlerQueue`` until all are handled.
final class NotificationTally: Sendable {
    /// The bytes of the messages that wait or are in their handler.
    let bytes = Atomic<Int>(0)
    private let queued = Atomic<UInt64>(0)
    private let handled = Atomic<UInt64>(0)
    /// Whether there are waiters. Without them, a handled notification takes no lock.
    private let isAwaited = Atomic(false)

    private struct Waiters {
        var entries: [UInt64: (target: UInt64, signal: OneTimeSignal)] = [:]
        var nextID: UInt64 = 0
    }

    private let waiters = Mutex(Waiters())

    /// Counts a notification, after it was queued. Its handler may have handled it already.
    func noteQueued() { queued.wrappingAdd(1, ordering: .releasing) }

    /// Counts a handled notification.
    func noteHandled() {
        let count = handled.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        // Either this load sees the waiter, or the waiter sees the count.
        guard isAwaited.load(ordering: .sequentiallyConsistent) else { return }
        let signals = waiters.withLock { waiters -> [OneTimeSignal] in
            let reached = waiters.entries.filter { $0.value.target <= count }
            for id in reached.keys { waiters.entries[id] = nil }
            if waiters.entries.isEmpty { isAwaited.store(false, ordering: .sequentiallyConsistent) }
            return reached.values.map(\.signal)
        }
        for signal in signals { signal.fulfil(.success(())) }
    }

    /// The count of queued notifications, to wait for; `nil` if all are handled.
    var target: UInt64? {
        let target = queued.load(ordering: .acquiring)
        return handled.load(ordering: .acquiring) < target ? target : nil
    }

    /// Waits until so many notifications are handled.
    ///
    /// - Throws: A `CancellationError`.
    func reached(_ target: UInt64) async throws {
        let signal = OneTimeSignal()
        let id = waiters.withLock { waiters -> UInt64? in
            isAwaited.store(true, ordering: .sequentiallyConsistent)
            guard handled.load(ordering: .sequentiallyConsistent) < target else {
                if waiters.entries.isEmpty { isAwaited.store(false, ordering: .sequentiallyConsistent) }
                return nil
            }
            waiters.nextID += 1
            waiters.entries[waiters.nextID] = (target, signal)
            return waiters.nextID
        }
        guard let id else { return }
        do {
            try await signal.wait()
        } catch {
            waiters.withLock { _ = $0.entries.removeValue(forKey: id) }
            throw error
        }
    }
}

/// The handlers of one ``HandlerRegistry``, to recognize a task that runs one of them.
final class NotificationHandlers: Sendable {
    /// The handlers that the current task belongs to.
    @TaskLocal static var current: NotificationHandlers?
}
