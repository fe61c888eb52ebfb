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
    init?(_ error: (any Error)?) {
        guard let error = error as? WebSocketError else { return nil }
        isUsage = [.invalidURL, .invalidConfiguration, .unsupportedProxy].contains(error.code)
        isViolation = [.protocolViolation, .invalidText, .messageTooBig].contains(error.code)
        details = TerminalText.line(error.message)
        if let location = error.location { details += " Location: \(TerminalText.line(location))" }
        if let response = error.response, !response.bodyStart.isEmpty {
            let body = Self.text(String(decoding: response.bodyStart, as: UTF8.self))
            if !body.isEmpty { details += " Response body: \(body)" }
        }
        if let advice = Self.advice(error.code) { details += " \(advice)" }
    }

    /// Returns a sentence that names the option for an error; `nil` if no option helps.
    private static func advice(_ code: WebSocketError.Code) -> String? {
        switch code {
        case .connectTimeout: "Raise --connect-timeout to wait longer."
        case .certificateUnknownIssuer, .certificateSelfSigned:
            "If you trust the issuer of the certificate, give its certificate with --cacert."
        case .certificateWrongHost: "If the server has another name, give that name with --servername."
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
