// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A notification as it came.
public struct InboundNotification: Sendable, Hashable {
    public var method: String
    /// Nil when the message has none.
    public var params: RawJSON?
    /// What else the message has, such as the `sessionId` of Chrome's DevTools protocol.
    public var extraMembers: ExtraMembers

    public init(method: String, params: RawJSON?, extraMembers: ExtraMembers = ExtraMembers()) {
        self.method = method
        self.params = params
        self.extraMembers = extraMembers
    }
}

extension InboundNotification {
    /// Decodes the params. Absent ones are decoded as `null`, `{}` or `[]`, whichever the type takes.
    ///
    /// - Throws: a `DecodingError`, or what the type's own decoding throws.
    public func params<T: Decodable>(as type: T.Type, using coder: any MessageCoder = .wireJSON) throws -> T {
        if let params { return try coder.decode(type, from: params) }
        for empty in ["null", "{}", "[]"] {
            if let value = try? coder.decode(type, from: RawJSON(unchecked: Array(empty.utf8))) { return value }
        }
        return try coder.decode(type, from: .null)
    }
}

/// What a ``NotificationStream`` gives: a notification, or the knowledge that some are missing.
public enum NotificationElement<Value: Sendable>: Sendable {
    /// A notification's params.
    case value(Value)
    /// At this place in the stream, notifications are missing or may be.
    case gap(NotificationGap)

    /// The value, nil for a gap.
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }
}

extension NotificationElement: Equatable where Value: Equatable {}

/// Why notifications are missing, and how many.
public struct NotificationGap: Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// More notifications came than this side keeps: the consumer was slower than the peer, and the stream's
        /// buffer was full; or they were members of an array that was too long
        /// (`Irregularity.oversizedBatch`), and then the count is `nil`.
        case overflow
        /// The connection was lost and made anew: what the peer sent in between did not come.
        case reconnected
        /// The params could not be decoded. Only with ``NotificationDecodingPolicy/report``.
        case undecodable(InboundNotification, description: String)
    }

    public var reason: Reason
    /// How many are missing; nil where nobody can know.
    public var count: Int?

    public init(reason: Reason, count: Int?) {
        self.reason = reason
        self.count = count
    }

    /// One gap that stands for this one and the next: gaps which meet become one.
    func joined(with next: NotificationGap) -> NotificationGap {
        let reason = self.reason == .reconnected ? self.reason : next.reason
        guard let count, let nextCount = next.count else { return NotificationGap(reason: reason, count: nil) }
        return NotificationGap(reason: reason, count: count + nextCount)
    }
}

extension NotificationGap: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .overflow: "\(count.map(String.init) ?? "some") notifications dropped, since more came than are kept"
        case .reconnected: "notifications may be missing, since the connection was lost and made anew"
        case .undecodable(let notification, let description):
            "a notification \"\(notification.method)\" could not be decoded: \(description)"
        }
    }
}
