// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials
public import HTTPTypes
public import WireJSON

/// The head of a response, and its body, which can be read once.
public struct HTTPResponseContent: Sendable {
    /// The head.
    public let head: HTTPResponse
    /// The body, as a stream with backpressure.
    public let body: HTTPByteStream
    /// Facts about the exchange, such as the version of HTTP.
    public let facts: HTTPExchangeFacts
    /// The largest body that ``bytes()`` reads, in bytes.
    public let maximumBytes: Int
    /// The decoder of `Decodable` values.
    public let decoder: any HTTPResponseDecoder
    /// The last request that was sent, after interceptors and redirects; `nil` if the content was made for a test.
    public let request: HTTPRequest?

    /// Makes the content of a response, for tests of ``HTTPAPIRequest/response(from:)``.
    public init(
        _ response: ReceivedHTTPResponse, maximumBytes: Int = 10 << 20,
        decoder: any HTTPResponseDecoder = .wireJSON, request: HTTPRequest? = nil
    ) {
        head = response.head
        body = response.body
        facts = response.facts
        self.maximumBytes = maximumBytes
        self.decoder = decoder
        self.request = request
    }

    /// Reads the whole body.
    ///
    /// - Throws: ``HTTPByteStreamError/tooLarge(limit:beginning:)`` if the body exceeds ``maximumBytes``. If the server
    ///   announced such a length, only the beginning is read. The errors of the stream.
    public func bytes() async throws -> [UInt8] {
        guard let length = body.length, length > Int64(maximumBytes) else {
            return try await body.collect(upTo: maximumBytes)
        }
        var beginning: [UInt8]
        do {
            beginning = try await body.collect(upTo: min(maximumBytes, HTTPByteStream.beginningLimit))
        } catch HTTPByteStreamError.tooLarge(_, let bytes) {
            beginning = bytes
        }
        throw HTTPByteStreamError.tooLarge(limit: maximumBytes, beginning: beginning)
    }

    /// Reads the whole body as a value.
    ///
    /// `[UInt8]`, `Data` and `String` hold the bytes of the body. An `Optional` is `nil` for the statuses 204, 205 and
    /// 304, and for an empty body. Values of all other types are decoded by ``decoder``.
    ///
    /// - Throws: The errors of ``bytes()``; an ``HTTPResponseContentError``; the error of the decoder.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) async throws -> Value {
        try decoded(type, from: try await bytes())
    }

    func decoded<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        // The types are compared first, because an empty array can be cast to an array of any other type.
        if type == [UInt8].self, let bytes = bytes as? Value { return bytes }
        if type == Data.self, let data = Data(bytes) as? Value { return data }
        if type == String.self, let text = try text(of: bytes) as? Value { return text }
        if TypeConformances.of(type).isOptional, let optional = type as? any OptionalDecodable.Type {
            guard let value = try optional.decoded(from: bytes, of: self) as? Value else {
                throw HTTPResponseContentError.empty
            }
            return value
        }
        if bytes.isEmpty { throw HTTPResponseContentError.empty }
        return try decoder.decode(type, fromBody: bytes)
    }

    private func text(of bytes: [UInt8]) throws -> String {
        let type = head.headerFields[.contentType].flatMap { HTTPMediaType($0) }
        switch type?.charset {
        case nil, "utf-8", "utf8", "us-ascii", "ascii":
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw HTTPResponseContentError.invalidUTF8
            }
            return text
        case "iso-8859-1", "latin1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case let name?: throw HTTPResponseContentError.unsupportedCharset(String(name.prefix(40)))
        }
    }
}

/// An `Optional` of a `Decodable` type.
protocol OptionalDecodable {
    static var wrapped: Any.Type { get }

    static func decoded(from bytes: [UInt8], of content: HTTPResponseContent) throws -> Self
}

extension Optional: OptionalDecodable where Wrapped: Decodable {
    static var wrapped: Any.Type { Wrapped.self }

    static func decoded(from bytes: [UInt8], of content: HTTPResponseContent) throws -> Self {
        if bytes.isEmpty || content.head.status.isWithoutContent { return nil }
        // A body of `null` is `nil`, too.
        let isText = wrapped == [UInt8].self || wrapped == Data.self || wrapped == String.self
        if isText || TypeConformances.of(Wrapped.self).isOptional {
            return try content.decoded(Wrapped.self, from: bytes)
        }
        return try content.decoder.decode(Self.self, fromBody: bytes)
    }
}

/// A body that cannot be read as the type of the response.
public enum HTTPResponseContentError: Error, Hashable {
    /// The body is empty, and the response type is not an `Optional`.
    case empty
    /// The body is not valid UTF-8.
    case invalidUTF8
    /// The response names a character encoding that is not supported. UTF-8, US-ASCII and ISO-8859-1 are.
    case unsupportedCharset(String)
}

extension HTTPResponseContentError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "The body is empty. Use an optional type if the server may send no content."
        case .invalidUTF8: "The body is not valid UTF-8."
        case .unsupportedCharset(let name):
            "The character encoding \(String(reflecting: name)) is not supported. Use `[UInt8]` to get the bytes."
        }
    }
}

/// A decoder of the bodies of responses. It is used concurrently.
public protocol HTTPResponseDecoder: Sendable {
    /// The media type that the decoder reads, for the `Accept` field. The default is `application/json`.
    var mediaType: String { get }

    /// Decodes a value from a whole body.
    ///
    /// - Throws: A `DecodingError`, or any other error that the type's decoding throws.
    func decode<Value: Decodable>(_ type: Value.Type, fromBody bytes: [UInt8]) throws -> Value
}

extension HTTPResponseDecoder {
    public var mediaType: String { "application/json" }
}

extension WireJSONDecoder: HTTPResponseDecoder {
    public func decode<Value: Decodable>(_ type: Value.Type, fromBody bytes: [UInt8]) throws -> Value {
        try decode(type, from: bytes)
    }
}

extension JSONDecoder: HTTPResponseDecoder {
    public func decode<Value: Decodable>(_ type: Value.Type, fromBody bytes: [UInt8]) throws -> Value {
        try decode(type, from: Data(bytes))
    }
}

extension HTTPResponseDecoder where Self == WireJSONDecoder {
    /// WireJSON's decoder with its default options.
    public static var wireJSON: WireJSONDecoder { WireJSONDecoder() }
}
