// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The form of a server's subscriptions: how its notifications name their subscription and carry their values.
public struct SubscriptionStyle: Sendable, Hashable {
    /// The params of an unsubscribe request.
    public struct UnsubscribeParams: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case position
            case name(String)
            case sameAsSubscribe
            case none
        }

        let form: Form

        /// An array with the id: `["0x1"]`.
        public static let id = UnsubscribeParams(form: .position)
        /// The params of the subscribe request.
        public static let sameAsSubscribe = UnsubscribeParams(form: .sameAsSubscribe)
        /// No params.
        public static let none = UnsubscribeParams(form: .none)

        /// An object with the id as its only member: `{"subscription":"0x1"}`.
        public static func id(named name: String) -> UnsubscribeParams { UnsubscribeParams(form: .name(name)) }
    }

    /// The notifications of a subscription.
    let claim: SubscriptionClaim
    /// Whether the notifications have the method of the subscribe request. The method of the claim is then `nil`.
    let usesRequestMethod: Bool

    /// The params of an unsubscribe request. The default is ``UnsubscribeParams/id``, and
    /// ``UnsubscribeParams/sameAsSubscribe`` for ``methodName(_:)``.
    public var unsubscribeParams: UnsubscribeParams

    private init(
        _ claim: SubscriptionClaim, usesRequestMethod: Bool = false, unsubscribeParams: UnsubscribeParams = .id
    ) {
        self.claim = claim
        self.usesRequestMethod = usesRequestMethod
        self.unsubscribeParams = unsubscribeParams
    }

    // MARK: The id in the params

    /// Ethereum's form: the params of a notification are `{"subscription": id, "result": value}`. The notification may
    /// have any method.
    ///
    /// Params with `error` in place of `result` end the subscription with ``SubscriptionError/endedByPeer(_:)``.
    public static let ethereum = SubscriptionStyle(.id(.params, method: nil))

    /// Ethereum's form, with one method for the notifications. Use it for a server that counts the ids of each kind of
    /// subscription separately.
    public static func ethereum(notification method: String) -> SubscriptionStyle {
        SubscriptionStyle(.id(.params, method: method))
    }

    /// jsonrpsee's form: as ``ethereum``, and the notifications have the method of the subscribe request.
    ///
    /// A notification with `error` in place of `result` ends the subscription with
    /// ``SubscriptionError/endedByPeer(_:)``, as in jsonrpsee's own client.
    public static let jsonrpsee = SubscriptionStyle(.id(.params, method: nil), usesRequestMethod: true)

    /// jsonrpsee's form, with a method for the notifications that differs from the method of the subscribe request
    /// (`#[subscription(name = "sub" => "notification")]`).
    public static func jsonrpsee(notification method: String) -> SubscriptionStyle {
        SubscriptionStyle(.id(.params, method: method))
    }

    // MARK: Other forms

    /// A form without an id: all notifications of a method belong to the subscription, and their params are the values.
    ///
    /// The result of the subscribe request may be any value. Two subscriptions with the same notification method both
    /// get every notification.
    public static func methodName(_ method: String) -> SubscriptionStyle {
        SubscriptionStyle(.method(method), unsubscribeParams: .sameAsSubscribe)
    }

    /// A form of your own.
    ///
    /// Make the style once, and use it for all subscriptions of its form: each notification passes through the closure
    /// of every style in use, so each additional style costs time.
    ///
    /// - Parameters:
    ///   - method: The method of the notifications. The default is `nil`: any method.
    ///   - extract: Returns the id, the value and the kind of a notification; `nil` if the notification does not belong
    ///     to a subscription. It is called on the transport's thread, without a lock, so it must return quickly and
    ///     must not block.
    public static func custom(
        notification method: String? = nil,
        _ extract: @escaping @Sendable (InboundNotification) -> SubscriptionStyle.Message?
    ) -> SubscriptionStyle {
        SubscriptionStyle(.id(.custom(NotificationExtractor(extract)), method: method))
    }
}

extension SubscriptionStyle {
    /// A notification of a subscription, as a ``SubscriptionStyle`` reads it.
    public struct Message: Sendable, Hashable {
        /// The kind of a message.
        public enum Kind: Sendable, Hashable {
            /// The payload is a value.
            case value
            /// The payload is an error. It ends the subscription with ``SubscriptionError/endedByPeer(_:)``.
            case error
            /// The peer has ended the subscription: its stream finishes.
            case completed
        }

        /// The id of the subscription.
        public var id: SubscriptionID
        /// The value or the error; `nil` for none.
        public var payload: RawJSON?
        /// The kind of the message.
        public var kind: Kind

        /// Makes a message. The default kind is a value.
        public init(id: SubscriptionID, payload: RawJSON?, kind: Kind = .value) {
            self.id = id
            self.payload = payload
            self.kind = kind
        }
    }
}
