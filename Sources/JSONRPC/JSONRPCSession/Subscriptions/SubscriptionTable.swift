// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The subscriptions of a session, or of a client over time. It does no I/O and reads no clock.
///
/// A subscription belongs to a request and has one consumer, or several if it is shared. Its id is valid in one session
/// only.
struct SubscriptionTable<Consumer: Sendable>: Sendable {
    typealias Key = UInt64

    enum Phase: Sendable, Equatable {
        /// The first subscribe request is under way, or waits for a connection. Can transition to: `active` (the peer
        /// confirms), `abandoned` (all consumers left), removed (the request failed).
        case opening
        /// The peer has confirmed the subscription. Can transition to: `lost` (the session ended), removed (all
        /// consumers left, or the peer ended it).
        case active(SubscriptionID?)
        /// The session ended, and the client has no other session yet. Can transition to: `renewing`, removed.
        case lost
        /// A subscribe request is under way in a later session. Can transition to: `active`, `lost` (the session
        /// ended), `abandoned` (all consumers left), removed (the request failed).
        case renewing
        /// The subscription has no consumers, and the response to its request has not arrived. Can transition to:
        /// removed.
        case abandoned

        var isPending: Bool {
            switch self {
            case .opening, .renewing, .abandoned: true
            case .active, .lost: false
            }
        }
    }

    struct Entry: Sendable {
        let request: SubscriptionRequest
        let claim: SubscriptionClaim
        /// Whether the subscription outlives its session.
        let isRenewed: Bool
        let isShared: Bool
        fileprivate(set) var phase = Phase.opening
        /// The session of the latest subscribe request.
        var session: UInt64
        /// The consumers and, at the same places, their numbers.
        var consumers: [Consumer]
        var members: [UInt64]
        var route: SubscriptionRoute?
    }

    /// The part of an active subscription that its notifications need. It is small, because each notification copies
    /// it.
    struct Target: Sendable {
        let key: Key
        /// The method of its notifications; `nil` for any method.
        let method: String?
        fileprivate(set) var consumers: [Consumer]

        func accepts(_ method: String) -> Bool { self.method == nil || self.method == method }
    }

    private(set) var entries: [Key: Entry] = [:]
    /// The active subscriptions, by their notifications.
    private(set) var routes: [SubscriptionRoute: [Target]] = [:]
    /// The number of subscribe requests under way, by the notifications that they may concern.
    var pending: [SubscriptionClaim: Int] = [:]
    /// The subscriptions that more consumers can join.
    var shared: [SubscriptionRequest: Key] = [:]
    var early: EarlyNotifications
    var recent = RecentRoutes()
    /// Notifications that no subscription has claimed, to be reported.
    var unclaimed: [RoutedNotification] = []
    var forms = FormUses(maximumRetired: 8)
    /// The number of sessions so far. The last of them is the current one.
    private(set) var session: UInt64 = 0
    private(set) var isConnected = false
    var late = 0
    var unknown = 0
    var renewals = 0
    private var nextKey: Key = 0
    private var nextMember: UInt64 = 0

    init(earlyLimits: EarlyNotifications.Limits = EarlyNotifications.Limits()) {
        early = EarlyNotifications(limits: earlyLimits)
    }

    var counts: SubscriptionCounts {
        var counts = SubscriptionCounts()
        for entry in entries.values {
            if case .active = entry.phase { counts.active += 1 } else { counts.pending += 1 }
        }
        counts.lateNotifications = late
        counts.unknownNotifications = unknown
        counts.renewals = renewals
        return counts
    }

    // MARK: Consumers

    enum JoinStep: Sendable, Equatable {
        /// The caller sends the subscribe request.
        case subscribe
        /// The subscribe request of another consumer is under way.
        case wait
        /// The subscription exists.
        case ready
    }

    /// Adds a consumer to a new subscription, or to a shared one.
    mutating func joined(
        _ request: SubscriptionRequest, _ consumer: Consumer, isShared: Bool, isRenewed: Bool
    ) -> (key: Key, member: UInt64, step: JoinStep) {
        nextMember += 1
        if isShared, let key = shared[request], let entry = entries[key], entry.isRenewed == isRenewed {
            entries[key]?.consumers.append(consumer)
            entries[key]?.members.append(nextMember)
            if let (route, index) = target(of: key) { routes[route]?[index].consumers.append(consumer) }
            return (key, nextMember, entry.phase == .opening ? .wait : .ready)
        }
        nextKey += 1
        let claim = request.claim
        entries[nextKey] = Entry(
            request: request, claim: claim, isRenewed: isRenewed, isShared: isShared, session: session,
            consumers: [consumer], members: [nextMember])
        pending[claim, default: 0] += 1
        forms.began(claim)
        if isShared, shared[request] == nil { shared[request] = nextKey }
        return (nextKey, nextMember, .subscribe)
    }

    enum LeaveAction: Sendable, Equatable {
        case doNothing
        /// The subscribe request is cancelled.
        case cancelRequest
        /// The peer gets an unsubscribe request.
        case unsubscribe(SubscriptionRequest, SubscriptionID?)
    }

