// swift-jsonrpc · SPDX-License-Identifier: MIT

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

    /// Parses the value of `Content-Type` as the MIME Sniffing Standard prescribes.
    ///
    /// The type and the subtype must be well-formed; otherwise the result is `nil`. A malformed parameter is left out, as
    /// many servers send these, and the others are kept.
    public init?(_ fieldValue: String) {
        var reader = MediaTypeReader(fieldValue)
        guard let type = reader.readToken(until: UInt8(ascii: "/")), reader.skip(UInt8(ascii: "/")),
            let subtype = reader.readToken(until: UInt8(ascii: ";"))
        else { return nil }
        self.type = type
        self.subtype = subtype
        var parameters: [Parameter] = []
        var names: Set<String> = []
        while reader.skip(UInt8(ascii: ";")) {
            guard let (name, value) = reader.readParameter(), names.insert(name).inserted else { continue }
            parameters.append(Parameter(name: name, value: value))
        }
        self.parameters = parameters
    }

    /// The type and the subtype, such as `text/plain`.
    public var essence: String { "\(type)/\(subtype)" }

    /// The value of a parameter; `nil` if it is absent. Letter case in the name makes no difference.
    public subscript(name: String) -> String? {
        let name = name.lowercased()
        return parameters.first { $0.name == name }?.value
    }

    /// The value of `charset` in lower case; `nil` if it is absent.
    public var charset: String? { self["charset"]?.lowercased() }

    /// Whether the type says that the content is JSON: `application/json`, `text/json`, or a subtype that ends with `+json`.
    public var isJSON: Bool {
        (subtype == "json" && (type == "application" || type == "text")) || subtype.hasSuffix("+json")
    }

    /// Whether the type is in a range such as `text/plain`, `text/*` or `*/*`. Parameters make no difference.
    public func matches(_ range: String) -> Bool {
        guard let range = HTTPMediaType(range) else { return false }
        return range.essence == "*/*" || (range.type == type && (range.subtype == "*" || range.subtype == subtype))
    }
}

extension HTTPMediaType: CustomStringConvertible {
    /// The media type as the value of a field. Values that need quotes have them.
    public var description: String {
        parameters.reduce(into: essence) { text, parameter in
            text += "; \(parameter.name)="
            if !parameter.value.isEmpty, parameter.value.utf8.allSatisfy(FieldText.isTokenByte) {
                text += parameter.value
            } else {
                let escaped = parameter.value.unicodeScalars.map {
                    "\"\\".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)"
                }
                text += "\"\(escaped.joined())\""
            }
        }
    }
}

/// Reads the parts of a media type.
private struct MediaTypeReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Self.trimming(Array(text.utf8)[...])
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func trimming(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: isWhitespace)
        while let last = bytes.last, isWhitespace(last) { bytes.removeLast() }
        return bytes
    }

    private mutating func read(until isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let part = rest.prefix { !isEnd($0) }
        rest = rest.dropFirst(part.count)
        return part
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    mutating func readToken(until end: UInt8) -> String? {
        var part = read { $0 == end }
        if end == UInt8(ascii: ";") { while let last = part.last, Self.isWhitespace(last) { part.removeLast() } }
        guard !part.isEmpty, part.allSatisfy(FieldText.isTokenByte) else { return nil }
        return String(decoding: part, as: UTF8.self).lowercased()
    }

    /// Reads up to the next `;`. The result is `nil` if there is no well-formed parameter.
    mutating func readParameter() -> (name: String, value: String)? {
        rest = rest.drop(while: Self.isWhitespace)
        let name = read { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") }
        guard skip(UInt8(ascii: "=")) else { return nil }
        let value: [UInt8]
        if skip(UInt8(ascii: "\"")) {
            value = readQuoted()
            _ = read { $0 == UInt8(ascii: ";") }
        } else {
            value = Array(Self.trimming(read { $0 == UInt8(ascii: ";") }))
            if value.isEmpty { return nil }
        }
        guard !name.isEmpty, name.allSatisfy(FieldText.isTokenByte),
            value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) })
        else { return nil }
        return (String(decoding: name, as: UTF8.self).lowercased(), String(decoding: value, as: UTF8.self))
    }

    /// Reads up to the closing quote, or to the end if there is none.
    private mutating func readQuoted() -> [UInt8] {
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                value.append(escaped)
            } else {
                value.append(byte)
            }
        }
        return value
    }
}
