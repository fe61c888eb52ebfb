// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes
import WireJSON

/// The failure of a request. It keeps the status, the header fields and the body that the server has sent.
///
/// ```swift
/// do {
///     _ = try await client.send(request)
/// } catch where error.code == .conflict {
///     print(error.errors.first?.detail ?? "The article exists already.")
/// } catch {
///     print(error)
/// }
/// ```
public struct JSONAPIError: Error, Sendable {
    /// A kind of failure. Later versions may add cases, so a `switch` over them needs a default.
    public enum Code: String, Sendable, Hashable {
        /// The request could not be made. No request was sent.
        case request
        /// A link of the server is not followed, for example because it leads to another origin. No request was sent.
        case link
        /// The request could not be sent, or the response is incomplete.
        case connection
        /// The client reports a failure without a status. See ``JSONAPIError/underlying``.
        case unspecified
        /// The task was cancelled.
        case cancelled
        /// The status 403: for example, the server does not accept client-generated ids or full replacement.
        case forbidden
        /// The status 404: the resource, or one that it refers to, does not exist.
        case notFound
        /// The status 406: the server supports none of the accepted media types, for example none of the extensions.
        case notAcceptable
        /// The status 409: for example, the id exists already, or the type does not belong to the collection.
        case conflict
        /// The status 415: the server does not support the media type of the request or one of its extensions.
        case unsupportedMediaType
        /// Any other status from 400 to 499.
        case clientError
        /// A status from 500 to 599.
        case serverError
        /// A status from 100 to 199 or from 300 to 399, such as a redirect that is not followed.
        case unexpectedStatus
        /// A document with errors, with a status from 200 to 299 or without a status.
        case errors
        /// The `Content-Type` of the response is not that of JSON:API.
        case mediaType
        /// The response applies an extension that was not requested.
        case unrequestedExtension
        /// The body cannot be read as a document.
        case document
        /// A resource of the document cannot be read as its type.
        case resource
        /// The response has no document.
        case emptyResponse
        /// The document has no primary data.
        case noData
        /// The primary data is an array, and one resource was expected.
        case notSingleData
        /// The primary data is one resource or `null`, and an array was expected.
        case notCollectionData
        /// The links of the pages lead back to a page that was read before, or there are too many pages.
        case pageLoop
        /// The server has accepted the request, but did not finish it in time.
        case unfinished
    }

    /// The kind of failure.
    public let code: Code
    /// The readable explanation, without the contents of bodies.
    public let message: String
    /// The cause, such as a ``DocumentError`` or an error of `HTTPRequests`.
    public let underlying: (any Error)?
    /// The response of the server, or `nil` if none arrived, or if the client does not report its status.
    public let response: ServerResponse?
    /// The body of the response, or its beginning if it exceeds the limit. It is `nil` if none arrived.
    public let body: [UInt8]?
    /// The document of the response, or `nil` if there is none.
    public let document: RawDocument?

    /// Creates an error. Without `body` and `document`, it has those of the response.
    public init(
        _ code: Code, _ message: String, underlying: (any Error)? = nil, response: ServerResponse? = nil,
        body: [UInt8]? = nil, document: RawDocument? = nil
    ) {
        self.code = code
        self.message = message
        self.underlying = underlying
        self.response = response
        self.body = body ?? response?.body
        self.document = document ?? response?.document
    }

    /// The status of the response, or `nil` if none arrived.
    public var status: HTTPResponse.Status? { response?.status }
    /// The errors of the response's document. It is empty if there is none.
    public var errors: [JSONAPIErrorObject] { document?.errors ?? [] }
}

extension JSONAPIError: CustomStringConvertible {
    /// The explanation, and the title and the detail of the first error of the server.
    public var description: String {
        guard let first = errors.first else { return message }
        let texts = [first.title, first.detail, first.source?.pointer.map { "at `\($0)`" }]
        let said = texts.compactMap(\.self).joined(separator: ", ")
        let more = errors.count > 1 ? " (\(errors.count) errors in all)" : ""
        return said.isEmpty && more.isEmpty
            ? message : "\(message) The server says: \(String(said.unicodeScalars.prefix(500)))\(more)"
    }
}

extension JSONAPIErrorObject {
    /// Returns the property that the error is about: `/data/attributes/title` makes `\.title`. It is `nil` if the error
    /// has no pointer to a field of the type.
    ///
    /// Pointers into operations of an atomic request and into a part of an attribute lead to the field, too.
    public func field<R: Resource>(of type: R.Type) -> PartialKeyPath<R>? {
        guard var tokens = source?.pointer.flatMap({ JSONPointer(parsing: $0) })?.tokens[...] else { return nil }
        if tokens.first == AtomicOperations.operations { tokens = tokens.dropFirst(2) }
        guard tokens.popFirst() == "data", let kind = tokens.popFirst(), let name = tokens.first,
            let field = R.schema[name], (kind == "attributes") == (field.kind == .attribute),
            kind == "attributes" || kind == "relationships"
        else { return nil }
        return field.path
    }
}

extension JSONAPIError {
    /// Returns the errors of the server about a field.
    public func errors<R: Resource>(about field: PartialKeyPath<R>) -> [JSONAPIErrorObject] {
        errors.filter { $0.field(of: R.self) == field }
    }

    /// Returns the result of a function. If the function throws, its error becomes the underlying error of a
    /// `JSONAPIError` with the given code.
    static func translating<Value>(
        _ code: Code, _ response: ServerResponse? = nil, _ body: () throws -> Value
    ) throws(JSONAPIError) -> Value {
        do {
            return try body()
        } catch {
            throw JSONAPIError(code, "\(error)", underlying: error, response: response)
        }
    }
}
