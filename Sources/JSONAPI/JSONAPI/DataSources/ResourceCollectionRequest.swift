// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// A request whose response has an array of resources of the type `R`.
///
/// It is a value: change it and send it as often as you like. `R` can also be a ``ResourceUnion`` or ``AnyResource``.
public struct ResourceCollectionRequest<R: RelationshipTarget>: CollectionQuerying {
    public var request: JSONAPIRequest
    /// The client that sends the request.
    public let client: any JSONAPISender
    /// The rules for making values of the resources in the response.
    public var options = ResourceOptions()
    /// The store that gets the resources of the response, or `nil` for none.
    public var store: ResourceStore?
}

// The initializers are in an extension, so that there is a memberwise one.
extension ResourceCollectionRequest {
    /// Creates a request. The path is below the base URL of the API, and percent-encoded.
    public init(path: String, method: HTTPRequest.Method = .get, client: any JSONAPISender) {
        self.init(request: JSONAPIRequest(path: path, method: method), client: client)
    }

    /// Creates a request that sends a resource, unless it is `nil`, and whose response has an array of resources.
    ///
    /// By default, the fields that are sent are `new` for `POST`, and `changes` for other methods.
    public init(
        path: String, method: HTTPRequest.Method, client: any JSONAPISender, resource: R?,
        sending selection: FieldSelection? = nil
    ) where R: Resource {
        self.init(path: path, method: method, client: client)
        do {
            let object = try resource?.resourceObject(sending: selection ?? (method == .post ? .new : .changes))
            request.body = object.map { RawDocument(data: .single($0)) }
        } catch {
            request.fault = JSONAPIError(.request, "\(error)", underlying: error)
        }
    }

    /// Sends the request, and reads its response.
    @concurrent public func result() async throws(JSONAPIError) -> ResourceCollectionResponse<R> {
        try await read(try await client.send(request))
    }

    /// Reads a response, and puts its resources into the store.
    func read(_ response: ServerResponse) async throws(JSONAPIError) -> ResourceCollectionResponse<R> {
        let result = try ResourceCollectionResponse(response, to: self)
        await store?.insert(result.document)
        return result
    }
}

/// The response to a ``ResourceCollectionRequest``.
public struct ResourceCollectionResponse<R: RelationshipTarget>: Sendable {
    /// The response of the server.
    public let response: ServerResponse
    /// The document.
    public let document: JSONAPIDocument
    /// The resources, in the order of the document.
    public let resources: [R]
    private let request: ResourceCollectionRequest<R>

    /// The outcome.
    public var outcome: ServerResponse.Outcome { response.outcome }
    /// The links of the document.
    public var links: JSONAPILinks { document.links }

    init(_ response: ServerResponse, to request: ResourceCollectionRequest<R>) throws(JSONAPIError) {
        self.response = response
        self.request = request
        guard let document = response.typedDocument(request.options, request.query) else {
            throw JSONAPIError(.emptyResponse, "The response has no document.", response: response)
        }
        self.document = document
        switch document.shape {
        case .absent: throw JSONAPIError(.noData, "The document has no primary data.", response: response)
        case .null, .single:
            let message = "The primary data are one resource or `null`, and an array was expected."
            throw JSONAPIError(.notCollectionData, message, response: response)
        case .collection: break
        }
        resources = try JSONAPIError.translating(.resource, response) { try document.resources(as: R.self) }
    }

    /// Returns the request for the page of a link, such as `links.next`. The link is used as the server gave it, with
    /// its query. The result is `nil` if the link is absent or `null`.
    public func request(following link: JSONAPILink?) -> ResourceCollectionRequest<R>? {
        guard let next = response.request(following: link, after: request.request) else { return nil }
        // The link may name the fieldsets in another way than this query, so those of the query are kept.
        let options = request.options.adding(fieldsetsOf: request.query)
        return ResourceCollectionRequest(request: next, client: request.client, options: options, store: request.store)
    }

    /// The request for the next page, or `nil` if there is none.
    public var next: ResourceCollectionRequest<R>? { request(following: links.next) }
    /// The request for the previous page, or `nil` if there is none.
    public var previous: ResourceCollectionRequest<R>? { request(following: links.prev) }
    /// The request for the first page, or `nil` if the server does not name it.
    public var first: ResourceCollectionRequest<R>? { request(following: links.first) }
    /// The request for the last page, or `nil` if the server does not name it.
    public var last: ResourceCollectionRequest<R>? { request(following: links.last) }
    /// The request for this page, or `nil` if the server does not name it.
    public var reload: ResourceCollectionRequest<R>? { request(following: links["self"]) }
}
