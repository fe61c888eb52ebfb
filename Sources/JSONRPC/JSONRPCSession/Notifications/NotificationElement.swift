// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A notification from the peer, undecoded.
public struct InboundNotification: Sendable, Hashable {
    /// The name of the method.
    public var method: String
    /// An array or an object; `nil` for no params.
    public var params: RawJSON?
    /// The members of the message that are not JSON-RPC's own, such as the `sessionId` of the Chrome DevTools Protocol.
    public var extraMembers: ExtraMembers

    public init(method: String, params: RawJSON?, extraMembers: ExtraMembers = ExtraMembers()) {
        self.method = method
        self.params = params
        self.extraMembers = extraMembers
    }
}

extension InboundNotification {
    /// Returns the notification for the consumers of a message in this one. Its params are the payload.
    func value(_ payload: RawJSON?) -> InboundNotification {
        InboundNotification(method: method, params: payload?.detached(from: params), extraMembers: extraMembers)
    }

    /// The bytes that count against a limit.
    var heldBytes: Int { method.utf8.count + (params?.bytes.count ?? 0) + extraMembers.heldBytes }

    /// Decodes the params. Absent params are decoded as the first of `null`, `{}` and `[]` that the type accepts.
    ///
    /// - Throws: A `DecodingError`, or any other error that the type's decoding throws.
    public func params<T: Decodable>(as type: T.Type, using coder: any MessageCoder = .wireJSON) throws -> T {
        if let params { return try coder.decode(type, from: params) }
        for empty in ["null", "{}", "[]"] {
            if let value = try? coder.decode(type, from: RawJSON(unchecked: Array(empty.utf8))) { return value }
        }
        return try coder.decode(type, from: .null)
    }
}

/// An element of a ``NotificationStream``: a notification, or a gap.
public enum NotificationElement<Value: Sendable>: Sendable {
    /// The decoded params of a notification.
    case value(Value)
    /// At this place in the stream, notifications are missing or may be.
    case gap(NotificationGap)

    /// The value; `nil` for a gap.
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }
}

extension NotificationElement: Equatable where Value: Equatable {}

/// The policy of a stream for notifications that arrive faster than they are consumed.
///
/// Each stream has its own buffer and policy. Dropped notifications leave a gap at their place in the stream. In
/// addition to its capacity, a buffer is limited to notifications of 64 MiB.
public enum NotificationOverflow: Sendable, Hashable {
    /// Keeps the newest `capacity` notifications. Use it for states, where the latest value matters.
    case dropOldest(capacity: Int)
    /// Keeps the oldest `capacity` notifications. Use it for logs, where the beginning matters.
    case dropNewest(capacity: Int)
    /// Keeps the oldest `capacity` notifications. After these, the stream throws
    /// ``NotificationError/overflow(capacity:)``.
    case fail(capacity: Int)
    /// Applies backpressure: stops reading from the connection until the consumer has taken half of the `capacity`
    /// notifications, but at most for `limit`. While nothing is read, calls get no responses, and the peer may consider
    /// the connection dead.
    ///
    /// The stream keeps up to 4096 more notifications that had already arrived when reading stopped. After `limit`, the
    /// stream drops the oldest notifications, as ``dropOldest(capacity:)`` does, until its consumer has caught up.
    case suspend(capacity: Int, limit: Duration)

    /// The default: keeps the newest 1024 notifications.
    public static let standard = NotificationOverflow.dropOldest(capacity: 1024)

    /// The number of notifications that the stream keeps; at least 1.
    public var capacity: Int {
        switch self {
        case .dropOldest(let capacity), .dropNewest(let capacity), .fail(let capacity), .suspend(let capacity, _):
            max(1, capacity)
        }
    }
}

/// The policy of a stream for notifications whose params cannot be decoded.
public enum NotificationDecodingPolicy: Sendable, Hashable {
    /// The iterator throws the decoding error and ends, so a loop ends. This is the default, because it shows at once
    /// that the type is wrong. Other iterators of the stream get the notifications that follow.
    case fail
    /// The stream has a gap with the undecoded notification, and continues.
    case report
}

/// The error of a stream of notifications that ends early.
public enum NotificationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// More notifications waited than ``NotificationOverflow/fail(capacity:)`` allows.
    case overflow(capacity: Int)

    public var description: String {
        switch self {
        case .overflow(let capacity):
            "The stream ended: more than \(capacity) notifications waited for their consumer. Raise the capacity, or "
                + "choose another overflow policy."
        }
    }
}
