// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import WebSocket

/// Advice about the scheme of a URL, for failures that occur if the server speaks another protocol.
enum SchemeAdvice {
    /// Returns a sentence about a failed WebSocket handshake; `nil` if the scheme is probably right.
    static func text(for error: WebSocketError, url: String) -> String? {
        let isSecure = url.lowercased().hasPrefix("wss")
        switch error.code {
        case .tlsFailed where isSecure && isNoTLS(error.message): return plain("ws")
        // A TLS server answers plain text with an alert, or closes the connection.
        case .invalidHandshake where !isSecure && error.message.contains("not an HTTP response"),
            .connectionLost where !isSecure && error.message.contains("before the server answered"):
            return secure("wss")
        case .upgradeRefused:
            guard let response = error.response, [200, 400, 404, 405, 411, 415, 501].contains(response.status) else {
                return nil
            }
            let body = String(decoding: response.bodyStart, as: UTF8.self)
            if !isSecure, body.contains("HTTPS") { return secure("wss") }
            return "If the server speaks JSON-RPC over HTTP, use \(isSecure ? "an https" : "an http"):// URL."
        default: return nil
        }
    }

    /// Returns a sentence about a failed POST; `nil` if the scheme is probably right.
    static func text(for error: HTTPTransportError, url: String) -> String? {
        let isSecure = url.lowercased().hasPrefix("https")
        switch error.code {
        case .secureConnectionFailed where isSecure && isNoTLS(error.reason): return plain("http")
        // The first bytes are not those of HTTP.
        case .protocolViolation where !isSecure && error.reason.contains("constant"): return secure("https")
        case .connectionLost where !isSecure && error.reason.contains("before a response"): return secure("https")
        default: return nil
        }
    }

    /// Returns a sentence about an answer without a JSON-RPC response; `nil` if the scheme is probably right.
    static func text(for answer: HTTPAnswer, url: String) -> String? {
        let isSecure = url.lowercased().hasPrefix("https")
        let body = String(decoding: answer.bodyBeginning, as: UTF8.self)
        if answer.status.code == 400, !isSecure, body.contains("HTTPS") { return secure("https") }
        let upgrade = answer.headerFields[.upgrade]?.lowercased() ?? ""
        let isWebSocket =
            [405, 426].contains(answer.status.code) || upgrade.contains("websocket")
            || (answer.status.code == 400 && body.lowercased().replacing(" ", with: "").contains("websocket"))
        return isWebSocket ? "If the server speaks WebSocket, use a \(isSecure ? "wss" : "ws"):// URL." : nil
    }

    /// Returns whether TLS failed in a way that shows a server without TLS.
    private static func isNoTLS(_ message: String) -> Bool {
        let message = message.lowercased().replacing("_", with: " ")
        return ["wrong version number", "packet length too long", "http request", "unknown protocol"]
            .contains { message.contains($0) }
    }

    private static func plain(_ scheme: String) -> String {
        "If the server does not use TLS, use \(scheme == "http" ? "an" : "a") \(scheme):// URL."
    }

    private static func secure(_ scheme: String) -> String {
        "If the server uses TLS, use \(scheme == "https" ? "an" : "a") \(scheme):// URL."
    }
}
