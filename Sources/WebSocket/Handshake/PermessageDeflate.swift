// swift-jsonrpc · SPDX-License-Identifier: MIT

/// What both sides have agreed on about permessage-deflate (RFC 7692 §7). We never compress, so only what the peer does
/// counts.
struct PermessageDeflate: Sendable, Equatable {
    /// The peer begins every message without what it has sent before.
    var peerForgetsContext = false
    /// What a listener answers.
    var answer = "permessage-deflate"

    /// What a client offers: to inflate, and that the server may forbid what it does not do anyway.
    static let offer = "permessage-deflate; client_no_context_takeover; client_max_window_bits"

    /// Reads a server's answer to ``offer``. `nil` when it says what was not offered, or says it twice.
    init?(answer: String) {
        guard let parameters = Self.parameters(in: answer) else { return nil }
        for (name, value) in parameters {
            switch (name, value) {
            case ("server_no_context_takeover", nil): peerForgetsContext = true
            case ("client_no_context_takeover", nil): break
            // It limits what the server uses; any window is inflated.
            case ("server_max_window_bits", let bits?) where Self.isWindow(bits): break
            case ("client_max_window_bits", let bits?) where Self.isWindow(bits): break
            default: return nil
            }
        }
    }

    /// Accepts the first offer of a client's that can be kept to. `nil` when there is none.
    init?(offers: [String]) {
        guard let accepted = offers.lazy.compactMap({ PermessageDeflate(offer: $0) }).first else { return nil }
        self = accepted
    }

    private init?(offer: String) {
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

    /// The parameters of one element of Sec-WebSocket-Extensions (RFC 6455 §9.1). `nil` when it is another extension,
    /// is malformed, or names a parameter twice.
    private static func parameters(in element: String) -> [(name: String, value: String?)]? {
        let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmedOfBlanks)
        // There are four parameters.
        guard parts.first == "permessage-deflate", parts.count <= 5 else { return nil }
        var parameters: [(name: String, value: String?)] = []
        for part in parts.dropFirst() {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = sides[0].trimmedOfBlanks
            guard name.isHTTPToken, !parameters.contains(where: { $0.name == name }) else { return nil }
            guard sides.count == 2 else {
                parameters.append((name, nil))
                continue
            }
            var value = sides[1].trimmedOfBlanks
            if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
                value = String(value.dropFirst().dropLast())
            }
            guard value.isHTTPToken else { return nil }
            parameters.append((name, value))
        }
        return parameters
    }
}
