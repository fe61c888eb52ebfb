// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import HTTPTypes

/// How types of responses are read.
enum ResponseKind {
    /// Returns the `Accept` field for a type of response; `nil` for none.
    static func accept(for type: Any.Type, decoder: any HTTPResponseDecoder) -> String? {
        let facts = TypeFacts.of(type)
        if facts.isResponse, let response = type as? any HTTPAPIResponse.Type { return response.accept }
        if type == [UInt8].self || type == Data.self || type == String.self { return nil }
        if facts.isOptional, let optional = type as? any OptionalDecodable.Type {
            return accept(for: optional.wrapped, decoder: decoder)
        }
        return facts.isDecodable ? decoder.mediaType : nil
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
        if isText || TypeFacts.of(Wrapped.self).isOptional {
            return try content.decoded(Wrapped.self, from: bytes)
        }
        return try content.decoder.decode(Self.self, fromBody: bytes)
    }
}

// MARK: The default implementations

extension HTTPAPIRequest where Response: Decodable {
    public func response(from content: HTTPResponseContent) async throws -> Response {
        try content.decoded(Response.self, from: try await content.bytes())
    }
}

extension HTTPAPIRequest where Response: HTTPAPIResponse {
    public func response(from content: HTTPResponseContent) async throws -> Response {
        try Response(data: Data(try await content.bytes()), urlResponse: content.head)
    }
}

extension HTTPAPIRequest where Response: HTTPAPIResponse & Decodable {
    public func response(from content: HTTPResponseContent) async throws -> Response {
        try Response(data: Data(try await content.bytes()), urlResponse: content.head)
    }
}

extension HTTPAPIRequest where Response == HTTPByteStream {
    // The return types here are not written as concrete types, because the compiler would infer `Response` from them.
    public func response(from content: HTTPResponseContent) async throws -> Response { content.body }
}

extension HTTPAPIRequest where Response == Void {
    /// Reads and discards the body, so that the connection can be used again.
    public func response(from content: HTTPResponseContent) async throws -> Response {
        await content.body.discard()
        return ()
    }
}

extension HTTPAPIRequest where Failure: Decodable {
    public func failure(from content: HTTPResponseContent) async throws -> Failure { try await content.decoded() }
}

extension HTTPAPIRequest where Failure: HTTPAPIResponse {
    public func failure(from content: HTTPResponseContent) async throws -> Failure {
        try Failure(data: Data(try await content.bytes()), urlResponse: content.head)
    }
}

extension HTTPAPIRequest where Failure: HTTPAPIResponse & Decodable {
    public func failure(from content: HTTPResponseContent) async throws -> Failure {
        try Failure(data: Data(try await content.bytes()), urlResponse: content.head)
    }
}
