// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

extension DuplexSession {
    /// The state of a session.
    public enum State: Sendable, Hashable {
        /// The session waits for its transport, and cannot send yet.
        case connecting
        /// The session accepts calls.
        case open
        /// The session accepts no new calls. Calls in flight may end.
        case draining
        /// The closing handshake is in progress.
        case closing
        /// The session is closed. This state is final.
        case closed
    }
}

/// An event of a session or a client.
public enum SessionEvent: Sendable {
    /// The session is now in this state.
    case stateChanged(DuplexSession.State)
    /// The peer sent an irregular message. Deviations of style that a peer repeats in each message, such as a missing
    /// `jsonrpc` member, are reported once in a session: see ``DuplexSession/irregularityCounts``.
    case irregularMessage(SessionEvent.IrregularMessage)
    /// A request had no handler, and was answered with `ErrorObject.Code.methodNotFound`.
    case unhandledRequest(method: String)
    /// A notification had neither a handler nor a stream.
    case unhandledNotification(method: String, params: RawJSON?)
    /// A notification was dropped, because its handler was busy and ``SessionConfiguration/Inbound/notificationBuffer``
    /// was full.
    case notificationDropped(method: String)
    /// A handler failed. A handler of requests threw an error that is not an `ErrorObject`, and the peer got
    /// `ErrorObject.Code.internalError`; or params could not be decoded, and the peer got
    /// `ErrorObject.Code.invalidParams`; or a handler of notifications threw an error.
    case handlerFailed(method: String, any Error)
    /// A call of the peer was answered with ``SessionConfiguration/Inbound/serverBusy``, because
    /// ``SessionConfiguration/Inbound/maximumCalls`` or ``SessionConfiguration/Inbound/maximumBytes`` was reached. If
    /// the call is a member of an array, its handler may have run, and its result was dropped.
    case inboundCallRefused(method: String)
    /// The peer answered a liveness probe. The value is the round-trip time.
    case roundTrip(Duration)
    /// The session is closed. A client that reconnects reports the end of each of its sessions.
    case closed(DuplexSession.Closure)
    /// An attempt of a client to connect has failed. The value is the time until the next attempt; `nil` if the client
    /// makes no other attempt. It does not occur with ``ReconnectPolicy/never``.
    case connectFailed(ClientError, retryAfter: Duration?)
    /// A subscription was renewed, a notification belongs to no subscription, or an unsubscribe request failed.
    case subscription(SessionEvent.SubscriptionEvent)
    /// The consumer of a stream is too slow, or has caught up.
    case stream(SessionEvent.StreamEvent)
    /// Events were dropped at this place, because the reader was too slow. The value is their number.
    case missed(Int)
}

extension SessionEvent {
    /// The bytes of the peer's messages in the event.
    var byteCount: Int {
        switch self {
        case .irregularMessage(let message):
            message.bytes.count + (message.requestID?.heldBytes ?? 0) + (message.error?.heldBytes ?? 0)
        case .unhandledNotification(let method, let params): method.utf8.count + (params?.bytes.count ?? 0)
        case .unhandledRequest(let method), .notificationDropped(let method), .inboundCallRefused(let method):
            method.utf8.count
        case .handlerFailed(let method, let error):
            method.utf8.count + error.heldBytes
        case .closed(let closure): closure.reason.utf8.count + (closure.error?.heldBytes ?? 0)
        case .subscription(let event): event.byteCount
        case .stream(let event): event.method?.utf8.count ?? 0
        case .connectFailed(let error, _): error.heldBytes
        case .stateChanged, .roundTrip, .missed: 0
        }
    }
}

extension RequestID {
    /// The bytes that count against a limit.
    var heldBytes: Int { if case .string(let text) = self { text.utf8.count } else { 0 } }
}

extension Error {
    /// The bytes of the peer's messages in an error that an event holds: its texts, its data, the message that it was
    /// made from, and the names of members on the path of a decoding error.
    var heldBytes: Int {
        switch self as any Error {
        case let error as ErrorObject: error.message.utf8.count + (error.data?.bytes.count ?? 0)
        case let error as ClientError:
            error.message.utf8.count + (error.received?.count ?? 0) + (error.cause?.heldBytes ?? 0)
        case CallError.answered(let error): error.heldBytes
        case CallError.failed(let error): error.heldBytes
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
            context.codingPath.reduce(context.debugDescription.utf8.count) { $0 + $1.stringValue.utf8.count }
        default: 0
        }
    }
}

