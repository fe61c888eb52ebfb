// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes

/// A to-many relationship of a resource on a server, with a URL of its own.
///
/// ```swift
/// let authors = articles.relationship(\.authors, of: "1")
/// try await authors.add("5", "12")
/// try await authors.remove("9")
/// let ids = try await authors.read().ids
/// ```
///
/// Adding existing members or removing absent ones succeeds, so all requests may be sent again.
public struct ToManyEndpoint<T: RelationshipTarget>: CollectionQuerying {
    var endpoint: LinkageEndpoint

    /// The request without its document. Its method is set when it is sent.
    public var request: JSONAPIRequest {
        get { endpoint.request }
        set { endpoint.request = newValue }
    }

    /// Requests the linkage. With ``Querying/include(_:)``, the response's document includes the resources.
    public func read() async throws(JSONAPIError) -> LinkageResponse<T> { try await change(.get, nil) }

    /// Adds references. Existing ones are not repeated.
    @discardableResult
    public func add(_ identifiers: [ResourceIdentifier<T>]) async throws(JSONAPIError) -> LinkageResponse<T> {
        try await change(.post, identifiers)
    }

    /// Removes references. Absent ones make no difference.
    @discardableResult
    public func remove(_ identifiers: [ResourceIdentifier<T>]) async throws(JSONAPIError) -> LinkageResponse<T> {
        try await change(.delete, identifiers)
    }

    /// Replaces all references.
    @discardableResult
    public func replace(_ identifiers: [ResourceIdentifier<T>]) async throws(JSONAPIError) -> LinkageResponse<T> {
        try await change(.patch, identifiers)
    }

    /// Returns the pages of the linkage as documents, at most `limit` of them.
    ///
    /// The link is the first page, such as `article.comments.links.next`, or `nil` for the beginning. A relative link
    /// is resolved against the base URL of a ``JSONAPIClient``.
    public func pages(from link: JSONAPILink? = nil, limit: Int = 10_000) -> DocumentPages {
        var request = endpoint.request
        if let href = link?.href {
            request.target = .link(href, relativeTo: nil)
            // The fallback path leads to the first page, and a fault of the path does not concern a link.
            (request.fallbackPath, request.fault) = (nil, nil)
        }
        return endpoint.client.pages(request, limit: limit)
    }

    private func change(
        _ method: HTTPRequest.Method, _ identifiers: [ResourceIdentifier<T>]?
    ) async throws(JSONAPIError) -> LinkageResponse<T> {
        let linkage = identifiers.map { RelationshipObject.Linkage.toMany($0.map(\.object)) }
        return try LinkageResponse(try await endpoint.send(method, linkage), isToMany: true)
    }
}

extension ToManyEndpoint where T: Resource {
    /// Adds the resources with the given ids.
    @discardableResult
    public func add(_ ids: T.ID...) async throws(JSONAPIError) -> LinkageResponse<T> {
        try await add(ids.map { ResourceIdentifier(id: $0) })
    }

    /// Removes the resources with the given ids.
    @discardableResult
    public func remove(_ ids: T.ID...) async throws(JSONAPIError) -> LinkageResponse<T> {
        try await remove(ids.map { ResourceIdentifier(id: $0) })
    }

    /// Replaces all members by the resources with the given ids. Without ids, the relationship is emptied.
    @discardableResult
    public func replace(_ ids: T.ID...) async throws(JSONAPIError) -> LinkageResponse<T> {
        try await replace(ids.map { ResourceIdentifier(id: $0) })
    }
}

/// A to-one relationship of a resource on a server, with a URL of its own.
public struct ToOneEndpoint<T: RelationshipTarget>: Querying {
    var endpoint: LinkageEndpoint

    /// The request without its document. Its method is set when it is sent.
    public var request: JSONAPIRequest {
        get { endpoint.request }
        set { endpoint.request = newValue }
    }

    /// Requests the linkage. With ``Querying/include(_:)``, the response's document includes the resource.
    public func read() async throws(JSONAPIError) -> LinkageResponse<T> {
        try LinkageResponse(try await endpoint.send(.get, nil), isToMany: false)
    }

    /// Sets the reference. `nil` empties the relationship.
    @discardableResult
    public func set(identifier: ResourceIdentifier<T>?) async throws(JSONAPIError) -> LinkageResponse<T> {
        try LinkageResponse(try await endpoint.send(.patch, .toOne(identifier?.object)), isToMany: false)
    }
}

extension ToOneEndpoint where T: Resource {
    /// Sets the related resource. `nil` empties the relationship.
    @discardableResult
    public func set(_ id: T.ID?) async throws(JSONAPIError) -> LinkageResponse<T> {
        try await set(identifier: id.map { ResourceIdentifier<T>(id: $0) })
    }
}

struct LinkageEndpoint: Sendable {
    /// The resource with the relationship.
    let owner: ResourceObject
    let name: String
    var request: JSONAPIRequest
    let client: any JSONAPISender

    @concurrent func send(
        _ method: HTTPRequest.Method, _ linkage: RelationshipObject.Linkage?
    ) async throws(JSONAPIError) -> ServerResponse {
        if let fault = request.fault { throw fault }
        try JSONAPIError.translating(.request) { try owner.checkTargets(of: linkage, in: name) }
        var request = request
        request.method = method
        request.body = linkage.map { RawDocument(data: PrimaryData($0)) }
        request.isIdempotent = true
        return try await client.send(request)
    }
}

extension ResourceObject {
    /// Checks that each reference of a relationship of this resource has an id or a local id.
    func checkTargets(of linkage: RelationshipObject.Linkage?, in relationship: String) throws(ResourceError) {
        let target = linkage?.identifiers.first { $0.id == nil && $0.lid == nil }
        if let target { throw ResourceError(.unidentifiedTarget(type: target.type), self, field: relationship) }
    }
}

/// The response to a request for a relationship.
public struct LinkageResponse<T: RelationshipTarget>: Sendable {
    /// The response of the server.
    public let response: ServerResponse
    /// The document, or `nil` if there is none.
    public let document: JSONAPIDocument?
    /// The references, or `nil` if the response has none: the linkage is as it was sent, or not processed yet.
    public let identifiers: [ResourceIdentifier<T>]?

    /// The outcome.
    public var outcome: ServerResponse.Outcome { response.outcome }

    init(_ response: ServerResponse, isToMany: Bool) throws(JSONAPIError) {
        self.response = response
        document = response.received.map { JSONAPIDocument($0, options: ResourceOptions()) }
        switch (response.document?.data.map(RelationshipObject.Linkage.init), isToMany) {
        case (nil, _): identifiers = nil
        case (.toOne(let object)?, false): identifiers = object.map { [ResourceIdentifier($0)] } ?? []
        case (.toMany(let objects)?, true): identifiers = objects.map { ResourceIdentifier($0) }
        case (.toOne?, true):
            let message = "The linkage is not an array, and the relationship is to-many."
            throw JSONAPIError(.notCollectionData, message, response: response)
        case (.toMany?, false):
            let message = "The linkage is an array, and the relationship is to-one."
            throw JSONAPIError(.notSingleData, message, response: response)
        }
    }
}

extension LinkageResponse where T: Resource {
    /// The ids, without those of other types. It is empty if the response has no linkage.
    public var ids: [T.ID] { (identifiers ?? []).compactMap(\.id) }
}
