// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

/// The places of a token and a payload in a notification, as a style describes them. The token is the id of a
/// subscription, or the token of a streaming call.
enum NotificationForm: Sendable, Hashable {
    /// Ethereum's form: the params are `{"subscription": token, "result": payload}`. With `error` in place of `result`,
    /// the payload is an error.
    case params
    /// The token and the payload are members of the params. Without a name for the payload, the params as a whole are
    /// the payload.
    case members(token: String, payload: String?)
    case custom(NotificationExtractor)
}

/// The closure of a custom style.
final class NotificationExtractor: Sendable, IdentityHashable {
    let extract: @Sendable (InboundNotification) -> SubscriptionStyle.Message?

    init(_ extract: @escaping @Sendable (InboundNotification) -> SubscriptionStyle.Message?) { self.extract = extract }
}

/// Reads one notification in several forms. Its params are scanned at most once: for the three members of Ethereum's
/// form if that is the only form, and otherwise for all members.
struct NotificationScan {
    /// The members of the params, none if the params are not an object; `nil` before they are needed.
    private var members: [(name: String, value: RawJSON)]?

    /// Returns the message in a form; `nil` if the notification does not have the form. If a member is repeated, the
    /// last one wins. Forms with names of their own are read first, so that their scan suffices for Ethereum's form.
    mutating func message(_ form: NotificationForm, in notification: InboundNotification) -> SubscriptionStyle.Message?
    {
        let params = notification.params
        switch form {
        case .custom(let extractor): return extractor.extract(notification)
        case .members(let token, let payload):
            guard let id = member(token, params).flatMap({ SubscriptionID($0) }) else { return nil }
            guard let payload else { return SubscriptionStyle.Message(id: id, payload: params) }
            return SubscriptionStyle.Message(id: id, payload: member(payload, params))
        case .params:
            if members == nil { return Self.message(inParams: params) }
            let result = member("result", params)
            guard let id = member("subscription", params).flatMap({ SubscriptionID($0) }),
                let payload = result ?? member("error", params)
            else { return nil }
            return SubscriptionStyle.Message(id: id, payload: payload, kind: result == nil ? .error : .value)
        }
    }

    /// Returns the message in Ethereum's form; `nil` if the params do not have it. It allocates nothing for other
    /// members.
    static func message(inParams params: RawJSON?) -> SubscriptionStyle.Message? {
        guard let params else { return nil }
        var (token, result, error): (Range<Int>?, Range<Int>?, Range<Int>?)
        // The params are valid JSON. Without an object, nothing is found.
        _ = try? params.forEachMember(named: ("subscription", "result", "error")) { place, range in
            switch place {
            case 0: token = range
            case 1: result = range
            default: error = range
            }
        }
        guard let token, let payload = result ?? error,
            let id = SubscriptionID(RawJSON(unchecked: params.bytes[token]))
        else { return nil }
        return SubscriptionStyle.Message(
            id: id, payload: RawJSON(unchecked: params.bytes[payload]), kind: result == nil ? .error : .value)
    }

    private mutating func member(_ name: String, _ params: RawJSON?) -> RawJSON? {
        // The params are valid JSON.
        let members = self.members ?? (try? params?.members()) ?? []
        self.members = members
        return members.last { $0.name == name }?.value
    }
}
