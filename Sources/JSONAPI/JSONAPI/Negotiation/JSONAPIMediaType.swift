// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The media type of JSON:API with the applied extensions and profiles (JSON:API 1.1, "Content Negotiation").
///
/// The parameters of the media type decide which extensions and profiles are applied, not the member `jsonapi`.
public struct JSONAPIMediaType: Sendable, Hashable {
    /// The media type without parameters: `application/vnd.api+json`.
    public static let name = "application/vnd.api+json"

    /// The URIs of the extensions, in their order.
    public var extensions: [String]
    /// The URIs of the profiles, in their order.
    public var profiles: [String]

    /// Creates a media type. By default it has neither extensions nor profiles.
    public init(extensions: [String] = [], profiles: [String] = []) {
        self.extensions = extensions
        self.profiles = profiles
    }

    /// Reads the value of a `Content-Type` field. It is `nil` if the value is another media type, or malformed.
    ///
    /// Names are not case-sensitive (RFC 9110 §8.3.1). Parameters other than `ext` and `profile` are ignored.
    public init?(contentType: String) {
        var parts = Self.parts(of: contentType, at: UInt8(ascii: ";"))[...]
        guard parts.popFirst()?.lowercased() == Self.name else { return nil }
        self.init()
        for part in parts where !part.isEmpty {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, Self.isToken(pair[0]), let value = Self.text(of: pair[1]) else { return nil }
            let uris = value.split(separator: " ").map(String.init)
            switch pair[0].lowercased() {
            case "ext": extensions += uris
            case "profile": profiles += uris
            default: break
            }
        }
    }
}

extension JSONAPIMediaType: CustomStringConvertible {
    /// The value of a `Content-Type` field: `application/vnd.api+json;ext="a b"`.
    public var description: String {
        var text = Self.name
        for (name, uris) in [("ext", extensions), ("profile", profiles)] where !uris.isEmpty {
            text += ";\(name)=\"\(uris.joined(separator: " "))\""
        }
        return text
    }
}

extension JSONAPIMediaType {
    /// Returns the value of an `Accept` field from media types in descending order of preference. Each has a lower
    /// quality than the one before, from 1 down to 0.1.
    ///
    /// The server must support the extensions of the media type that it chooses. It can ignore profiles.
    public static func accept(_ choices: JSONAPIMediaType...) -> String { accept(choices) }

    static func accept(_ choices: [JSONAPIMediaType]) -> String {
        choices.enumerated().map { index, type in
            index == 0 ? type.description : "\(type);q=0.\(max(10 - index, 1))"
        }.joined(separator: ", ")
    }
}

extension JSONAPIMediaType {
    /// Splits the value of a field at a separator outside of quoted strings (RFC 9110 §5.6.4), and trims the parts.
    package static func parts(of value: String, at separator: UInt8) -> [String] {
        var (parts, start) = ([String](), value.startIndex)
        var (isQuoted, isEscaped) = (false, false)
        func end(at index: String.Index) {
            var part = value[start..<index].utf8.drop(while: isSpace)
            while part.last.map(isSpace) ?? false { part.removeLast() }
            parts.append(String(Substring(part)))
        }
        for index in value.utf8.indices {
            switch value.utf8[index] {
            case separator where !isQuoted:
                end(at: index)
                start = value.utf8.index(after: index)
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isQuoted
            case UInt8(ascii: "\""): isQuoted.toggle()
            default: break
            }
        }
        end(at: value.endIndex)
        return parts
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Returns the text of a token or of a quoted string. It is `nil` for all else.
    private static func text(of value: Substring) -> String? {
        var rest = value.utf8
        guard rest.first == UInt8(ascii: "\"") else { return isToken(value) ? String(value) : nil }
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return rest.isEmpty ? String(decoding: bytes, as: UTF8.self) : nil }
            guard let next = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte else { return nil }
            bytes.append(next)
        }
        return nil
    }

    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"()<>@,;:\\\"/[]?={}".utf8.contains($0) }
    }
}
