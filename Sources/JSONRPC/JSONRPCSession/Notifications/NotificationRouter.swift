// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Logging
import Synchronization

/// Delivers notifications to streams, streaming calls and subscriptions. It performs the actions of a ``RouteTable``.
///
/// A session, or a client over time, has one router. Notifications arrive on the transport's thread. The lock of the
/// router is taken before the locks of its queues, and neither user code nor a continuation runs under it. Values are
/// decoded in the consumer's task.
package final class NotificationRouter: Sendable {
    typealias Subscriptions = SubscriptionTable<NotificationQueue>

    struct State {
        var table = RouteTable<NotificationQueue>()
        /// The first subscribe requests under way.
        var openings: [Subscriptions.Key: Opening] = [:]
        weak var driver: SessionDriver?
        var end: NotificationEnd?
        var gate = ReadingGate()
        var gaps = NotificationGap.Counts()
    }

    /// The forms in use so far. A form that was never used costs nothing for each notification.
    enum FormUse: UInt8 {
        case none
        /// Only the most frequent form of subscriptions.
        case params
        /// The table knows the forms of each method.
        case several
    }

    /// The clock of ``NotificationOverflow/suspend(capacity:limit:)``, of streaming calls and of subscriptions.
    let clock: any SessionClock
    /// `nil` if events are not reported.
    private let events: EventHub?
    private let logger: Logger?
    private let formUse = Atomic(FormUse.none.rawValue)
    let state = Mutex(State())

    init(clock: any Clock<Duration>, events: EventHub?, logger: Logger?) {
        self.clock = anchored(clock)
        self.events = events
        self.logger = logger
    }

    package convenience init(clock: any Clock<Duration>) { self.init(clock: clock, events: nil, logger: nil) }

    func formsBecome(_ use: FormUse) { formUse.max(use.rawValue, ordering: .releasing) }

    // MARK: Streams

    /// Returns a stream of the notifications of a method, or of all methods, from now on.
    package func stream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value> {
        let queue = NotificationQueue(self, overflow, method)
        let (id, end) = state.withLock { state -> (UInt64?, NotificationEnd?) in
            // A stream that has ended already is not registered.
            if let end = state.end { return (nil, end) }
            return (state.table.addStream(of: method, queue), nil)
        }
        if let end { queue.finish(end) }
        let registration = ReleaseToken { [self] in
            if let id { state.withLock { $0.table.removeStream(id, of: method) } }
            queue.finish(.finished)
        }
        return NotificationStream(queue: queue, registration: registration, decoding: decoding, decode: decode)
    }

    // MARK: Notifications

    /// Delivers a notification of this program to the streams of its method. Returns `false` if there are none.
    @discardableResult
    package func deliver(_ notification: InboundNotification) -> Bool {
        var pendingWakeups = PendingWakeups()
        defer { pendingWakeups.perform() }
        return deliverToStreams(notification, &pendingWakeups)
    }

    private func deliverToStreams(
        _ notification: InboundNotification, _ pendingWakeups: inout PendingWakeups
    ) -> Bool {
        let queues = state.withLock { $0.table.streams(of: notification.method) }
        for queue in queues { queue.deliver(notification, &pendingWakeups) }
        return !queues.isEmpty
    }

    /// Delivers a notification of the peer. It is called on the transport's thread.
    func deliver(_ notification: InboundNotification, _ pendingWakeups: inout PendingWakeups) -> NotificationReception {
        switch FormUse(rawValue: formUse.load(ordering: .acquiring)) {
        case .none?: break
        case .params?:
            guard let message = NotificationScan.message(inParams: notification.params) else { break }
            let value = notification.value(message.payload)
            if message.kind == .value,
                deliverAtOnce(value, .id(.params, message.id.content), notification, &pendingWakeups)
            {
                return .taken
            }
            let routed = RoutedNotification(message, .params, value)
            return deliver(notification, NotificationMessages(routed), &pendingWakeups)
        case .several?, nil:
            let forms = state.withLock { $0.table.forms(of: notification.method) }
            let messages = NotificationMessages(notification, forms)
            if messages.isEmpty { break }
            if let message = messages.onlyValue,
                deliverAtOnce(message.notification, message.route, notification, &pendingWakeups)
            {
                return .taken
            }
            return deliver(notification, messages, &pendingWakeups)
        }
        return deliverToStreams(notification, &pendingWakeups) ? .taken : .unclaimed
    }

    /// Fast path for the most frequent notification of subscriptions, a value for one active subscription. The streams
    /// get the notification as it is. Returns `false`, and delivers nothing, if the value needs more than that.
    private func deliverAtOnce(
        _ value: InboundNotification, _ route: SubscriptionRoute, _ notification: InboundNotification,
        _ pendingWakeups: inout PendingWakeups
    ) -> Bool {
        let queues = state.withLock { $0.table.routedAtOnce(route, method: notification.method) }
        guard let queues else { return false }
        for queue in queues.consumers { queue.deliver(value, &pendingWakeups) }
        for queue in queues.streams { queue.deliver(notification, &pendingWakeups) }
        return true
    }

    private func deliver(
        _ notification: InboundNotification, _ messages: NotificationMessages, _ pendingWakeups: inout PendingWakeups
    ) -> NotificationReception {
        let now = clock.now
        let routing = change { $0.table.routed(notification, messages, now: now) }
        for (message, queues) in routing.deliveries {
            if let end = message.end {
                for queue in queues { queue.finish(end) }
            } else {
                for queue in queues { queue.deliver(message.notification, &pendingWakeups) }
            }
        }
        for queue in routing.streams { queue.deliver(notification, &pendingWakeups) }
        return routing.reception
    }

    /// Changes the state, and reports the notifications that no subscription has claimed.
    func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, unclaimed) = state.withLock { state -> (Value, [RoutedNotification]) in
            let value = body(&state)
            guard !state.table.subscriptions.unclaimed.isEmpty else { return (value, []) }
            defer { state.table.subscriptions.unclaimed = [] }
            return (value, state.table.subscriptions.unclaimed)
        }
        for message in unclaimed {
            report(message.id.map { .unknown($0) } ?? .unclaimed, of: message.notification)
        }
        return value
    }

    func report(_ reception: NotificationReception, of notification: InboundNotification) {
        switch reception {
        case .taken: return
        case .unknown(let id): publish(.subscription(.unknownID(method: notification.method, id)))
        case .unclaimed: publish(.unhandledNotification(method: notification.method, params: notification.params))
        }
    }

    // MARK: Reports

    package var gapCounts: NotificationGap.Counts { state.withLock { $0.gaps } }

    func publish(_ event: SessionEvent) { events?.publish(event) }

    func publish(_ event: SessionEvent.StreamEvent) {
        logger?.debug("\(event)", metadata: ["jsonrpc.method": "\((event.method ?? "*").onOneLine)"])
        publish(.stream(event))
    }

    // MARK: Reading

    func attach(_ transport: (any MessageTransport)?) { state.withLock { $0.gate.attach(transport) } }

    /// Stops the reading of the connection until the holder releases it.
    func holdReading(_ holder: AnyObject) { state.withLock { $0.gate.hold(holder) } }

    func releaseReading(_ holder: AnyObject) { state.withLock { $0.gate.release(holder) } }

    func renewReadingHold() { state.withLock { $0.gate.renew() } }

    // MARK: Sessions

    /// Attaches a new session, before its first message. Streams get a gap if it is not the first session.
    func sessionOpened(_ transport: any MessageTransport, _ driver: SessionDriver) {
        let isFirst = state.withLock { state in
            state.table.subscriptions.sessionBegan()
            state.driver = driver
            return state.table.subscriptions.session == 1
        }
        if !isFirst { reconnected() }
        attach(transport)
    }

    /// Adds a gap to every stream after a reconnect. Subscriptions get theirs when they are renewed.
    func reconnected() {
        let queues = state.withLock { $0.table.streamQueues }
        for queue in queues { queue.missed(NotificationGap(reason: .reconnected, count: nil)) }
    }

    /// Detaches a session that has ended. Subscriptions that do not outlive it end with the error.
    func sessionEnded(_ error: ClientError?) {
        attach(nil)
        let ended = change { state in
            state.driver = nil
            return state.table.subscriptions.sessionEnded()
        }
        let end = NotificationEnd(error)
        for queue in ended { queue.finish(end) }
    }

    /// Waits until the messages that have already arrived in the current session are delivered.
    func arrivedMessagesAreRead() async {
        guard let driver = state.withLock({ $0.driver }),
            let transport = driver.state.withLock({ $0.outbox.transport })
        else { return }
        await withCheckedContinuation { continuation in transport.afterReading { continuation.resume() } }
    }

    /// Adds a gap to every stream, subscription and call for notifications that may not have been read.
    func skipped() {
        let queues = state.withLock { $0.table.queues }
        for queue in queues { queue.missed(NotificationGap(reason: .overflow, count: nil)) }
    }

    /// Ends all subscriptions and streams. Streams that are made later end at once. The first end wins.
    package func finish(_ end: NotificationEnd) {
        let ended = change { state -> [NotificationQueue] in
            guard state.end == nil else { return [] }
            state.end = end
            return state.table.subscriptions.ended() + state.table.streamQueues
        }
        for queue in ended { queue.finish(end) }
    }
}
