// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import TaskWaits

/// Performs the actions of a ``SubscriptionTable``: it delivers notifications, and sends the requests that subscribe
/// and unsubscribe.
///
/// A session, or a client over time, has one hub. Notifications arrive on the transport's thread. The lock of the hub
/// is taken before the locks of its queues, and neither user code nor a continuation runs under it.
final class SubscriptionHub: Sendable {
    typealias Table = SubscriptionTable<NotificationQueue>

    /// A first subscribe request.
    struct Opening: Sendable {
        let signal: OneTimeSignal
        /// `nil` until the task is stored.
        var task: Task<Void, Never>?
    }

    struct State {
        var table = Table()
        var openings: [Table.Key: Opening] = [:]
        /// The current session.
        weak var driver: SessionDriver?
        var end: NotificationEnd?
    }

    /// The result of the delivery of a notification.
    enum Reception: Sendable, Equatable {
        /// It belongs to a subscription, or may belong to one that is being made.
        case taken
        /// It has an id of no subscription.
        case unknown(SubscriptionID)
        /// It is no notification of a subscription.
        case notSubscribed
    }

    let events: EventHub
    let clock: any SessionClock
    private let queueClock: any Clock<Duration>
    private let gate: ReadingGate
    private let ledger: StreamLedger
    /// Whether there has been a subscription. Without one, notifications cost nothing here.
    private let isUsed = Atomic(false)
    /// Whether all subscriptions so far have their id in the params, the most frequent form.
    private let readsOnlyParams = Atomic(true)
    let state = Mutex(State())

    init(clock: any Clock<Duration>, gate: ReadingGate, events: EventHub, ledger: StreamLedger) {
        self.ledger = ledger
        queueClock = clock
        self.clock = anchored(clock)
        self.gate = gate
        self.events = events
    }

    var counts: SubscriptionCounts { state.withLock { $0.table.counts } }

    /// Returns the id of a subscription in the current session.
    func id(_ key: Table.Key) -> SubscriptionID? {
        state.withLock { state in
            if case .active(let id)? = state.table.entries[key]?.phase { id } else { nil }
        }
    }

