// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TaskWaits

/// A consumer's place in a subscription. The consumer leaves when the last reference is released.
final class SubscriptionMembership: Sendable {
    let queue: NotificationQueue
    private let router: NotificationRouter
    private let key: NotificationRouter.Subscriptions.Key
    private let member: UInt64
    /// The end of the unsubscribe request; `nil` until the consumer leaves.
    private let leaving = Mutex<OneTimeSignal?>(nil)

    init(
        router: NotificationRouter, key: NotificationRouter.Subscriptions.Key, member: UInt64, queue: NotificationQueue
    ) {
        self.router = router
        self.key = key
        self.member = member
        self.queue = queue
    }

    deinit { _ = leave() }

    var id: SubscriptionID? { router.id(key) }

    /// Leaves, and waits for the answer to the unsubscribe request, if one is sent. A cancelled task does not wait.
    func unsubscribe() async { try? await leave().wait() }

    private func leave() -> OneTimeSignal {
        let (signal, isFirst) = leaving.withLock { leaving in
            if let signal = leaving { return (signal, false) }
            let signal = OneTimeSignal()
            leaving = signal
            return (signal, true)
        }
        if isFirst {
            router.leave(key, member: member, signal)
            queue.finish(.finished)
        }
        return signal
    }
}
