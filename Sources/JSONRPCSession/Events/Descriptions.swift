// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

extension SessionState: CustomStringConvertible {
    public var description: String {
        switch self {
        case .connecting: "connecting"
        case .open: "open"
        case .draining: "draining"
        case .closing: "closing"
        case .closed: "closed"
        }
    }
}

extension ClientState: CustomStringConvertible {
    public var description: String {
        switch self {
        case .idle: "idle"
        case .connecting: "connecting"
        case .connected: "connected"
        case .reconnecting(let attempt): "reconnecting (attempt \(attempt))"
        case .closing: "closing"
        case .closed: "closed"
        }
    }
}

extension SessionClosure: CustomStringConvertible {
    /// Who ended the connection, with which code, and why, on one line.
    public var description: String {
        var text =
            switch initiator {
            case .local: "closed by this side with code \(code)"
            case .remote: "closed by the peer with code \(code)"
            case .failure: "lost with code \(code)"
            }
        if !reason.isEmpty { text += " \"\(reason.onOneLine)\"" }
        if let error { text += ": \("\(error)".onOneLine)" }
        return text
    }
}

extension SessionEvent: CustomStringConvertible {
    /// What happened, on one line. Control characters in the peer's text are escaped, and long text is cut.
    public var description: String {
        switch self {
        case .stateChanged(let state): "The session is \(state)."
        case .irregularMessage(let message): "The peer sent \(message)"
        case .unhandledRequest(let method): "No handler serves the request \"\(method.onOneLine)\"."
        case .unhandledNotification(let method, let params):
            "Neither a handler nor a stream takes the notification \"\(method.onOneLine)\""
                + (params.map { ": \($0.text.onOneLine)" } ?? ".")
        case .notificationDropped(let method):
            "The notification \"\(method.onOneLine)\" was dropped: its handler is behind."
        case .handlerFailed(let method, let error):
            "The handler of \"\(method.onOneLine)\" failed: \("\(error)".onOneLine)"
        case .inboundCallRefused(let method):
            "The request \"\(method.onOneLine)\" was refused: too many calls are being served."
        case .roundTrip(let duration): "A liveness probe was answered after \(duration)."
        case .closed(let closure): "The connection was \(closure)"
        case .missed(let count): "\(count) events are missing: their reader was behind."
        }
    }
}

extension String {
    /// The beginning of the text, with its control characters escaped.
    fileprivate var onOneLine: String {
        let limit = 200
        let beginning = String(prefix(limit)).escapingControls
        return dropFirst(limit).isEmpty ? beginning : beginning + "…"
    }
}
