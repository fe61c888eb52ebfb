// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// The receivers of a peer's notifications: streams by method, streaming calls by token, subscriptions by id. It does
/// no I/O and reads no clock.
struct RouteTable<Queue: Sendable>: Sendable {
    var calls = StreamingCallTable<Queue>()
    var subscriptions = SubscriptionTable<Queue>()
    /// The streams, by method; `nil` for the streams of all notifications.
    private var streams: [String?: [(id: UInt64, queue: Queue)]] = [:]
    /// The streams of the latest notification. Most peers send the same method many times in a row.
    private var latest: (method: String, queues: [Queue])?
    private var nextStream: UInt64 = 0

    // MARK: Streams

    mutating func addStream(of method: String?, _ queue: Queue) -> UInt64 {
        nextStream += 1
        latest = nil
        streams[method, default: []].append((nextStream, queue))
        return nextStream
    }

    mutating func removeStream(_ id: UInt64, of method: String?) {
        latest = nil
        streams[method]?.removeAll { $0.id == id }
        if streams[method]?.isEmpty == true { streams[method] = nil }
    }

    var streamQueues: [Queue] { streams.values.flatMap { $0.map(\.queue) } }

    var queues: [Queue] { streamQueues + subscriptions.entries.values.flatMap(\.consumers) + calls.queues }

    /// Returns the queues of the streams that get the notifications of a method.
    mutating func streams(of method: String) -> [Queue] {
        // Without a stream, a peer's methods are not remembered.
        guard !streams.isEmpty else { return [] }
        if let latest, latest.method == method { return latest.queues }
        let queues = ((streams[method] ?? []) + (streams[nil] ?? [])).map(\.queue)
        if !queues.isEmpty { latest = (method, queues) }
        return queues
    }

    // MARK: Notifications

    /// Returns the forms in which a notification with this method must be read.
    func forms(of method: String) -> NotificationForms {
        var forms = subscriptions.forms(of: method)
        forms.calls = calls.forms(of: method)
        return forms
    }

    /// The queues that get a notification.
    struct Routing: Sendable {
        /// The queues of a call and of subscriptions, which get a part of the params.
        var deliveries: [(message: RoutedNotification, queues: [Queue])] = []
        /// The queues of streams get the notification as it is.
        let streams: [Queue]
        var reception: NotificationReception

        fileprivate init(streams: [Queue]) {
            self.streams = streams
            reception = streams.isEmpty ? .unclaimed : .taken
        }

        fileprivate mutating func add(_ message: RoutedNotification, _ queues: [Queue]) {
            deliveries.append((message, queues))
            reception = .taken
        }
    }

    /// Returns the queues of one active subscription that get a value with its id, and those of streams; `nil` if the
    /// value needs more than that.
    mutating func routedAtOnce(
        _ route: SubscriptionRoute, method: String
    ) -> (consumers: [Queue], streams: [Queue])? {
        guard let consumers = subscriptions.consumers(of: route, method: method) else { return nil }
        return (consumers, streams(of: method))
    }

    mutating func routed(
        _ notification: InboundNotification, _ messages: NotificationMessages, now: SessionTime
    ) -> Routing {
        var routing = Routing(streams: streams(of: notification.method))
        for progress in messages.calls {
            guard let queue = calls.arrived(progress, now: now) else { continue }
            routing.add(progress, [queue])
            break
        }
        if let first = messages.first { route(first, &routing, now) }
        for message in messages.others { route(message, &routing, now) }
        return routing
    }

    private mutating func route(_ message: RoutedNotification, _ routing: inout Routing, _ now: SessionTime) {
        switch subscriptions.arrived(message, now: now) {
        case .deliver(let queues), .end(let queues): routing.add(message, queues)
        case .keep, .late: routing.reception = .taken
        case .unknown:
            if case .unclaimed = routing.reception, let id = message.id { routing.reception = .unknown(id) }
        }
    }
}

/// The result of the delivery of a notification.
enum NotificationReception: Sendable, Equatable {
    /// A call, a subscription or a stream gets it, or a subscription that is being made may get it.
    case taken
    /// Its id belongs to no subscription.
    case unknown(SubscriptionID)
    /// It has no receiver.
    case unclaimed
}

/// The forms in which a notification must be read.
struct NotificationForms: Sendable {
    var calls: [NotificationForm] = []
    /// Whether all notifications of the method may belong to a subscription.
    var byMethod = false
    /// Whether the params may have Ethereum's form.
    var inParams = false
    var others: [NotificationForm] = []
}

/// The messages that were found in a notification.
struct NotificationMessages: Sendable {
    /// The messages that may be progress of streaming calls.
    private(set) var calls: [RoutedNotification] = []
    /// The first message for subscriptions. Most notifications have one.
    private(set) var first: RoutedNotification?
    private(set) var others: [RoutedNotification] = []

    var isEmpty: Bool { calls.isEmpty && first == nil && others.isEmpty }

    /// The message, if there is only one, and if it is a value with the id of a subscription.
    var onlyValue: RoutedNotification? {
        guard calls.isEmpty, others.isEmpty, let first, first.kind == .value, first.id != nil else { return nil }
        return first
    }

    init(_ message: RoutedNotification) { first = message }

    /// Reads a notification. It calls the closures of custom styles, so it must not be called under a lock.
    init(_ notification: InboundNotification, _ forms: NotificationForms) {
        var scan = NotificationScan()
        for form in forms.calls {
            if let message = scan.message(form, in: notification) {
                calls.append(RoutedNotification(message, form, notification.value(message.payload)))
            }
        }
        if forms.byMethod {
            first = RoutedNotification(route: .method(notification.method), notification: notification)
        }
        if forms.inParams, let message = scan.message(.params, in: notification) {
            add(RoutedNotification(message, .params, notification.value(message.payload)))
        }
        for form in forms.others {
            if let message = scan.message(form, in: notification) {
                add(RoutedNotification(message, form, notification.value(message.payload)))
            }
        }
    }

    private mutating func add(_ message: consuming RoutedNotification) {
        if first == nil { first = message } else { others.append(message) }
    }
}
