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

    /// Makes a notification.
    public init(method: String, params: RawJSON?, extraMembers: ExtraMembers = ExtraMembers()) {
        self.method = method
        self.params = params
        self.extraMembers = extraMembers
    }
}

extension InboundNotification {
    /// The bytes that count against a limit.
    var heldBytes: Int { method.utf8.count + (params?.bytes.count ?? 0) + extraMembers.heldBytes }

    /// Decodes the params. Absent params are decoded as `null`, `{}` or `[]`, as the type accepts.
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

/// A place in a stream where notifications are missing, or may be missing.
public struct NotificationGap: Sendable, Hashable {
    /// The reason for a gap.
    public enum Reason: Sendable, Hashable {
        /// Notifications were dropped: the consumer was too slow, and the buffer of the stream was full. Or they were
        /// members of an array that was too long (`Irregularity.oversizedBatch`); then the count is `nil`.
        case overflow
        /// The client lost its connection and connected again. Notifications that the peer sent meanwhile are missing.
        case reconnected
        /// A ``StreamingCall`` was sent again, because its connection was lost or an interceptor has repeated it. The
        /// progress before the gap belongs to the earlier attempt.
        case repeated
        /// The params could not be decoded. It occurs only with ``NotificationDecodingPolicy/report``.
        case undecodable(InboundNotification, description: String)
    }

    /// The reason for the gap.
    public var reason: Reason
    /// The number of missing notifications; `nil` if it is unknown.
    public var count: Int?

    /// Makes a gap.
    public init(reason: Reason, count: Int?) {
        self.reason = reason
        self.count = count
    }

    /// Returns one gap in place of this gap and the next gap.
    func joined(with next: NotificationGap) -> NotificationGap {
        let reason = self.reason == .reconnected ? self.reason : next.reason
        guard let count, let nextCount = next.count else { return NotificationGap(reason: reason, count: nil) }
        return NotificationGap(reason: reason, count: count + nextCount)
    }
}

extension NotificationGap: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .overflow:
            "\(count.map(String.init) ?? "some") notifications dropped, because more arrived than the buffer holds"
        case .reconnected: "notifications may be missing, because the connection was lost and made again"
        case .repeated: "the call was sent again, and its progress begins anew"
        case .undecodable(let notification, let description):
            "a notification \"\(notification.method)\" could not be decoded: \(description)"
        }
    }
}
