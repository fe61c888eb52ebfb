// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TaskWaits

/// Counts the notifications of one handler. It outlives the handler's ``HandlerQueue`` until all are handled.
final class NotificationTally: Sendable {
    /// The bytes of the messages that wait or are in their handler.
    let bytes = Atomic<Int>(0)
    private let queued = Atomic<UInt64>(0)
    private let handled = Atomic<UInt64>(0)
    /// Whether there are waiters. Without them, a handled notification takes no lock.
    private let isAwaited = Atomic(false)

    private let waits = Mutex(ConditionWaits<UInt64>())

    /// Counts a notification, after it was queued. Its handler may have handled it already.
    func noteQueued() { queued.wrappingAdd(1, ordering: .releasing) }

    /// Counts a handled notification.
    func noteHandled() {
        let count = handled.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        // Either this load sees the waiter, or the waiter sees the count.
        guard isAwaited.load(ordering: .sequentiallyConsistent) else { return }
        let met = waits.withLock { waits in
            let met = waits.takeMet(by: count)
            if waits.isEmpty { isAwaited.store(false, ordering: .sequentiallyConsistent) }
            return met
        }
        met.resume(returning: true)
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
        let wait = waits.withLock { waits -> CancellableWait<Bool>? in
            isAwaited.store(true, ordering: .sequentiallyConsistent)
            guard handled.load(ordering: .sequentiallyConsistent) < target else {
                if waits.isEmpty { isAwaited.store(false, ordering: .sequentiallyConsistent) }
                return nil
            }
            return waits.add { $0 >= target }
        }
        guard let wait else { return }
        defer { waits.withLock { $0.remove(wait) } }
        _ = try await wait.value()
    }
}

/// The handlers of one ``HandlerRegistry``, to recognize a task that runs one of them.
final class NotificationHandlers: Sendable {
    /// The handlers that the current task belongs to.
    @TaskLocal static var current: NotificationHandlers?
}
