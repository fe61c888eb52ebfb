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
    /// The state of the session changed.
    case stateChanged(DuplexSession.State)
    /// The peer sent an irregular message. Deviations of style that a peer repeats in each message, such as a missing
    /// `jsonrpc` member, are reported once in a session: see ``DuplexSession/irregularityCounts``.
    case irregularMessage(SessionEvent.IrregularMessage)
    /// A request had no handler, and was answered with `ErrorObject.Code.methodNotFound`.
    case unhandledRequest(method: String)
    /// A notification had neither a handler nor a stream.
    case unhandledNotification(method: String, params: RawJSON?)
    /// A notification was dropped, because its handler was busy and ``SessionConfiguration/notificationHandlerBuffer``
    /// was full.
    case notificationDropped(method: String)
    /// A handler of requests threw an error that is not an `ErrorObject`, and the peer got `ErrorObject.Code.internalError`;
    /// or params could not be decoded, and the peer got `ErrorObject.Code.invalidParams`; or a handler of notifications threw
    /// an error.
    case handlerFailed(method: String, any Error)
    /// A call of the peer was answered with ``SessionConfiguration/serverBusy``, because
    /// ``SessionConfiguration/maximumInboundCalls`` or ``SessionConfiguration/maximumInboundBytes`` was reached. If the
    /// call is a member of an array, its handler may have run, and its result was dropped.
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
            message.bytes.count + (message.requestID?.byteCount ?? 0)
                // The error shares a copy of its object, which is a part of the message.
                + (message.error.map { message.bytes.count + $0.message.utf8.count } ?? 0)
        case .unhandledNotification(let method, let params): method.utf8.count + (params?.bytes.count ?? 0)
        case .unhandledRequest(let method), .notificationDropped(let method), .inboundCallRefused(let method):
            method.utf8.count
        case .handlerFailed(let method, let error):
            method.utf8.count + ((error as? ErrorObject)?.byteCount ?? 0)
        case .closed(let closure): closure.reason.utf8.count
        case .subscription(let event): event.byteCount
        case .stream(let event): event.method?.utf8.count ?? 0
        case .stateChanged, .roundTrip, .missed, .connectFailed: 0
        }
    }
}

extension RequestID {
    fileprivate var byteCount: Int {
        switch self {
        case .number: 0
        case .string(let text): text.utf8.count
        }
    }
}

extension ErrorObject {
    fileprivate var byteCount: Int { message.utf8.count + (data?.bytes.count ?? 0) }
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
