// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

/// A request for a subscription. Two equal requests can share one subscription of the server.
public struct SubscriptionRequest: Sendable, Hashable {
    /// The method that subscribes.
    public var method: String
    /// The params of the subscribe request: an array or an object; `nil` for no params.
    public var params: RawJSON?
    /// The method that unsubscribes; `nil` if the protocol has none.
    public var unsubscribe: String?
    /// The form of the server's subscriptions.
    public var style: SubscriptionStyle
    /// Extra members of the subscribe and the unsubscribe request.
    public var options: CallOptions

    /// Makes a request. The default style is ``SubscriptionStyle/ethereum``.
    public init(
        _ method: String, params: RawJSON? = nil, unsubscribe: String?, style: SubscriptionStyle = .ethereum,
        options: CallOptions = CallOptions()
    ) {
        self.method = method
        self.params = params
        self.unsubscribe = unsubscribe
        self.style = style
        self.options = options
    }
}

extension SubscriptionRequest {
    /// The notifications that may belong to a subscription before its id is known.
    var claim: SubscriptionClaim {
        func name(_ method: SubscriptionStyle.NotificationMethod) -> String? {
            switch method {
            case .any: nil
            case .own: self.method
            case .named(let name): name
            }
        }
        switch style.form {
        case .method(let method): return .method(method)
        case .id(let form, let method): return .id(form, method: name(method))
        }
    }

    /// Whether the result of the subscribe request must be an id.
    var needsID: Bool {
        switch style.form {
        case .id: return true
        case .method:
            switch style.unsubscribeParams.form {
            case .position, .name: return true
            case .sameAsSubscribe, .none: return false
            }
        }
    }

    func unsubscribeParams(_ id: SubscriptionID?) -> RawJSON? {
        switch style.unsubscribeParams.form {
        case .sameAsSubscribe: return params
        case .none: return nil
        case .position: return id.map { RawJSON(elements: [$0.json]) }
        case .name(let name): return id.map { RawJSON(members: [(name, $0.json)]) }
        }
    }
}

/// The notifications that may belong to a subscription before its id is known.
enum SubscriptionClaim: Sendable, Hashable {
    /// The notifications of a method.
    case method(String)
    /// The notifications with an id in a form. Each form has ids of its own. `method` is `nil` for any method.
    case id(NotificationForm, method: String?)

    /// Returns whether both claims can concern the same notification with an id.
    func overlaps(_ other: SubscriptionClaim) -> Bool {
        guard case .id(let form, let method) = self, case .id(let otherForm, let otherMethod) = other else {
            return false
        }
        return form == otherForm && (method == nil || otherMethod == nil || method == otherMethod)
    }

    /// The method of the notifications; `nil` for any method.
    var method: String? {
        switch self {
        case .method(let name): name
        case .id(_, let name): name
        }
    }

    /// Whether the id is in the params, in Ethereum's form.
    var isInParams: Bool {
        if case .id(.params, _) = self { true } else { false }
    }

    func accepts(method: String) -> Bool { self.method.map { $0 == method } ?? true }
}

/// The property by which a notification finds its subscriptions.
enum SubscriptionRoute: Sendable, Hashable {
    case method(String)
    case id(NotificationForm, SubscriptionID.Content)

    /// The route with the id of the other type: `"1"` for `1`.
    var counterpart: SubscriptionRoute? {
        guard case .id(let form, let content) = self else { return nil }
        return content.counterpart.map { .id(form, $0) }
    }
}