    /// Removes a consumer. The last one ends the subscription.
    mutating func left(_ key: Key, member: UInt64) -> LeaveAction {
        guard let entry = entries[key], let place = entry.members.firstIndex(of: member) else { return .doNothing }
        entries[key]?.members.remove(at: place)
        entries[key]?.consumers.remove(at: place)
        if let (route, index) = target(of: key) { routes[route]?[index].consumers.remove(at: place) }
        guard entry.members.count == 1 else { return .doNothing }
        switch entry.phase {
        case .opening:
            abandon(key)
            return .cancelRequest
        case .active(let id):
            remove(key)
            return .unsubscribe(entry.request, id)
        case .renewing: abandon(key)
        case .lost: remove(key)
        case .abandoned: break
        }
        return .doNothing
    }

    // MARK: Sessions

    mutating func sessionBegan() {
        session += 1
        isConnected = true
    }

    /// Forgets the ids of the session that has ended. Returns the consumers whose subscriptions end with it.
    mutating func sessionEnded() -> [Consumer] {
        isConnected = false
        var ended: [Consumer] = []
        for (key, entry) in entries {
            switch entry.phase {
            case .opening: continue
            case .active, .renewing:
                if entry.isRenewed {
                    setPhase(key, .lost)
                } else {
                    ended += entry.consumers
                    remove(key)
                }
            case .lost: continue
            case .abandoned: remove(key)
            }
        }
        discardEarly()
        recent = RecentRoutes()
        return ended
    }

    mutating func ended() -> [Consumer] {
        isConnected = false
        let consumers = entries.values.flatMap(\.consumers)
        for key in Array(entries.keys) { remove(key) }
        discardEarly()
        return consumers
    }

    /// Begins to renew the lost subscriptions in the current session.
    mutating func renewalsBegan() -> [(key: Key, request: SubscriptionRequest)] {
        guard isConnected else { return [] }
        // In the order in which they were made.
        let keys = entries.filter { $0.value.phase == .lost }.keys.sorted()
        return keys.compactMap { key in
            entries[key]?.session = session
            setPhase(key, .renewing)
            return entries[key].map { (key, $0.request) }
        }
    }

    // MARK: Entries

    /// Notes that a subscribe request is sent in the current session. Returns the number of the session.
    mutating func requestBegan(_ key: Key) -> UInt64 {
        entries[key]?.session = session
        return session
    }

    mutating func abandon(_ key: Key) {
        entries[key]?.members = []
        entries[key]?.consumers = []
        stopSharing(key)
        setPhase(key, .abandoned)
    }

    private mutating func stopSharing(_ key: Key) {
        if let entry = entries[key], entry.isShared, shared[entry.request] == key { shared[entry.request] = nil }
    }

    /// Changes the phase of a subscription, and its place in the indices.
    mutating func setPhase(_ key: Key, _ phase: Phase) {
        guard let entry = entries[key] else { return }
        let wasPending = entry.phase.isPending
        if case .active = entry.phase { removeRoute(key, entry) }
        entries[key]?.phase = phase
        if phase.isPending, !wasPending { pending[entry.claim, default: 0] += 1 }
        if !phase.isPending, wasPending { endPending(entry.claim) }
    }

    /// Makes an active subscription the receiver of its notifications.
    mutating func setRoute(_ key: Key, _ route: SubscriptionRoute) {
        guard let entry = entries[key] else { return }
        entries[key]?.route = route
        routes[route, default: []].append(
            Target(key: key, method: entry.claim.method, consumers: entry.consumers))
    }

    /// Returns the place of an active subscription in ``routes``.
    private func target(of key: Key) -> (SubscriptionRoute, Int)? {
        guard let route = entries[key]?.route, let index = routes[route]?.firstIndex(where: { $0.key == key }) else {
            return nil
        }
        return (route, index)
    }

    mutating func remove(_ key: Key) {
        stopSharing(key)
        guard let entry = entries.removeValue(forKey: key) else { return }
        if case .active = entry.phase { removeRoute(key, entry) }
        forms.ended(entry.claim)
        if entry.phase.isPending { endPending(entry.claim) }
    }

    private mutating func removeRoute(_ key: Key, _ entry: Entry) {
        guard let route = entry.route else { return }
        entries[key]?.route = nil
        let rest = routes[route]?.filter { $0.key != key } ?? []
        routes[route] = rest.isEmpty ? nil : rest
        recent.insert(route)
    }

    private mutating func endPending(_ claim: SubscriptionClaim) {
        guard let count = pending[claim] else { return }
        pending[claim] = count > 1 ? count - 1 : nil
        if pending.isEmpty { discardEarly() }
    }

    /// Discards the notifications that no subscription has claimed.
    private mutating func discardEarly() {
        guard !early.isEmpty else { return }
        for (route, lane) in early.takeAll() {
            for notification in lane.notifications { giveUp(notification) }
            if recent.contains(route) { late += lane.dropped } else { unknown += lane.dropped }
        }
    }

    /// Counts a notification that no subscription has claimed.
    mutating func giveUp(_ notification: RoutedNotification) {
        if recent.contains(notification.route) {
            late += 1
        } else {
            unknown += 1
            unclaimed.append(notification)
        }
    }
}
