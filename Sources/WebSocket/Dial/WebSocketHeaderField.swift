// swift-jsonrpc · SPDX-License-Identifier: MIT

/// One field of the opening handshake's request, beside those which RFC 6455 §4.1 settles.
struct WebSocketHeaderField: Sendable, Hashable {
    var name: String
    var value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Checks the field against RFC 9110 §5, and takes the white space around its value away.
    ///
    /// - Throws: ``WebSocketError`` with the code `invalidConfiguration`: the name is not a token, the value has a
    ///   control character (CR, LF and NUL among them), or the field belongs to the handshake itself.
    func validated() throws(WebSocketError) -> WebSocketHeaderField {
        guard name.isHTTPToken else {
            // Where name and value were mixed up, the rest may be a secret.
            let start = String.printable(name.prefix { String($0).isHTTPToken }, limit: 64)
            throw WebSocketError(
                .invalidConfiguration,
                "A header field's name is empty, or holds a character that names may not hold (RFC 9110 §5.1)."
                    + (start.isEmpty ? "" : " It starts with \"\(start)\"."))
        }
        guard !Self.reserved.contains(name.lowercased()) else {
            throw WebSocketError(.invalidConfiguration, "The field \(name) belongs to the opening handshake.")
        }
        // The value may be a secret, so the message leaves it out.
        guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
            throw WebSocketError(
                .invalidConfiguration, "The value of the field \(name) holds a control character.")
        }
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var trimmed = value.drop(while: isBlank)
        while let last = trimmed.last, isBlank(last) { trimmed.removeLast() }
        return WebSocketHeaderField(name, String(trimmed))
    }

    /// Fields whose value the handshake settles, and those that would change how the request is framed.
    private static let reserved: Set<String> = [
        "host", "connection", "upgrade", "sec-websocket-key", "sec-websocket-version", "sec-websocket-accept",
        "sec-websocket-extensions", "sec-websocket-protocol", "content-length", "transfer-encoding", "te", "trailer",
        "expect", "proxy-authorization", "proxy-connection",
    ]
}

/// Checks of subprotocol names.
enum Subprotocols {
    /// - Throws: ``WebSocketError`` with the code `invalidConfiguration`: a name that is not a token, or comes twice
    ///   (RFC 6455 §4.1, item 10 of the request).
    static func validate(_ names: [String]) throws(WebSocketError) {
        for (index, name) in names.enumerated() {
            guard name.isHTTPToken else {
                throw WebSocketError(
                    .invalidConfiguration, "\"\(String.printable(name))\" is not a subprotocol name.")
            }
            guard !names[..<index].contains(name) else {
                throw WebSocketError(.invalidConfiguration, "The subprotocol \(name) is offered twice.")
            }
        }
    }
}

extension String {
    /// True for a token of RFC 9110 §5.6.2.
    var isHTTPToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: Self.tokenPunctuation.contains(byte)
                }
            }
    }

    private static let tokenPunctuation = Set("!#$%&'*+-.^_`|~".utf8)
}