    /// Changes the state, and reports the notifications that no subscription has claimed.
    func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, unclaimed) = state.withLock { state -> (Value, [RoutedNotification]) in
            let value = body(&state)
            guard !state.table.unclaimed.isEmpty else { return (value, []) }
            defer { state.table.unclaimed = [] }
            return (value, state.table.unclaimed)
        }
        for notification in unclaimed { report(notification) }
        return value
    }

    private func report(_ unclaimed: RoutedNotification) {
        let (method, params) = (unclaimed.notification.method, unclaimed.notification.params)
        if let id = unclaimed.id {
            events.publish(.subscription(.unknownID(method: method, id)))
        } else {
            events.publish(.unhandledNotification(method: method, params: params))
        }
    }

    // MARK: Consumers

    /// A consumer of a subscription that may not be confirmed yet.
    struct Joining: Sendable {
        let membership: SubscriptionMembership
        let key: Table.Key
        let step: Table.JoinStep
        /// The end of the subscribe request; `nil` if the subscription exists.
        let signal: OneTimeSignal?
    }

    /// Adds a consumer.
    func join(
        _ request: SubscriptionRequest, overflow: NotificationOverflow, isShared: Bool, isRenewed: Bool
    ) -> Joining {
        if !request.claim.isInParams { readsOnlyParams.store(false, ordering: .releasing) }
        isUsed.store(true, ordering: .releasing)
        let queue = NotificationQueue(
            overflow: overflow, gate: gate, clock: queueClock,
            reporter: StreamReporter(ledger: ledger, method: request.method))
        let (joined, signal) = state.withLock { state in
            let joined = state.table.joined(request, queue, isShared: isShared, isRenewed: isRenewed)
            switch joined.step {
            case .subscribe:
                let signal = OneTimeSignal()
                state.openings[joined.key] = Opening(signal: signal)
                return (joined, Optional(signal))
            case .wait: return (joined, state.openings[joined.key]?.signal)
            case .ready: return (joined, nil)
            }
        }
        let membership = SubscriptionMembership(hub: self, key: joined.key, member: joined.member, queue: queue)
        return Joining(membership: membership, key: joined.key, step: joined.step, signal: signal)
    }

    /// Removes a consumer.
    ///
    /// - Parameter signal: It is fulfilled when the unsubscribe request, if one is sent, has ended.
    func leave(_ key: Table.Key, member: UInt64, _ signal: OneTimeSignal) {
        let (action, task, driver) = change { state -> (Table.LeaveAction, Task<Void, Never>?, SessionDriver?) in
            (state.table.left(key, member: member), state.openings[key]?.task, state.driver)
        }
        switch action {
        case .doNothing: break
        case .cancelRequest: task?.cancel()
        case .unsubscribe(let request, let id): if let driver { return unsubscribe(request, id, driver, signal) }
        }
        signal.fulfil(.success(()))
    }

    // MARK: From the session

    /// Attaches a new session, before its first message.
    func sessionOpened(_ driver: SessionDriver) {
        state.withLock { state in
            state.table.sessionBegan()
            state.driver = driver
        }
    }

    /// Detaches a session that has ended. Subscriptions that do not outlive it end with the error.
    func sessionEnded(_ error: ClientError?) {
        let ended = change { state in
            state.driver = nil
            return state.table.sessionEnded()
        }
        let end = error.map { NotificationEnd.failed($0) } ?? .finished
        for queue in ended { queue.finish(end) }
    }

    /// Ends all subscriptions. The first end wins.
    func finish(_ end: NotificationEnd) {
        let ended = change { state -> [NotificationQueue] in
            guard state.end == nil else { return [] }
            state.end = end
            return state.table.ended()
        }
        for queue in ended { queue.finish(end) }
    }

    /// Adds a gap to every subscription for notifications that may not have been read.
    func skipped() {
        guard isUsed.load(ordering: .acquiring) else { return }
        let queues = state.withLock { $0.table.entries.values.flatMap(\.consumers) }
        for queue in queues { queue.missed(NotificationGap(reason: .overflow, count: nil)) }
    }

    /// Delivers a notification to its subscriptions. It is called on the transport's thread.
    func deliver(_ notification: InboundNotification, _ pendingWakeups: inout PendingWakeups) -> Reception {
        guard isUsed.load(ordering: .acquiring) else { return .notSubscribed }
        var scan = NotificationScan(notification)
        if readsOnlyParams.load(ordering: .acquiring) {
            guard let message = scan.message(.params) else { return .notSubscribed }
            return deliver(message, notification, &pendingWakeups)
        }
        let readings = state.withLock { $0.table.readings(of: notification.method) }
        var reception = Reception.notSubscribed
        if readings.byMethod {
            reception = route(
                RoutedNotification(route: .method(notification.method), notification: notification), &pendingWakeups)
        }
        if readings.inParams, let message = scan.message(.params) {
            reception.add(route(RoutedNotification(message, .params, notification), &pendingWakeups))
        }
        for form in readings.others {
            guard let message = scan.message(form) else { continue }
            reception.add(route(RoutedNotification(message, form, notification), &pendingWakeups))
        }
        return reception
    }

    private func deliver(
        _ message: SubscriptionMessage, _ notification: InboundNotification, _ pendingWakeups: inout PendingWakeups
    ) -> Reception {
        let consumers = state.withLock { $0.table.consumers(of: message, method: notification.method) }
        let routed = RoutedNotification(message, .params, notification)
        guard let consumers else { return route(routed, &pendingWakeups) }
        for queue in consumers { queue.deliver(routed.notification, &pendingWakeups) }
        return .taken
    }

    private func route(_ notification: RoutedNotification, _ pendingWakeups: inout PendingWakeups) -> Reception {
        let now = clock.now
        let arrival = change { $0.table.arrived(notification, now: now) }
        switch arrival {
        case .deliver(let queues):
            for queue in queues { queue.deliver(notification.notification, &pendingWakeups) }
            return .taken
        case .end(let queues):
            let end = notification.end
            for queue in queues { queue.finish(end) }
            return .taken
        case .keep, .late: return .taken
        case .unknown: return notification.id.map { .unknown($0) } ?? .notSubscribed
        }
    }
}

extension SubscriptionHub.Reception {
    /// Adds the reception of the same notification in another reading.
    fileprivate mutating func add(_ other: SubscriptionHub.Reception) {
        switch (self, other) {
        case (.taken, _), (_, .notSubscribed): return
        case (_, .taken), (.notSubscribed, _): self = other
        case (.unknown, .unknown): return
        }
    }
}

extension RoutedNotification {
    init(_ message: SubscriptionMessage, _ form: NotificationForm, _ notification: InboundNotification) {
        self.init(
            route: .id(form, message.id.content), id: message.id, kind: message.kind,
            notification: InboundNotification(
                method: notification.method, params: message.payload?.detached(from: notification.params),
                extraMembers: notification.extraMembers))
    }

    /// The end of the subscription, for a notification that ends it.
    var end: NotificationEnd {
        switch kind {
        case .value, .completed: .finished
        case .error: .failed(SubscriptionError.endedByPeer(notification.params ?? .null))
        }
    }
}
