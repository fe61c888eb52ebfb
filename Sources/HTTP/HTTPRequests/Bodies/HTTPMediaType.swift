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

    /// Parses the value of `Content-Type`.
    ///
    /// The result is `nil` if the type or the subtype is malformed. Malformed parameters, which many servers send, are
    /// left out, and the others are kept. A value without the quotes that it needs is kept, as the MIME Sniffing
    /// Standard prescribes.
    public init?(_ fieldValue: String) {
        guard let syntax = MediaTypeSyntax(fieldValue) else { return nil }
        type = syntax.type
        subtype = syntax.subtype
        var names: Set<String> = []
        parameters = syntax.parameters.filter { names.insert($0.name).inserted }
            .map { Parameter(name: $0.name, value: $0.value) }
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

extension HTTPMediaType: CustomStringConvertible {
    /// The media type as a field value, with quotes where a parameter needs them.
    public var description: String {
        parameters.reduce(into: essence) { text, parameter in
            text += "; \(parameter.name)=\(FieldText.parameterValue(parameter.value))"
        }
    }
}
