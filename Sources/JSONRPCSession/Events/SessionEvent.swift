// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

/// How far a session's life has come.
public enum SessionState: Sendable, Hashable {
    /// Nothing can be sent yet.
    case connecting
    /// Calls are accepted.
    case open
    /// No new calls; those accepted go on.
    case draining
    /// The closing handshake is under way.
    case closing
    /// The end.
    case closed
}

/// Something that a session tells beside the answers to calls.
public enum SessionEvent: Sendable {
    case stateChanged(SessionState)
    /// The peer sent something irregular. Departures in style that a peer repeats in each message, such as binary
    /// messages or a missing `jsonrpc` member, are reported once in a session: see
    /// ``DuplexSession/irregularityCounts``.
    case irregularMessage(IrregularMessage)
    /// A request came for which there is no handler, and was answered with `ErrorCode.methodNotFound`.
    case unhandledRequest(method: String)
    /// A notification came for which there is neither stream nor handler.
    case unhandledNotification(method: String, params: RawJSON?)
    /// A notification was dropped, since its handler was busy and as many waited as may.
    case notificationDropped(method: String)
    /// A request's handler threw an error that is no `ErrorObject`, and the peer got `ErrorCode.internalError`; or the
    /// params could not be decoded, and the peer got `ErrorCode.invalidParams`; or a notification's handler threw.
    case handlerFailed(method: String, any Error)
    /// A call of the peer was turned away: too many were being served.
    case inboundCallRefused(method: String)
    /// A liveness probe was answered after this time.
    case roundTrip(Duration)
    /// The connection is gone.
    case closed(SessionClosure)
    /// The reader was behind: so many events are missing here.
    case missed(Int)
}

extension SessionEvent {
    /// What the event holds of the peer's messages, in bytes.
    var byteCount: Int {
        switch self {
        case .irregularMessage(let message): message.bytes.count + (message.error?.byteCount ?? 0)
        case .unhandledNotification(let method, let params): method.utf8.count + (params?.bytes.count ?? 0)
        case .unhandledRequest(let method), .notificationDropped(let method), .inboundCallRefused(let method):
            method.utf8.count
        case .handlerFailed(let method, let error):
            method.utf8.count + ((error as? ErrorObject)?.byteCount ?? 0)
        case .closed(let closure): closure.reason.utf8.count
        case .stateChanged, .roundTrip, .missed: 0
        }
    }
}

extension ErrorObject {
    fileprivate var byteCount: Int { message.utf8.count + (data?.bytes.count ?? 0) }
}

/// How a session ended.
public struct SessionClosure: Sendable {
    public var initiator: TransportClosure.Initiator
    /// The close code (RFC 6455 §7.4), 1005 or 1006 where there was none.
    public var code: UInt16
    public var reason: String
    public var error: (any Error)?
}
