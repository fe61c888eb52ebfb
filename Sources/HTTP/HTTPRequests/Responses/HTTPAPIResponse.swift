// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import HTTPTypes
public import WireJSON

/// A response that is made from the bytes of a body.
///
/// Conform to it for formats that no decoder reads. A type that is `Decodable` needs no conformance.
public protocol HTTPAPIResponse: Sendable {
    /// The value of the `Accept` field; `nil` for none. The default is `nil`.
    static var accept: String? { get }

    /// Makes the response.
    ///
    /// - Parameters:
    ///   - data: The whole body, at most as large as the limit of the request.
    ///   - urlResponse: The head of the response.
    /// - Throws: An error, with which the request fails as ``HTTPRequestError/response(_:)``.
    init(data: Data, urlResponse: HTTPResponse) throws
}

extension HTTPAPIResponse {
    public static var accept: String? { nil }
}

/// A response that is made from a JSON value.
public protocol JSONResponse: HTTPAPIResponse {
    /// The limits of the parser. The default is `JSONLimits()`.
    static var limits: JSONLimits { get }

    /// Makes the response.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - urlResponse: The head of the response.
    init(json: JSONValue, urlResponse: HTTPResponse) throws
}

extension JSONResponse {
    public static var accept: String? { "application/json" }
    public static var limits: JSONLimits { JSONLimits() }

    /// Parses the body.
    ///
    /// - Throws: A `JSONSyntaxError` if the body is not JSON; the error of ``init(json:urlResponse:)``.
    public init(data: Data, urlResponse: HTTPResponse) throws {
        try self.init(json: JSONValue(parsing: [UInt8](data), limits: Self.limits), urlResponse: urlResponse)
    }
}

/// A response that may be absent: `nil` for the statuses 204, 205 and 304, and for an empty body.
extension Optional: HTTPAPIResponse where Wrapped: HTTPAPIResponse {
    public static var accept: String? { Wrapped.accept }

    public init(data: Data, urlResponse: HTTPResponse) throws {
        self =
            data.isEmpty || urlResponse.status.isWithoutContent
            ? nil : try Wrapped(data: data, urlResponse: urlResponse)
    }
}

extension HTTPResponse.Status {
    /// Whether responses with the status have no content (RFC 9110 §15.3.5, §15.3.6, §15.4.5).
    var isWithoutContent: Bool { [204, 205, 304].contains(code) }
}
