// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// The negotiated parameters of permessage-deflate (RFC 7692 §7). This side never compresses, so only the peer's
/// parameters matter.
struct PermessageDeflate: Sendable, Equatable {
    /// Whether the peer compresses every message without the context of earlier messages.
    var peerForgetsContext = false
    /// The answer of a listener.
    var answer = "permessage-deflate"

    /// The offer of a client. Its parameters let the server restrict the client's compression, which is unused.
    static let offer = "permessage-deflate; client_no_context_takeover; client_max_window_bits"

    /// Parses a server's answer to ``offer``. Returns `nil` if a parameter is repeated or was not offered.
    init?(answer: String) {
        guard let parameters = Self.parameters(in: answer) else { return nil }
        for (name, value) in parameters {
            switch (name, value) {
            case ("server_no_context_takeover", nil): peerForgetsContext = true
            case ("client_no_context_takeover", nil): break
            // This parameter limits the server's window. The inflater supports every window.
            case ("server_max_window_bits", let bits?) where Self.isWindow(bits): break
            case ("client_max_window_bits", let bits?) where Self.isWindow(bits): break
            default: return nil
            }
        }
    }

    /// Accepts an offer of a client. Returns `nil` if it is not acceptable.
    init?(offer: String) {
        guard let parameters = Self.parameters(in: offer) else { return nil }
        for (name, value) in parameters {
            switch (name, value) {
            case ("server_no_context_takeover", nil):
                answer += "; server_no_context_takeover"
            case ("client_no_context_takeover", nil):
                peerForgetsContext = true
                answer += "; client_no_context_takeover"
            case ("server_max_window_bits", let bits?) where Self.isWindow(bits):
                answer += "; server_max_window_bits=\(bits)"
            case ("client_max_window_bits", nil): break
            case ("client_max_window_bits", let bits?) where Self.isWindow(bits): break
            default: return nil
            }
        }
    }

    private static func isWindow(_ bits: String) -> Bool {
        guard let number = Int(bits), bits == "\(number)" else { return false }
        return (8...15).contains(number)
    }

    /// Returns the parameters of an element of `Sec-WebSocket-Extensions` (RFC 6455 §9.1). It is `nil` for another
    /// extension, a malformed element, or a repeated parameter.
    private static func parameters(in element: String) -> [(name: String, value: String?)]? {
        let parts = FieldText.parts(of: element, at: UInt8(ascii: ";"))
        // permessage-deflate has four parameters.
        guard parts.first == "permessage-deflate", parts.count <= 5 else { return nil }
        var parameters: [(name: String, value: String?)] = []
        for part in parts.dropFirst() {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(FieldText.trimming(sides[0]))
            guard FieldText.isToken(name), !parameters.contains(where: { $0.name == name }) else { return nil }
            guard sides.count == 2 else {
                parameters.append((name, nil))
                continue
            }
            guard let value = FieldText.word(FieldText.trimming(sides[1])), FieldText.isToken(value) else { return nil }
            parameters.append((name, value))
        }
        return parameters
    }
}
