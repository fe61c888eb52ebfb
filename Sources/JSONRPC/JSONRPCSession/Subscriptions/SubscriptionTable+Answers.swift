// swift-jsonrpc · SPDX-License-Identifier: MIT

// The ends of subscribe requests.
extension SubscriptionTable {
    /// A subscription that the peer has confirmed, and the notifications that came before its response.
    struct Activation: Sendable {
        var consumers: [Consumer]
        /// Whether an earlier session of the subscription was lost.
        var isRenewal: Bool
        /// The number of lost notifications before ``early``.
        var missedBefore = 0
        var early: [RoutedNotification] = []
        /// The number of lost notifications after ``early``.
        var missedAfter = 0
        /// The early notification by which the peer ended the subscription.
        var end: RoutedNotification?
    }

    enum AnswerAction: Sendable {
        case activate(Activation)
        /// The id belongs to another subscription that is alive.
        case refuseDuplicate([Consumer])
        /// The session has ended meanwhile.
        case lose
        /// All consumers have left: the peer gets an unsubscribe request.
        case unsubscribe
    }

    mutating func answered(_ key: Key, in session: UInt64, id: SubscriptionID?, now: SessionTime) -> AnswerAction {
        guard isConnected, session == self.session, let entry = entries[key], entry.session == session else {
            return .lose
        }
        let route = route(entry.claim, id)
        switch entry.phase {
        case .active, .lost: return .lose
        case .abandoned:
            forget(route)
            remove(key)
            return .unsubscribe
        case .opening, .renewing: break
        }
        if isTaken(route, entry.claim) {
            remove(key)
            return .refuseDuplicate(entry.consumers)
        }
        return .activate(activate(key, entry, id, route, now))
    }

    private mutating func activate(
        _ key: Key, _ entry: Entry, _ id: SubscriptionID?, _ route: SubscriptionRoute, _ now: SessionTime
    ) -> Activation {
        for expired in early.expire(now: now) { giveUp(expired) }
        let lane = takeEarly(route)
        recent.remove(route)
        setPhase(key, .active(id))
        setRoute(key, route)
        var activation = Activation(consumers: entry.consumers, isRenewal: entry.phase == .renewing)
        if activation.isRenewal { renewals += 1 }
        activation.missedBefore = lane.expired
        activation.missedAfter = lane.dropped
        for notification in lane.notifications {
            guard entry.claim.accepts(method: notification.notification.method) else {
                giveUp(notification)
                continue
            }
            guard notification.kind == .value else {
                activation.end = notification
                remove(key)
                break
            }
            activation.early.append(notification)
        }
        return activation
    }

    /// Takes the early notifications of a route, or of its counterpart if no other subscription has that.
    private mutating func takeEarly(_ route: SubscriptionRoute) -> EarlyNotifications.Pending {
        // All requests under way for one method get its notifications.
        if case .method(let method) = route, pending[.method(method), default: 0] > 1 { return early.pending(route) }
        let lane = early.take(route)
        guard lane.notifications.isEmpty, lane.dropped == 0, lane.expired == 0, let counterpart = route.counterpart,
            routes[counterpart] == nil
        else { return lane }
        return early.take(counterpart)
    }

    /// Handles the failure of a subscribe request. Returns the consumers, whose subscription has ended.
    ///
    /// - Parameter awaitsAnswer: Whether the response may still come, because the request was cancelled or timed out
    ///   after it was sent.
    mutating func failed(_ key: Key, in session: UInt64?, awaitsAnswer: Bool) -> [Consumer] {
        guard let entry = entries[key], session == nil || entry.session == session else { return [] }
        switch entry.phase {
        case .active, .lost: return []
        case .opening, .renewing, .abandoned: break
        }
        if awaitsAnswer, isConnected, entry.session == self.session { abandon(key) } else { remove(key) }
        return entry.consumers
    }

    /// Handles the loss of the session during a renewal. The next session renews the subscription.
    mutating func renewalLost(_ key: Key, in session: UInt64) {
        guard let entry = entries[key], entry.session == session else { return }
        switch entry.phase {
        case .renewing: setPhase(key, .lost)
        case .abandoned: remove(key)
        case .opening, .active, .lost: return
        }
    }

    /// Handles the response to a subscribe request that was cancelled or timed out. Returns whether the peer must be
    /// told that the subscription ends.
    mutating func answeredLate(_ key: Key, _ request: SubscriptionRequest, id: SubscriptionID?, isError: Bool) -> Bool {
        defer { if let entry = entries[key], entry.phase == .abandoned { remove(key) } }
        guard !isError, id != nil || !request.needsID else { return false }
        let claim = request.claim
        let route = route(claim, id)
        // With an id of another subscription, the request would end that subscription.
        if isTaken(route, claim) { return false }
        forget(route)
        return true
    }

    // MARK: Routes

    private func route(_ claim: SubscriptionClaim, _ id: SubscriptionID?) -> SubscriptionRoute {
        switch (claim, id) {
        case (.id(let form, _), let id?): .id(form, id.content)
        case (.method(let method), _): .method(method)
        // Not reached: the result has been checked.
        case (.id(let form, _), nil): .id(form, .string(""))
        }
    }

    /// Returns whether the id of a route belongs to another subscription that is alive.
    private func isTaken(_ route: SubscriptionRoute, _ claim: SubscriptionClaim) -> Bool {
        guard case .id = route, let targets = routes[route] else { return false }
        return targets.contains { entries[$0.key]?.claim.overlaps(claim) == true }
    }

    /// Counts the early notifications of an unwanted subscription, and remembers its route.
    private mutating func forget(_ route: SubscriptionRoute) {
        recent.insert(route)
        guard case .id = route else { return }
        let lane = early.take(route)
        late += lane.notifications.count + lane.dropped
    }
}
