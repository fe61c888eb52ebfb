// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A media type with its parameters (RFC 9110 §8.3.1), such as `application/json; charset=utf-8`.
package struct MediaTypeSyntax: Sendable, Hashable {
    package struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        package var name: String
        /// The value, without quotes.
        package var value: String
    }

    /// The type in lower case.
    package private(set) var type: String
    /// The subtype in lower case.
    package private(set) var subtype: String
    /// The parameters in their order, repeated names included. Malformed parameters are left out.
    package private(set) var parameters: [Parameter] = []
    /// Whether all parameters are well-formed. Otherwise some were left out, or have a malformed value.
    package private(set) var isWellFormed = true

    /// Parses the value of a field; `nil` if the type or the subtype is not a token.
    package init?(_ fieldValue: String) {
        let parts = FieldText.parts(of: fieldValue, at: UInt8(ascii: ";"))
        let essence = parts[0]
        guard let slash = essence.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let (type, subtype) = (essence[..<slash], essence[essence.utf8.index(after: slash)...])
        guard FieldText.isToken(type), FieldText.isToken(subtype) else { return nil }
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        for part in parts.dropFirst() where !part.isEmpty { add(part) }
    }

    private mutating func add(_ part: Substring) {
        let sides = part.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            .map { Substring($0) }
        let word = sides.count == 2 ? FieldText.word(sides[1]) : nil
        isWellFormed = isWellFormed && word != nil && FieldText.isToken(sides[0])
        guard sides.count == 2, FieldText.isToken(sides[0]), let value = word ?? Self.mended(sides[1]) else { return }
        parameters.append(Parameter(name: sides[0].lowercased(), value: value))
    }

    /// Returns a malformed value as the MIME Sniffing Standard reads it: the content of a quoted string that is not
    /// closed or has text after it, or a text with other characters than those of tokens.
    private static func mended(_ text: Substring) -> String? {
        let text = FieldText.trimming(text)
        if text.isEmpty { return nil }
        let isQuoted = text.utf8.first == UInt8(ascii: "\"")
        let bytes = isQuoted ? FieldText.quotedString(text, from: text.startIndex).content : Array(text.utf8)
        return bytes.allSatisfy(FieldText.isValueByte) ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
