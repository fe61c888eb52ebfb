// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A body of names and values, as `application/x-www-form-urlencoded`. It can be written as a dictionary literal, which
/// keeps its order: `["name": "x", "size": 3, "tag": ["a", "b"]]`.
///
/// In a literal, wrap a variable in `.init`, such as a text, a number or an array of them:
/// `["name": .init(name), "tag": .init(tags)]`.
public struct FormHTTPBody: HTTPBody, Hashable {
    /// The names and values, not yet encoded.
    public var items: [HTTPQueryItem]
    /// The encoding. The default is ``HTTPQueryEncoding/form``.
    public var encoding: HTTPQueryEncoding
    /// The value of `Content-Type`. The default is `application/x-www-form-urlencoded`.
    public var contentType: String

    public init(
        _ items: [HTTPQueryItem], encoding: HTTPQueryEncoding = .form,
        contentType: String = "application/x-www-form-urlencoded"
    ) {
        self.items = items
        self.encoding = encoding
        self.contentType = contentType
    }

    /// Makes a body of the members of a value, in the order in which they are encoded.
    ///
    /// Texts, numbers, Booleans, `null` and arrays of these can be members.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder that turns members into texts, numbers and names.
    ///   - encoding: The encoding of the names and texts.
    /// - Throws: An ``HTTPBodyError`` if a member is an object or a nested array; an `EncodingError`.
    public init(
        encoding value: some Encodable, encoder: WireJSONEncoder = WireJSONEncoder(),
        as encoding: HTTPQueryEncoding = .form
    ) throws {
        let bytes: [UInt8] = try encoder.encode(value)
        guard case .object(let members) = try JSONValue(parsing: bytes) else { throw HTTPBodyError.formWithoutNames }
        self.init(
            try members.map { name, value in
                guard case .array(let elements) = value else {
                    return HTTPQueryItem(name, try Self.text(of: value, name: name))
                }
                return HTTPQueryItem(name, try elements.map { try Self.text(of: $0, name: name) ?? "" })
            }, encoding: encoding)
    }

    private static func text(of value: JSONValue, name: String) throws -> String? {
        switch value {
        case .null: nil
        case .bool(let value): value ? "true" : "false"
        case .string(let text): text
        case .number: value.description
        case .array, .object: throw HTTPBodyError.nestedFormValue(name: name)
        }
    }

    /// Encodes the items.
    public func buildEntity() -> HTTPBodyEntity {
        HTTPBodyEntity(contentType: contentType, content: .bytes(Array(encoding.encode(items).utf8)))
    }
}

extension FormHTTPBody: ExpressibleByDictionaryLiteral {
    /// Makes a body of items, in the order of the literal. Names may be repeated.
    public init(dictionaryLiteral elements: (String, HTTPQueryItem.Value)...) {
        self.init(elements.map { HTTPQueryItem(name: $0, value: $1) })
    }
}

extension HTTPQueryItem.Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .single(value) }
    public init(integerLiteral value: Int64) { self = .single(String(value)) }
    public init(floatLiteral value: Double) { self = .single(String(value)) }
    public init(booleanLiteral value: Bool) { self = .single(value ? "true" : "false") }
    public init(arrayLiteral elements: String...) { self = .array(elements) }
    public init(nilLiteral: ()) { self = .none }
}
