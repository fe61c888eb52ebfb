// swift-jsonrpc · SPDX-License-Identifier: MIT

// The routing of notifications to subscriptions. The cost of each does not depend on the number of subscriptions.
extension SubscriptionTable {
    /// Returns the forms in which a notification with this method must be read.
    func forms(of method: String) -> NotificationForms {
        NotificationForms(
            byMethod: readsMethod(method), inParams: forms.readsParams, others: forms.others(of: method))
    }

    private func readsMethod(_ method: String) -> Bool {
        guard forms.readsMethods else { return false }
        let route = SubscriptionRoute.method(method)
        return routes[route] != nil || pending[.method(method)] != nil || recent.contains(route)
    }

    /// Returns the consumers of a value with the id of one active subscription, the most frequent notification; `nil`
    /// if it needs more than that.
    func consumers(of route: SubscriptionRoute, method: String) -> [Consumer]? {
        guard early.isEmpty, let targets = routes[route], targets.count == 1, targets[0].accepts(method) else {
            return nil
        }
        return targets[0].consumers
    }

    enum Arrival: Sendable {
        case deliver([Consumer])
        /// The peer has ended the subscription of these consumers.
        case end([Consumer])
        /// The notification waits for the response to a subscribe request.
        case keep
        /// The subscription has ended before.
        case late
        /// There is no such subscription.
        case unknown
    }

    mutating func arrived(_ notification: RoutedNotification, now: SessionTime) -> Arrival {
        if !early.isEmpty { for expired in early.expire(now: now) { giveUp(expired) } }
        let method = notification.notification.method
        let targets = activeTargets(notification.route, method)
        let isKept = (targets.isEmpty || notification.id == nil) && isPending(notification, method)
        if isKept, !early.keep(notification, now: now), targets.isEmpty { giveUp(notification) }
        guard targets.isEmpty else { return arrived(notification, at: targets) }
        if isKept { return .keep }
        if recent.contains(notification.route) || notification.route.counterpart.map(recent.contains) == true {
            late += 1
            return .late
        }
        // A notification without an id may belong to another receiver.
        if notification.id != nil { unknown += 1 }
        return .unknown
    }

    private mutating func arrived(_ notification: RoutedNotification, at targets: [Target]) -> Arrival {
        let consumers = targets.count == 1 ? targets[0].consumers : targets.flatMap(\.consumers)
        switch notification.kind {
        case .value: return .deliver(consumers)
        case .error, .completed:
            for target in targets { remove(target.key) }
            return .end(consumers)
        }
    }

    /// Returns the subscriptions of a route. A number and a string with the same digits match only if no subscription
    /// has exactly the id.
    private func activeTargets(_ route: SubscriptionRoute, _ method: String) -> [Target] {
        guard !routes.isEmpty else { return [] }
        let targets = exactTargets(route, method)
        guard targets.isEmpty, let counterpart = route.counterpart else { return targets }
        return exactTargets(counterpart, method)
    }

    private func exactTargets(_ route: SubscriptionRoute, _ method: String) -> [Target] {
        guard let targets = routes[route] else { return [] }
        return targets.allSatisfy { $0.accepts(method) } ? targets : targets.filter { $0.accepts(method) }
    }

    /// Returns whether a subscribe request under way may claim the notification.
    private func isPending(_ notification: RoutedNotification, _ method: String) -> Bool {
        guard !pending.isEmpty else { return false }
        switch notification.route {
        case .method(let name): return pending[.method(name)] != nil
        case .id(let form, _):
            return pending[.id(form, method: nil)] != nil || pending[.id(form, method: method)] != nil
        }
    }
}

/// The forms in which notifications must be read, because a subscription or a streaming call has them.
struct FormUses: Sendable {
    /// The number of claims in other forms that are kept after their last use, for late notifications.
    let maximumRetired: Int
    /// Whether there was a subscription by method.
    private(set) var readsMethods = false
    /// Whether there was a subscription with its id in the params.
    private(set) var readsParams = false
    /// The claims in other forms: those in use, and those that were used last.
    private var claims: [SubscriptionClaim] = []
    private var uses: [SubscriptionClaim: Int] = [:]

    init(maximumRetired: Int) { self.maximumRetired = maximumRetired }

    mutating func began(_ claim: SubscriptionClaim) {
        switch claim {
        case .method: readsMethods = true
        case .id(.params, _): readsParams = true
        case .id:
            uses[claim, default: 0] += 1
            if !claims.contains(claim) { claims.append(claim) }
        }
    }

    mutating func ended(_ claim: SubscriptionClaim) {
        guard let count = uses[claim] else { return }
        uses[claim] = count > 1 ? count - 1 : nil
        while claims.count - uses.count > maximumRetired,
            let oldest = claims.firstIndex(where: { uses[$0] == nil })
        {
            claims.remove(at: oldest)
        }
    }

    /// Returns the other forms of the notifications with a method.
    func others(of method: String) -> [NotificationForm] {
        var forms: [NotificationForm] = []
        for claim in claims where claim.accepts(method: method) {
            if case .id(let form, _) = claim, !forms.contains(form) { forms.append(form) }
        }
        return forms
    }
}
