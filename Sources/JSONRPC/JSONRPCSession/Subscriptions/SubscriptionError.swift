// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The error of a subscription that could not be made or was ended by the peer.
public enum SubscriptionError: Error, Sendable, Hashable {
    /// The result of the subscribe request is not an id: it is neither a string nor an integer, or it is longer than
    /// ``SubscriptionID/maximumBytes``.
    case invalidID(method: String, RawJSON)
    /// The result of the subscribe request is the id of another subscription that is alive. The client does not send an
    /// unsubscribe request, because that would end the other subscription.
    case duplicateID(method: String, SubscriptionID)
    /// The peer ended the subscription with an error. The value is the error as the peer sent it.
    case endedByPeer(RawJSON)
    /// The peer answered the unsubscribe request with `false`: it did not know the subscription.
    case unknownToPeer
}

extension SubscriptionError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidID(let method, let result):
            "Could not subscribe by `\(method)`: expected a string or an integer of at most "
                + "\(SubscriptionID.maximumBytes) bytes as the id of the subscription, found \(result.text.onOneLine)."
        case .duplicateID(let method, let id):
            "Could not subscribe by `\(method)`: the peer returned the id \(id.json.text.onOneLine), which another "
                + "subscription has."
        case .endedByPeer(let error): "The peer ended the subscription with an error: \(error.text.onOneLine)"
        case .unknownToPeer: "The peer answered `false`: it did not know the subscription."
        }
    }
}

extension SessionEvent {
    /// An event of subscriptions. A client publishes it as ``SessionEvent/subscription(_:)``.
    public enum SubscriptionEvent: Sendable {
        /// A client that reconnects has subscribed again, and the peer has confirmed it. The stream of each consumer
        /// has a gap with the reason ``NotificationGap/Reason/reconnected``. The value is the method of the subscribe
        /// request.
        case renewed(method: String)
        /// A notification has the id of no subscription.
        case unknownID(method: String, SubscriptionID)
        /// An unsubscribe request failed, so the peer may send further notifications. The id is `nil` if the style has
        /// none.
        case unsubscribeFailed(method: String, SubscriptionID?, any Error)
    }
}

extension SessionEvent.SubscriptionEvent: CustomStringConvertible {
    public var description: String {
        switch self {
        case .renewed(let method): "The subscription by `\(method.onOneLine)` was renewed."
        case .unknownID(let method, let id):
            "The notification \"\(method.onOneLine)\" has the id \(id.json.text.onOneLine) of no subscription."
        case .unsubscribeFailed(let method, let id, let error):
            "Could not unsubscribe\(id.map { " " + $0.json.text.onOneLine } ?? "") by `\(method)`: "
                + "\(error)".onOneLine
        }
    }

    /// The bytes of the peer's messages in the event.
    var byteCount: Int {
        switch self {
        case .renewed: 0
        case .unknownID(let method, let id): method.utf8.count + id.json.bytes.count
        case .unsubscribeFailed(_, let id, let error): (id?.json.bytes.count ?? 0) + error.heldBytes
        }
    }
}

/// The numbers of subscriptions and of the notifications that reached none.
public struct SubscriptionCounts: Sendable, Hashable {
    /// The subscriptions that the peer has confirmed and that have consumers.
    public var active = 0
    /// The subscriptions without a confirmation: the subscribe request is under way, or waits for a connection.
    public var pending = 0
    /// The notifications that arrived after the end of their subscription.
    public var lateNotifications = 0
    /// The notifications with an id of no subscription.
    public var unknownNotifications = 0
    /// The subscriptions that a client has renewed after a reconnect, each time counted.
    public var renewals = 0
}
