// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import HTTPSyntax
import HTTPTypes
import JSONRPCHTTP
import ToolSupport
import WebSocket

/// The URL of the peer: a URL or `HOST:PORT` from the command line, or the URL from the environment.
enum TargetURL {
    /// The environment variable for the URL if the command line has none.
    static let variable = "JSONRPC_URL"

    static let help = ArgumentHelp(
        "URL of the peer: http://, https://, ws://, wss:// or ws+unix://. HOST:PORT means ws://HOST:PORT. Or the name "
            + "of a peer in the configuration file: see 'jsonrpc --help'. The default is $JSONRPC_URL.",
        valueName: "url")

    static let webSocketHelp = ArgumentHelp(
        "URL of the peer: ws://, wss:// or ws+unix://. HOST:PORT means ws://HOST:PORT. Or the name of a peer in the "
            + "configuration file: see 'jsonrpc --help'. The default is $JSONRPC_URL.")

    /// Returns whether a URL has the scheme http or https.
    static func isHTTP(_ url: String) -> Bool {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        return scheme == "http" || scheme == "https"
    }

    /// Checks that a URL is no HTTP URL. `reason` is a sentence that says why the command needs a WebSocket.
    static func requireWebSocket(_ url: String, _ reason: String) throws {
        guard isHTTP(url) else { return }
        throw UsageError("\(reason) Give a ws:// or wss:// URL.")
    }

    /// Returns whether a word is a URL and not the name of a method.
    static func isURL(_ word: String) -> Bool {
        word.contains("://") || word.hasPrefix("ws+unix:") || isHostAndPort(word)
    }

    /// Returns the URL for a word: `HOST:PORT` gets the scheme `ws`. It throws a `UsageError` for all other words.
    static func complete(_ word: String) throws -> String {
        if isHostAndPort(word) { return "ws://" + word }
        guard isURL(word) else {
            // The message must not contain a password.
            let name = word.contains("@") ? "The first argument" : "'\(word)'"
            throw UsageError(
                "\(name) is not a URL. Give ws://HOST:PORT/PATH, wss://…, ws+unix://…, http://…, https://…, "
                    + "HOST:PORT or the name of a peer in the configuration file, or set \(variable)."
            )
        }
        let scheme = word.prefix { $0 != ":" }.lowercased()
        guard isHTTP(word) || ["ws", "wss", "ws+unix", "wss+unix"].contains(scheme) else {
            throw UsageError(
                "The scheme of the URL is unknown. Give a ws://, wss://, ws+unix://, http:// or https:// URL.")
        }
        return word
    }

    /// Returns whether a word is like `localhost:8080`, `127.0.0.1:8080/path` or `[::1]:8080`.
    private static func isHostAndPort(_ word: String) -> Bool {
        let authority = word.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")) else { return false }
        let (host, port) = (authority[..<colon], authority[authority.index(after: colon)...])
        guard !port.isEmpty, port.count <= 5, port.allSatisfy(FieldText.isDigit) else { return false }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") { return true }
        return !host.isEmpty && host.allSatisfy { FieldText.isLetterOrDigit($0) || ".-_".utf8.contains($0) }
    }
}

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
