// swift-jsonrpc · SPDX-License-Identifier: MIT

import WebSocket

/// An error of a WebSocket connection, in the terms of the command line.
struct ConnectionFault {
    /// True if the URL or an option is invalid.
    var isUsage = false
    /// True if the peer violated the protocol.
    var isViolation = false
    /// The message for the user: one or more sentences on one line.
    var details: String

    /// The number of characters that are shown of the body of an HTTP response.
    static let maximumBodyCharacters = 160

    /// Reads an error; `nil` if it is not an error of a WebSocket connection.
    ///
    /// - Parameter url: The URL of the peer, for advice about its scheme; `nil` if it is unknown.
    init?(_ error: (any Error)?, url: String? = nil) {
        guard let error = error as? WebSocketError else { return nil }
        isUsage = [.invalidURL, .invalidConfiguration, .unsupportedProxy].contains(error.code)
        isViolation = [.protocolViolation, .invalidText, .messageTooBig].contains(error.code)
        // The names of the library's options are in parentheses.
        details = TerminalText.line(error.message.replacing(/[ ]\([a-z]+[A-Z][A-Za-z]*\)/, with: ""))
        if let location = error.location { details += " Location: \(TerminalText.line(location))" }
        if let advice = Self.advice(error) { details += " \(advice)" }
        if let url, let advice = SchemeAdvice.text(for: error, url: url) { details += " \(advice)" }
        if let response = error.response, !response.bodyStart.isEmpty {
            let body = Self.text(String(decoding: response.bodyStart, as: UTF8.self))
            if !body.isEmpty { details += " Response body: \(body)" }
        }
    }

    /// Returns a sentence that names the option for an error; `nil` if no option helps.
    private static func advice(_ error: WebSocketError) -> String? {
        switch error.code {
        case .connectTimeout: "Raise --connect-timeout to wait longer."
        case .certificateUnknownIssuer, .certificateSelfSigned:
            "If you trust the issuer of the certificate, give its certificate with --cacert."
        case .certificateWrongHost: "If the server has another name, give that name with --servername."
        case .invalidHandshake where error.message.contains("chose the subprotocol"):
            "If the server speaks JSON-RPC in it, offer it with --subprotocol."
        case .peerUnresponsive:
            "--ping-interval and --ping-timeout set this time. If the peer does not answer PINGs, use --ping-interval none."
        default: nil
        }
    }

    /// Returns the beginning of a body. Of an HTML page it is only the text, without tags, styles and scripts.
    static func text(_ body: String) -> String {
        let trimmed = body.drop { $0.isWhitespace }
        guard trimmed.first == "<" else {
            return TerminalText.summary(body, maximumCharacters: maximumBodyCharacters)
        }
        var text = ""
        var rest = trimmed
        while let tag = rest.firstIndex(of: "<") {
            text += rest[..<tag] + " "
            let name = rest[tag...].dropFirst().prefix { $0.isLetter }.lowercased()
            rest = rest[tag...]
            if name == "style" || name == "script" {
                rest = rest.firstRange(of: "</\(name)").map { rest[$0.upperBound...] } ?? rest[rest.endIndex...]
            }
            rest = rest.firstIndex(of: ">").map { rest[rest.index(after: $0)...] } ?? rest[rest.endIndex...]
        }
        return TerminalText.summary(text + rest, maximumCharacters: maximumBodyCharacters)
    }
}
