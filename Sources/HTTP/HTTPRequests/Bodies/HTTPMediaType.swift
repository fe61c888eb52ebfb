// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// A media type with its parameters, such as `application/json; charset=utf-8` (RFC 9110 §8.3.1).
public struct HTTPMediaType: Sendable, Hashable {
    /// A parameter of a media type.
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        public let name: String
        /// The value, without quotes.
        public let value: String
    }

    /// The type in lower case, such as `application`.
    public let type: String
    /// The subtype in lower case, such as `vnd.api+json`.
    public let subtype: String
    /// The parameters in their order. If a name is repeated, the first value counts.
    public let parameters: [Parameter]

    /// The type and the subtype, such as `text/plain`.
    public var essence: String { "\(type)/\(subtype)" }

    /// The value of a parameter; `nil` if it is absent. Letter case in the name makes no difference.
    public subscript(name: String) -> String? {
        let name = name.lowercased()
        return parameters.first { $0.name == name }?.value
    }

    /// The value of `charset` in lower case; `nil` if it is absent.
    public var charset: String? { self["charset"]?.lowercased() }

    /// Whether the content is JSON: `application/json`, `text/json`, or a subtype that ends with `+json`.
    public var isJSON: Bool {
        (subtype == "json" && (type == "application" || type == "text")) || subtype.hasSuffix("+json")
    }

    /// Whether the type is in a range such as `text/plain`, `text/*` or `*/*`. Parameters make no difference.
    public func matches(_ range: String) -> Bool {
        guard let range = HTTPMediaType(range) else { return false }
        return range.essence == "*/*" || (range.type == type && (range.subtype == "*" || range.subtype == subtype))
    }
}

extension HTTPMediaType {
    /// Parses the value of `Content-Type`.
    ///
    /// The result is `nil` if the type or the subtype is malformed. Malformed parameters, which many servers send, are
    /// left out, and the others are kept. A value without the quotes that it needs is kept, as the MIME Sniffing
    /// Standard prescribes.
    public init?(_ fieldValue: String) {
        guard let type = Self.parse(fieldValue)?.type else { return nil }
        var names: Set<String> = []
        self.init(
            type: type.type, subtype: type.subtype,
            parameters: type.parameters.filter { names.insert($0.name).inserted })
    }

    /// Parses the value of a field; `nil` if the type or the subtype is not a token.
    ///
    /// - Returns: The media type with repeated parameters, and whether all parameters are well-formed. Otherwise some
    ///   were left out, or have a malformed value.
    package static func parse(_ fieldValue: String) -> (type: HTTPMediaType, isWellFormed: Bool)? {
        let parts = FieldText.parts(of: fieldValue, at: UInt8(ascii: ";"))
        let essence = parts[0]
        guard let slash = essence.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let (type, subtype) = (essence[..<slash], essence[essence.utf8.index(after: slash)...])
        guard FieldText.isToken(type), FieldText.isToken(subtype) else { return nil }
        var parameters: [Parameter] = []
        var isWellFormed = true
        for part in parts.dropFirst() where !part.isEmpty {
            let sides = part.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { Substring($0) }
            let word = sides.count == 2 ? FieldText.word(sides[1]) : nil
            isWellFormed = isWellFormed && word != nil && FieldText.isToken(sides[0])
            guard sides.count == 2, FieldText.isToken(sides[0]), let value = word ?? mended(sides[1]) else { continue }
            parameters.append(Parameter(name: sides[0].lowercased(), value: value))
        }
        let result = HTTPMediaType(type: type.lowercased(), subtype: subtype.lowercased(), parameters: parameters)
        return (result, isWellFormed)
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

extension HTTPMediaType: CustomStringConvertible {
    /// The media type as a field value, with quotes where a parameter needs them.
    public var description: String {
        parameters.reduce(into: essence) { text, parameter in
            text += "; \(parameter.name)=\(FieldText.parameterValue(parameter.value))"
        }
    }
}
