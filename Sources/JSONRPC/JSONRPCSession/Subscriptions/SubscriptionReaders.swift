// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The ways in which notifications must be read to find their subscriptions.
struct SubscriptionReaders: Sendable {
    /// The number of claims in other forms that are kept after their subscriptions, for late notifications.
    private static let maximumRetired = 8

    /// Whether there was a subscription by method.
    private(set) var readsMethods = false
    /// Whether there was a subscription with its id in the params.
    private(set) var readsParams = false
    /// The claims in other forms in use, and the latest that were.
    private(set) var others: [SubscriptionClaim] = []
    private var uses: [SubscriptionClaim: Int] = [:]

    mutating func began(_ claim: SubscriptionClaim) {
        switch claim {
        case .method: readsMethods = true
        case .id(.params, _): readsParams = true
        case .id:
            uses[claim, default: 0] += 1
            if !others.contains(claim) { others.append(claim) }
        }
    }

    mutating func ended(_ claim: SubscriptionClaim) {
        guard let count = uses[claim] else { return }
        uses[claim] = count > 1 ? count - 1 : nil
        while others.count - uses.count > Self.maximumRetired,
            let oldest = others.firstIndex(where: { uses[$0] == nil })
        {
            others.remove(at: oldest)
        }
    }
}
