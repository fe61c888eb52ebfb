// swift-jsonrpc · SPDX-License-Identifier: MIT

/// An additional field of the opening handshake's request, beside the fields that RFC 6455 §4.1 requires.
struct WebSocketHeaderField: Sendable, Hashable {
    var name: String
    var value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Checks the field against RFC 9110 §5, and removes the white space around its value.
    ///
    /// - Throws: ``WebSocketError`` with the code `invalidConfiguration` if the name is not a token, the value contains
    ///   a control character (such as CR, LF or NUL), or the field belongs to the handshake itself.
    func validated() throws(WebSocketError) -> WebSocketHeaderField {
        guard name.isHTTPToken else {
            // If name and value were mixed up, the rest may be a secret.
            let start = String.printable(name.prefix { String($0).isHTTPToken }, limit: 64)
            throw WebSocketError(
                .invalidConfiguration,
                "Could not use a header field: its name is empty, or contains a character that is not allowed in names "
                    + "(RFC 9110 §5.1)." + (start.isEmpty ? "" : " The name starts with \"\(start)\"."))
        }
        guard !Self.reserved.contains(name.lowercased()) else {
            throw WebSocketError(
                .invalidConfiguration,
                "Could not use the header field \(name): the opening handshake sets this field itself. Remove it from "
                    + "the header fields.")
        }
        // The value may be a secret, so the message leaves it out.
        guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
            throw WebSocketError(
                .invalidConfiguration,
                "Could not use the header field \(name): its value contains a control character.")
        }
        return WebSocketHeaderField(name, value[...].trimmedOfBlanks)
    }

    /// Fields that the handshake sets itself, and fields that would change the framing of the request.
    private static let reserved: Set<String> = [
        "host", "connection", "upgrade", "sec-websocket-key", "sec-websocket-version", "sec-websocket-accept",
        "sec-websocket-extensions", "sec-websocket-protocol", "content-length", "transfer-encoding", "te", "trailer",
        "expect", "proxy-authorization", "proxy-connection",
    ]
}

/// Checks of subprotocol names.
enum Subprotocols {
    /// Checks the names of subprotocols.
    ///
    /// - Throws: ``WebSocketError`` with the code `invalidConfiguration` if a name is not a token, or is repeated (RFC
    ///   6455 §4.1, item 10 of the request).
    static func validate(_ names: [String]) throws(WebSocketError) {
        for (index, name) in names.enumerated() {
            guard name.isHTTPToken else {
                throw WebSocketError(
                    .invalidConfiguration,
                    "Could not use the subprotocol \"\(String.printable(name))\": its name is empty, or contains a "
                        + "character that is not allowed in tokens (RFC 9110 §5.6.2).")
            }
            guard !names[..<index].contains(name) else {
                throw WebSocketError(.invalidConfiguration, "The subprotocol \(name) is listed twice. List it once.")
            }
        }
    }
}
