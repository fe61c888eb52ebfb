// swift-jsonrpc · SPDX-License-Identifier: MIT

import WebSocket

/// What the command line makes of a connection's error.
struct ConnectionFault {
    /// True when the user asked for something that cannot be: another URL or option is needed.
    var isUsage = false
    /// True when the peer broke a rule.
    var isViolation = false
    /// One sentence or more, on one line.
    var details: String

    /// How much of an answer's body is shown, in characters.
    static let maximumBodyCharacters = 160

    /// `nil` when there is no error of the connection beneath.
    init?(_ error: (any Error)?) {
        guard let error = error as? WebSocketError else { return nil }
        isUsage = [.invalidURL, .invalidConfiguration, .unsupportedProxy].contains(error.code)
        isViolation = [.protocolViolation, .invalidText, .messageTooBig].contains(error.code)
        details = TerminalText.line(error.message)
        if let location = error.location { details += " Location: \(TerminalText.line(location))" }
        if let response = error.response, !response.bodyStart.isEmpty {
            let body = Self.text(String(decoding: response.bodyStart, as: UTF8.self))
            if !body.isEmpty { details += " The body: \(body)" }
        }
    }

    /// The beginning of a body. Of an HTML page only the text is shown, without tags, styles and scripts.
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