extension DuplexSession {
    /// The end of a session.
    public struct Closure: Sendable {
        /// The side that ended the connection.
        public var initiator: TransportClosure.Initiator
        /// The close code (RFC 6455 §7.4). It is 1005 or 1006 if there was none.
        public var code: UInt16
        /// The reason in the closing handshake; empty if there was none.
        public var reason: String
        /// The error that ended the connection, if there was one.
        public var error: (any Error)?
        /// The state of the connection at its end; `nil` if it was never open.
        public var lastState: ClientError.LastState?
    }
}

extension SessionEvent {
    /// A message from the peer that violates JSON-RPC or the expectations of the session.
    public struct IrregularMessage: Sendable, Hashable {
        /// The irregularities of the message; at least one.
        public var irregularities: IrregularitySet
        /// The bytes of the message.
        public var bytes: [UInt8]
        /// Whether the message is binary.
        public var isBinary: Bool
        /// The id in the message; `nil` if it has none that can be read.
        public var requestID: RequestID?
        /// The reason and the place, if the message is not JSON.
        public var syntaxError: JSONSyntaxError?
        /// The error object in the message, if it answers no known call.
        public var error: ErrorObject?

        /// The bytes as text; invalid UTF-8 is replaced.
        public var text: String { String(decoding: bytes, as: UTF8.self) }

        /// The value of the `jsonrpc` member, such as the JSON string `"1.0"`; `nil` if there is none, or the message
        /// is not JSON. In an array, the first value other than "2.0" wins.
        public var version: RawJSON? {
            guard let json = try? RawJSON(validating: bytes) else { return nil }
            guard let members = try? json.elements() else { return json.member("jsonrpc") }
            let versions = members.compactMap { $0.member("jsonrpc") }
            return versions.first { $0.text != #""2.0""# } ?? versions.first
        }
    }
}

extension SessionEvent.IrregularMessage: CustomStringConvertible {
    /// The irregularities, and the first 200 bytes of the message.
    public var description: String {
        let beginning = String(decoding: bytes.prefix(200), as: UTF8.self).escapingControls
        var fault = syntaxError.map { ", \($0)" } ?? ""
        if irregularities.contains(.wrongVersion), let version {
            fault += " but \(String(version.text.prefix(40)).escapingControls)"
        }
        return "\(irregularities)\(fault): \(beginning)\(bytes.count > 200 ? "…" : "")"
    }
}

extension SessionEvent {
    /// An event of a stream whose consumer is too slow. A client publishes it as ``SessionEvent/stream(_:)``.
    ///
    /// `method` names the stream: the method of its notifications, or `nil` for a stream of all notifications; for a
    /// subscription, the method of the subscribe request; for a streaming call, the method of its progress.
    public enum StreamEvent: Sendable, Hashable {
        /// The buffer of the stream is full, and the stream begins to drop notifications. Further drops are not
        /// reported before ``caughtUp(method:dropped:)``. ``NotificationGap/Counts/dropped`` counts them.
        case dropping(method: String?)
        /// The consumer has taken half of the buffer after the stream dropped notifications. The value is their number
        /// since ``dropping(method:)``.
        case caughtUp(method: String?, dropped: Int)
        /// The connection is not read, because the buffer of a stream with
        /// ``NotificationOverflow/suspend(capacity:limit:)`` is full. Meanwhile calls get no responses.
        case readingSuspended(method: String?, limit: Duration)
        /// The stream no longer stops the reading, because its consumer has taken half of the buffer, or the stream has
        /// ended. The value is the time since ``readingSuspended(method:limit:)``.
        case readingResumed(method: String?, after: Duration)
        /// The consumer did not catch up within the limit. The stream no longer stops the reading, and drops
        /// notifications instead.
        case suspensionExpired(method: String?, limit: Duration)

        /// The name of the stream; `nil` for a stream of all notifications.
        public var method: String? {
            switch self {
            case .dropping(let method), .caughtUp(let method, _), .readingSuspended(let method, _),
                .readingResumed(let method, _), .suspensionExpired(let method, _):
                method
            }
        }
    }
}

extension SessionEvent.StreamEvent: CustomStringConvertible {
    public var description: String {
        let stream = method.map { "The stream of \"\($0.onOneLine)\"" } ?? "The stream of all notifications"
        return switch self {
        case .dropping: "\(stream) drops notifications: its buffer is full, because its consumer is too slow."
        case .caughtUp(_, let dropped):
            "\(stream) has room again, after it dropped \(dropped) notification\(dropped == 1 ? "" : "s")."
        case .readingSuspended(_, let limit):
            "\(stream) stops the reading of the connection for at most \(limit), because its consumer is too slow. "
                + "Meanwhile calls get no responses."
        case .readingResumed(_, let duration): "\(stream) let the connection be read again after \(duration.rounded)."
        case .suspensionExpired(_, let limit):
            "\(stream) lets the connection be read again: its consumer did not catch up within \(limit). "
                + "Notifications are dropped instead."
        }
    }
}
