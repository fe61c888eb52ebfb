// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TaskWaits

/// A consumer's place in a subscription. The consumer leaves when the last reference is released.
final class SubscriptionMembership: Sendable {
    let queue: NotificationQueue
    private let hub: SubscriptionHub
    private let key: SubscriptionHub.Table.Key
    private let member: UInt64
    /// The end of the unsubscribe request; `nil` until the consumer leaves.
    private let leaving = Mutex<OneTimeSignal?>(nil)

    init(hub: SubscriptionHub, key: SubscriptionHub.Table.Key, member: UInt64, queue: NotificationQueue) {
        self.hub = hub
        self.key = key
        self.member = member
        self.queue = queue
    }

    deinit { _ = leave() }

    var id: SubscriptionID? { hub.id(key) }

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
            hub.leave(key, member: member, signal)
            queue.finish(.finished)
        }
        return signal
    }
}
