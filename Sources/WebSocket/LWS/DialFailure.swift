// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Puts a name to what lws says, or does not say, about a dial that failed.
enum DialFailure {
    /// lws has given a reason, or the server's answer is known.
    static func error(lwsText text: String, response: WebSocketError.Response?) -> WebSocketError {
        if let response { return refused(response) }
        let handshake = [
            "HS: ACCEPT missing": "The server's answer has no Sec-WebSocket-Accept field.",
            "HS: Accept hash wrong": "The server's Sec-WebSocket-Accept does not match our key.",
            "HS: UPGRADE missing": "The server's answer has no Upgrade field.",
            "HS: Upgrade to something other than websocket": "The server upgraded to another protocol.",
            "HS: UPGRADE malformed": "The server's Connection field does not say Upgrade.",
            "HS: PROTOCOL malformed": "The server chose a subprotocol that was not offered.",
            "HS: EXT: unknown ext": "The server chose an extension that was not offered.",
            "HS: URI missing": "The server's answer is no HTTP response.",
        ]
        if let message = handshake[text] { return WebSocketError(.invalidHandshake, message) }
        if text.hasPrefix("HS: ") {
            return WebSocketError(.invalidHandshake, "The opening handshake failed: \(text.dropFirst(4)).")
        }
        if ["", "closed before established", "Closed before conn"].contains(text) { return unexplained(response: nil) }
        return WebSocketError(.connectionLost, "The connection ended before the server answered: \(text).")
    }

    /// The `errno` that lws names where the socket failed during the TLS handshake.
    static func systemError(in text: String) -> Int32? {
        let prefix = "connect SYSCALL "
        guard text.hasPrefix(prefix), let code = Int32(text.dropFirst(prefix.count)), code != 0 else { return nil }
        return code
    }

    /// lws has said nothing.
    static func unexplained(response: WebSocketError.Response?) -> WebSocketError {
        if let response { return refused(response) }
        return WebSocketError(.connectionLost, "The connection ended before the server answered.")
    }

    private static func refused(_ response: WebSocketError.Response) -> WebSocketError {
        let isRedirect = (300..<400).contains(response.status)
        var error =
            isRedirect
            ? WebSocketError(
                .redirectRefused,
                "The server redirects with status \(response.status), which is not followed.")
            : WebSocketError(.upgradeRefused, "The server refused the upgrade with status \(response.status).")
        error.response = response
        if isRedirect { error.location = response.headers.first { $0.name == "location" }?.value }
        return error
    }
}
