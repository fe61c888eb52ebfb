// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A JSON body from a JSON value. It can be written as a literal: `["name": "x", "tags": [1, nil, true]]`.
///
/// In a literal, wrap a variable in a case of `JSONValue` or in `.init`:
///
/// ```swift
/// var body: JSONHTTPBody {
///     [
///         "name": .string(name), "size": .init(size), "price": .init(price) ?? nil,
///         "tags": .array(tags.map { .string($0) }), "note": note.map { .string($0) } ?? nil,
///     ]
/// }
/// ```
///
/// A `Double` needs a fallback, because JSON has no infinity. For a whole value, use an ``EncodableHTTPBody``:
/// `EncodableHTTPBody(user)`.
public struct JSONHTTPBody: HTTPBody, Hashable {
    /// The value.
    public var json: JSONValue
    /// The value of `Content-Type`. The default is `application/json`.
    public var contentType: String
    /// The layout of the text. The default is compact, in the order of the members, without escaped slashes.
    public var formatting: WireJSONEncoder.OutputFormatting

    public init(
        json: JSONValue, contentType: String = "application/json",
        formatting: WireJSONEncoder.OutputFormatting = .withoutEscapingSlashes
    ) {
        self.json = json
        self.contentType = contentType
        self.formatting = formatting
    }

    /// Encodes the value.
    ///
    /// - Throws: An `EncodingError`.
    public func buildEntity() throws -> HTTPBodyEntity {
        var encoder = WireJSONEncoder()
        encoder.outputFormatting = formatting
        return HTTPBodyEntity(contentType: contentType, content: .bytes(try encoder.encode(json)))
    }
}

extension JSONHTTPBody: ExpressibleByDictionaryLiteral {
    /// Makes an object. If a name is repeated, the last value wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(json: .object(JSONObject(elements.map { (key: $0.0, value: $0.1) })))
    }
}

extension JSONHTTPBody: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: JSONValue...) { self.init(json: .array(elements)) }
}

/// A body from any `Encodable` value, as JSON or in the format of another coder.
public struct EncodableHTTPBody<Value: Encodable & Sendable>: HTTPBody {
    /// The value, which is encoded once for each request.
    public var value: Value
    /// The value of `Content-Type`. The default is `application/json`.
    public var contentType: String
    private let coding: Coding

    private enum Coding: Sendable {
        case json(WireJSONEncoder)
        case other(@Sendable (Value) throws -> [UInt8])
    }

    /// Makes a JSON body. The default encoder has Foundation's defaults, but does not escape slashes.
    public init(_ value: Value, contentType: String = "application/json", encoder: WireJSONEncoder? = nil) {
        self.value = value
        self.contentType = contentType
        coding = .json(encoder ?? .plainSlashes)
    }

    /// Makes a body with another coder:
    /// `EncodableHTTPBody(value, contentType: "application/xml") { try xml.encode($0) }`.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - contentType: The value of `Content-Type`.
    ///   - encode: Returns the bytes, such as an array or `Data`. It is called once for each request.
    public init(
        _ value: Value, contentType: String,
        encode: @escaping @Sendable (Value) throws -> some Sequence<UInt8> & Sendable
    ) {
        self.value = value
        self.contentType = contentType
        coding = .other { Array(try encode($0)) }
    }

    /// Encodes the value.
    ///
    /// - Throws: The error of the coder.
    public func buildEntity() throws -> HTTPBodyEntity {
        let bytes =
            switch coding {
            case .json(let encoder): try encoder.encode(value)
            case .other(let encode): try encode(value)
            }
        return HTTPBodyEntity(contentType: contentType, content: .bytes(bytes))
    }
}
