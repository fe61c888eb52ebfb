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
    }

    /// The numbers of subscriptions.
    var subscriptionCounts: SubscriptionCounts { state.withLock { $0.table.subscriptions.counts } }

    /// Returns the id of a subscription in the current session.
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
        let queue = makeQueue(overflow, method: request.method)
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
        let membership = SubscriptionMembership(router: self, key: joined.key, member: joined.member, queue: queue)
        return (joined.key, joined.step, signal, membership)
    }

    /// Removes a consumer.
    ///
    /// - Parameter signal: It is fulfilled when the unsubscribe request, if one is sent, has ended.
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

extension RoutedNotification {
    init(_ message: SubscriptionStyle.Message, _ form: NotificationForm, _ notification: InboundNotification) {
        self.init(
            route: .id(form, message.id.content), id: message.id, kind: message.kind,
            notification: InboundNotification(
                method: notification.method, params: message.payload?.detached(from: notification.params),
                extraMembers: notification.extraMembers))
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
