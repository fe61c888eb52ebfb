// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes
import WireJSON

extension HTTPAPIRequest {
    /// Makes the head and the content of the request as a session with a default configuration does, but sends nothing.
    ///
    /// - Returns: The head, changed by ``intercept(_:)``, and the content; `nil` if the request has none.
    /// - Throws: A ``RequestURLError``; the error of the body; the error of ``intercept(_:)``.
    public func makeHTTPRequest() async throws -> (head: HTTPRequest, body: HTTPBodyEntity?) {
        try await makeHTTPRequest(defaults: HTTPFields(), decoder: decoder ?? .wireJSON)
    }

    func makeHTTPRequest(
        defaults: HTTPFields, decoder: any HTTPResponseDecoder
    ) async throws -> (head: HTTPRequest, body: HTTPBodyEntity?) {
        let entity = try body.entity()
        var fields = defaults
        if !fields.contains(.accept), let accept = TypeConformances.accept(for: Response.self, decoder: decoder) {
            fields[.accept] = accept
        }
        if let type = entity?.contentType { fields[.contentType] = type }
        fields.replace(with: headerFields)
        var head = try RequestURL.makeRequest(
            method: method, baseURL: baseURL, path: path, queryItems: queryItems, encoding: queryEncoding,
            headerFields: fields)
        try await intercept(&head)
        return (head, entity)
    }
}

extension HTTPFields {
    /// Replaces the fields that have the same names.
    package mutating func replace(with fields: HTTPFields) {
        if fields.isEmpty { return }
        for name in Set(fields.map(\.name)) { self[fields: name] = fields[fields: name] }
    }
}

/// A type of body whose value can mean that there is no body.
protocol PossiblyAbsentBody {
    var isAbsent: Bool { get }
}

extension NoHTTPBody: PossiblyAbsentBody {
    var isAbsent: Bool { true }
}

/// An optional body. `nil` sends no content and no `Content-Type`.
extension Optional: HTTPBody where Wrapped: HTTPBody {
    public func buildEntity() throws -> HTTPBodyEntity { try self?.buildEntity() ?? NoHTTPBody().buildEntity() }
}

extension Optional: PossiblyAbsentBody where Wrapped: HTTPBody {
    var isAbsent: Bool { self.map { ($0 as? any PossiblyAbsentBody)?.isAbsent ?? false } ?? true }
}

extension HTTPBody {
    /// The content; `nil` if the request has none.
    func entity() throws -> HTTPBodyEntity? {
        if TypeConformances.of(Self.self).canBeAbsent, let body = self as? any PossiblyAbsentBody, body.isAbsent {
            return nil
        }
        return try buildEntity()
    }
}
