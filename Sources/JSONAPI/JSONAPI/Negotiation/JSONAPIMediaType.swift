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
    /// Names of types and parameters are not case-sensitive (RFC 9110 §8.3.1). Parameters other than `ext` and `profile`,
    /// such as `charset`, are ignored.
    public init?(contentType: String) {
        var reader = MediaTypeReader(contentType)
        guard let type = reader.type(), type.lowercased() == Self.name else { return nil }
        self.init()
        while let parameter = reader.parameter() {
            let uris = parameter.value.split(separator: " ").map(String.init)
            switch parameter.name.lowercased() {
            case "ext": extensions += uris
            case "profile": profiles += uris
            default: break
            }
        }
        guard reader.isAtEnd else { return nil }
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

/// Reads a media type and its parameters (RFC 9110 §5.6.6 and §8.3.1).
private struct MediaTypeReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func token() -> String? {
        let text = rest.prefix { byte in
            byte > 0x20 && byte < 0x7F && !"()<>@,;:\\\"/[]?={}".utf8.contains(byte)
        }
        guard !text.isEmpty else { return nil }
        rest = rest[text.endIndex...]
        return String(Substring(text))
    }

    mutating func type() -> String? {
        skipSpace()
        guard let type = token(), take(UInt8(ascii: "/")), let subtype = token() else { return nil }
        skipSpace()
        return "\(type)/\(subtype)"
    }

    /// Returns the next parameter. Empty parameters are skipped. It is `nil` at the end or at a malformed parameter.
    mutating func parameter() -> (name: String, value: String)? {
        while take(UInt8(ascii: ";")) {
            skipSpace()
            guard let name = token() else { continue }
            guard take(UInt8(ascii: "=")), let value = value() else {
                // The rest stays, so that the reader is not at its end.
                rest = ";"[...].utf8
                return nil
            }
            skipSpace()
            return (name, value)
        }
        return nil
    }

    private mutating func value() -> String? {
        guard take(UInt8(ascii: "\"")) else { return token() }
        var bytes: [UInt8] = []
        while let byte = rest.first {
            rest = rest.dropFirst()
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.first else { return nil }
                rest = rest.dropFirst()
                bytes.append(escaped)
            default: bytes.append(byte)
            }
        }
        return nil
    }
}
