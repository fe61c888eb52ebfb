// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
public import HTTPTypes

/// Descriptions of requests and responses in one line, for logs and errors.
///
/// Control characters, line separators and characters that change the direction of text are escaped, so that a peer
/// cannot forge a line of a log.
public enum HTTPHeadText {
    /// Describes the head of a request: `GET https://example.com/a?token=REDACTED (Accept: text/plain)`.
    ///
    /// - Parameters:
    ///   - request: The head.
    ///   - redaction: The secrets to leave out.
    ///   - maximumCharacters: The largest length. A longer text ends with `…`. The default is 2000.
    public static func describe(
        _ request: HTTPRequest, redacting redaction: HTTPRedaction = .standard, maximumCharacters: Int = 2000
    ) -> String {
        let line = "\(request.method.rawValue) \(redaction.url(of: request))"
        return text(line, request.headerFields, redaction, maximumCharacters)
    }

    /// Describes the head of a response: `503 Service Unavailable (Retry-After: 5)`.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - redaction: The secrets to leave out.
    ///   - maximumCharacters: The largest length. A longer text ends with `…`. The default is 2000.
    public static func describe(
        _ response: HTTPResponse, redacting redaction: HTTPRedaction = .standard, maximumCharacters: Int = 2000
    ) -> String {
        let phrase = response.status.reasonPhrase
        let line = "\(response.status.code)" + (phrase.isEmpty ? "" : " \(phrase)")
        return text(line, response.headerFields, redaction, maximumCharacters)
    }

    /// Returns the URL of a request without its secrets.
    public static func url(of request: HTTPRequest, redacting redaction: HTTPRedaction = .standard) -> String {
        String.printable(redaction.url(of: request), limit: .max)
    }

    private static func text(
        _ line: String, _ fields: HTTPFields, _ redaction: HTTPRedaction, _ maximumCharacters: Int
    ) -> String {
        let list = fields.map { "\($0.name.rawName): \(redaction.value(of: $0))" }.joined(separator: ", ")
        let text = String.printable(list.isEmpty ? line : "\(line) (\(list))", limit: .max)
        let limit = max(maximumCharacters, 1)
        guard text.unicodeScalars.count > limit else { return text }
        return String(text.unicodeScalars.prefix(limit - 1)) + "…"
    }
}
