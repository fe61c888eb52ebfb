// swift-jsonrpc · SPDX-License-Identifier: MIT

import WebSocket

/// What the command line makes of a connection's error.
struct ConnectionFault {
    /// True when the user asked for something that cannot be: another URL or option is needed.
    var isUsage = false
    /// True when the peer broke a rule.
    var isViolation = false
    /// One sentence or more.
    var details: String

    /// Nil when there is no error of the connection beneath.
    init?(_ error: (any Error)?) {
        guard let error = error as? WebSocketError else { return nil }
        details = error.message
        isUsage = [.invalidURL, .invalidConfiguration, .unsupportedProxy].contains(error.code)
        isViolation = [.protocolViolation, .invalidText, .messageTooBig].contains(error.code)
        if let location = error.location { details += " Location: \(location)" }
        if let response = error.response, !response.bodyStart.isEmpty {
            let body = String(decoding: response.bodyStart, as: UTF8.self)
            details += "\n\(body.trimmingWhiteSpace())"
        }
    }
}

extension String {
    /// Without white space at its end, and with control characters other than line feeds shown as escapes: what a
    /// server sends must not steer a terminal.
    fileprivate func trimmingWhiteSpace() -> String {
        var text = ""
        for scalar in unicodeScalars {
            if scalar == "\n" || scalar.properties.generalCategory != .control {
                text.unicodeScalars.append(scalar)
            } else if scalar != "\r" {
                text += scalar.escaped(asASCII: true)
            }
        }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
