// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A body of a request, before it is turned into bytes.
///
/// A body is a value that can be compared and logged in a test. A session calls ``buildEntity()`` once for each request,
/// before any byte is sent, and uses the entity for all attempts.
public protocol HTTPBody: Sendable {
    /// Makes the content that a transport sends, and its `Content-Type`.
    ///
    /// - Throws: An error if the value cannot be represented in this body's format. The request then fails before anything
    ///   is sent.
    func buildEntity() throws -> HTTPBodyEntity
}

/// The body of a request that has none. A request sends neither content nor `Content-Type` then.
public struct NoHTTPBody: HTTPBody, Hashable {
    /// Makes the absent body.
    public init() {}

    /// Returns an entity without bytes and without a content type.
    public func buildEntity() -> HTTPBodyEntity { HTTPBodyEntity(content: .bytes([])) }
}
