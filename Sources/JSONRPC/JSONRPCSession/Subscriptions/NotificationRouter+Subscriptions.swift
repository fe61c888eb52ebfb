// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import TaskWaits

// The consumers of subscriptions.
extension NotificationRouter {
    /// A first subscribe request.
    struct Opening: Sendable {
        let signal: OneTimeSignal
        /// `nil` until the task is stored.
        var task: Task<Void, Never>?
        /// `nil` until the task is stored.
        var answer: LateAnswer?
    }

    var subscriptionCounts: SubscriptionCounts { state.withLock { $0.table.subscriptions.counts } }

    func id(_ key: Subscriptions.Key) -> SubscriptionID? {
        state.withLock { state in
            if case .active(let id)? = state.table.subscriptions.entries[key]?.phase { id } else { nil }
        }
    }

    // MARK: Consumers

    /// Adds a consumer of a subscription that may not be confirmed yet. Returns a signal for the end of the subscribe
    /// request; `nil` if the subscription exists.
    func join(
        _ request: SubscriptionRequest, overflow: NotificationOverflow, isShared: Bool, isRenewed: Bool
    ) -> (
        key: Subscriptions.Key, step: Subscriptions.JoinStep, signal: OneTimeSignal?, membership: SubscriptionMembership
    ) {
        formsBecome(request.claim.isInParams ? .params : .several)
        let queue = NotificationQueue(self, overflow, request.method)
        let (joined, signal) = state.withLock { state in
            let joined = state.table.subscriptions.joined(request, queue, isShared: isShared, isRenewed: isRenewed)
            switch joined.step {
            case .subscribe:
                let signal = OneTimeSignal()
                state.openings[joined.key] = Opening(signal: signal)
                return (joined, Optional(signal))
            case .wait: return (joined, state.openings[joined.key]?.signal)
            case .ready: return (joined, nil)
            }
        }
        let membership = SubscriptionMembership(self, joined.key, joined.member, queue)
        return (joined.key, joined.step, signal, membership)
    }

    /// Removes a consumer. The signal is fulfilled when the unsubscribe request, if one is sent, has ended.
    func leave(_ key: Subscriptions.Key, member: UInt64, _ signal: OneTimeSignal) {
        let (action, task, driver) = change {
            state -> (Subscriptions.LeaveAction, Task<Void, Never>?, SessionDriver?) in
            (state.table.subscriptions.left(key, member: member), state.openings[key]?.task, state.driver)
        }
        switch action {
        case .doNothing: break
        case .cancelRequest: task?.cancel()
        case .unsubscribe(let request, let id): if let driver { return unsubscribe(request, id, driver, signal) }
        }
        signal.fulfil(.success(()))
    }
}

/// A consumer's place in a subscription. The consumer leaves when the last reference is released.
final class SubscriptionMembership: Sendable {
    let queue: NotificationQueue
    private let router: NotificationRouter
    private let key: NotificationRouter.Subscriptions.Key
    private let member: UInt64
    private let hasLeft = Atomic(false)
    /// The end of the unsubscribe request.
    private let end = OneTimeSignal()

    fileprivate init(
        _ router: NotificationRouter, _ key: NotificationRouter.Subscriptions.Key, _ member: UInt64,
        _ queue: NotificationQueue
    ) {
        self.router = router
        self.key = key
        self.member = member
        self.queue = queue
    }

    deinit { leave() }

    var id: SubscriptionID? { router.id(key) }

    /// Leaves, and waits for the answer to the unsubscribe request, if one is sent. A cancelled task does not wait.
    func unsubscribe() async {
        leave()
        try? await end.wait()
    }

    private func leave() {
        guard !hasLeft.exchange(true, ordering: .acquiringAndReleasing) else { return }
        router.leave(key, member: member, end)
        queue.finish(.finished)
    }
}

extension RoutedNotification {
    /// - Parameter notification: The notification for the consumers, with the payload of the message.
    init(_ message: SubscriptionStyle.Message, _ form: NotificationForm, _ notification: InboundNotification) {
        self.init(
            route: .id(form, message.id.content), id: message.id, kind: message.kind, notification: notification)
    }

    /// The end of the subscription; `nil` for a value.
    var end: NotificationEnd? {
        switch kind {
        case .value: nil
        case .completed: .finished
        case .error: .failed(SubscriptionError.endedByPeer(notification.params ?? .null))
        }
    }
}
