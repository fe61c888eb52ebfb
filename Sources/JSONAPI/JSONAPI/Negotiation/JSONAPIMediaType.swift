// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPSyntax

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
        guard let (type, isWellFormed) = HTTPMediaType.parse(contentType), isWellFormed, type.essence == Self.name
        else { return nil }
        self.init()
        for parameter in type.parameters {
            let uris = parameter.value.split(separator: " ").map(String.init)
            switch parameter.name {
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
            text += ";\(name)=\(FieldText.quoted(uris.joined(separator: " ")))"
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
