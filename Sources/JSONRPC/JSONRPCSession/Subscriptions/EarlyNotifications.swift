// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule

/// A notification with the route to its subscriptions.
struct RoutedNotification: Sendable, Hashable {
    var route: SubscriptionRoute
    /// `nil` for a route by method.
    var id: SubscriptionID?
    var kind = SubscriptionStyle.Message.Kind.value
    /// The notification for the consumers: its params are the payload.
    var notification: InboundNotification

    /// The bytes that count against a limit.
    var byteCount: Int { notification.heldBytes + (id?.heldBytes ?? 0) }
}

/// Notifications that arrived before the response to their subscribe request. It reads no clock.
///
/// The notifications of one route keep their order, and those that are kept are consecutive: the oldest expire first,
/// and after the first one without room, all later ones are dropped.
struct EarlyNotifications: Sendable {
    struct Limits: Sendable {
        /// The notifications of all routes together.
        var count = 4096
        var bytes = 16 << 20
        var routes = 1024
        /// The time for which a notification is kept.
        var age = Duration.seconds(10)
    }

    struct Pending: Sendable {
        fileprivate(set) var kept: Deque<(serial: UInt64, notification: RoutedNotification)> = []
        /// The notifications before ``kept`` that have expired.
        fileprivate(set) var expired = 0
        /// The notifications after ``kept`` that found no room.
        fileprivate(set) var dropped = 0

        var notifications: [RoutedNotification] { kept.map(\.notification) }
    }

    private let limits: Limits
    private var routes: [SubscriptionRoute: Pending] = [:]
    /// All kept notifications, the oldest first, and some that were taken meanwhile.
    private var order: Deque<(serial: UInt64, time: SessionTime, route: SubscriptionRoute)> = []
    private var nextSerial: UInt64 = 0
    private(set) var count = 0
    private var bytes = 0

    init(limits: Limits = Limits()) { self.limits = limits }

    var isEmpty: Bool { routes.isEmpty }

    /// Keeps a notification, or counts it if there is no room. Returns `false` if there are too many routes.
    mutating func keep(_ notification: RoutedNotification, now: SessionTime) -> Bool {
        guard routes[notification.route] != nil || routes.count < limits.routes else { return false }
        let size = notification.byteCount
        let hasRoom = count < limits.count && bytes + size <= limits.bytes
        let isKept = hasRoom && routes[notification.route]?.dropped ?? 0 == 0
        guard isKept else {
            routes[notification.route, default: Pending()].dropped += 1
            return true
        }
        routes[notification.route, default: Pending()].kept.append((nextSerial, notification))
        order.append((nextSerial, now, notification.route))
        nextSerial += 1
        count += 1
        bytes += size
        return true
    }

    /// Removes the notifications that are too old, and returns them.
    mutating func expire(now: SessionTime) -> [RoutedNotification] {
        var expired: [RoutedNotification] = []
        while let first = order.first {
            let isCurrent = routes[first.route]?.kept.first?.serial == first.serial
            if isCurrent, now.duration(since: first.time) < limits.age { break }
            order.removeFirst()
            guard isCurrent, let oldest = routes[first.route]?.kept.popFirst() else { continue }
            routes[first.route]?.expired += 1
            count -= 1
            bytes -= oldest.notification.byteCount
            expired.append(oldest.notification)
        }
        return expired
    }

    func pending(_ route: SubscriptionRoute) -> Pending { routes[route] ?? Pending() }

    mutating func take(_ route: SubscriptionRoute) -> Pending {
        guard let pending = routes.removeValue(forKey: route) else { return Pending() }
        count -= pending.kept.count
        for (_, notification) in pending.kept { bytes -= notification.byteCount }
        if routes.isEmpty { order.removeAll() }
        return pending
    }

    mutating func takeAll() -> [SubscriptionRoute: Pending] {
        defer { self = EarlyNotifications(limits: limits) }
        return routes
    }
}

/// The routes of subscriptions that ended recently. The oldest are forgotten first.
struct RecentRoutes: Sendable {
    private let capacity: Int
    private var routes: Set<SubscriptionRoute> = []
    private var order: Deque<SubscriptionRoute> = []

    init(capacity: Int = 1024) { self.capacity = capacity }

    func contains(_ route: SubscriptionRoute) -> Bool { routes.contains(route) }

    mutating func insert(_ route: SubscriptionRoute) {
        guard routes.insert(route).inserted else { return }
        order.append(route)
        // It contains routes that were removed meanwhile.
        while order.count > capacity, let oldest = order.popFirst() { routes.remove(oldest) }
    }

    mutating func remove(_ route: SubscriptionRoute) { routes.remove(route) }
}
