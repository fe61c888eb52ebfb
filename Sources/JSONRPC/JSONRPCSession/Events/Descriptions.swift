// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

extension DuplexSession.State: CustomStringConvertible {
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

extension JSONRPCClient.State: CustomStringConvertible {
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

extension DuplexSession.Closure: CustomStringConvertible {
    /// The initiator, the close code, the reason and the last state, on one line.
    public var description: String {
        var text =
            switch initiator {
            case .local: "closed by this side with code \(code)"
            case .remote: "closed by the peer with code \(code)"
            case .failure: "lost with code \(code)"
            }
        if !reason.isEmpty { text += " \"\(reason.onOneLine)\"" }
        if let lastState { text += " (\(lastState))" }
        if let error { text += ": \("\(error)".onOneLine)" }
        return text
    }
}

extension SessionEvent: CustomStringConvertible {
    /// A description of the event on one line. Control characters in the peer's text are escaped, and long text is
    /// truncated.
    public var description: String {
        switch self {
        case .stateChanged(let state): "The session is \(state)."
        case .irregularMessage(let message): "The peer sent \(message)"
        case .unhandledRequest(let method): "The request \"\(method.onOneLine)\" has no handler."
        case .unhandledNotification(let method, let params):
            "The notification \"\(method.onOneLine)\" has neither a handler nor a stream"
                + (params.map { ": \($0.text.onOneLine)" } ?? ".")
        case .notificationDropped(let method):
            "The notification \"\(method.onOneLine)\" was dropped: `inbound.notificationBuffer` is full, because its "
                + "handler is too slow."
        case .handlerFailed(let method, let error):
            "The handler of \"\(method.onOneLine)\" failed: \("\(error)".onOneLine)"
        case .inboundCallRefused(let method):
            "The request \"\(method.onOneLine)\" was refused: the limit `inbound.maximumCalls` or "
                + "`inbound.maximumBytes` is reached."
        case .roundTrip(let duration): "A liveness probe was answered after \(duration.rounded)."
        case .closed(let closure): "The connection was \(closure)"
        case .subscription(let event): "\(event)"
        case .stream(let event): "\(event)"
        case .connectFailed(let error, let delay):
            "\(error)".onOneLine + (delay.map { " The next attempt begins in \($0.rounded)." } ?? "")
        case .missed(let count):
            "\(count) \(count == 1 ? "event was" : "events were") dropped: `diagnostics.eventBuffer` is full, because the "
                + "reader is too slow."
        }
    }
}

extension Duration {
    /// The time in seconds or milliseconds, with at most three digits after the point.
    var rounded: String {
        let microseconds = (self / .microseconds(1)).rounded()
        if microseconds < 10_000 { return "\(microseconds / 1000) ms" }
        return "\((microseconds / 1000).rounded() / 1000) s"
    }
}

extension String {
    /// The first 200 characters of the text, with control characters escaped.
    var onOneLine: String {
        let limit = 200
        // One character can have any number of scalars.
        let beginning = String(unicodeScalars.prefix(limit)).escapingControls
        return unicodeScalars.dropFirst(limit).isEmpty ? beginning : beginning + "…"
    }
}
