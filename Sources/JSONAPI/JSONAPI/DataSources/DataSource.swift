// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests

/// The resources of a type on a server.
///
/// ```swift
/// let articles = DataSource<Article>(client: client)
/// let page = try await articles.search().include { [$0.authors] }.sort([.descending("created")]).result()
/// var article = try await articles.read(id: "1").resource()
/// article.title = "To TDD or Not"
/// article = try await articles.update(article).resource()   // sends the title only
/// _ = try await articles.delete(article).result()
/// ```
///
/// Each function returns a request, which is sent when its `result()` is called.
public struct DataSource<R: Resource>: Sendable {
    /// The strategy for making paths.
    public typealias Strategy = RoutingStrategy

    /// The client that sends the requests.
    public let client: any JSONAPISender
    /// The strategy for making paths.
    public let strategy: Strategy
    /// The rules for making values of the resources in responses.
    public let options: ResourceOptions
    /// The store that gets the resources of responses and loses the deleted ones, or `nil` for none.
    public let store: ResourceStore?
    /// Whether requests for a resource or a relationship go to its links, such as `self` and `related`, if it has them,
    /// and otherwise to the paths of the strategy.
    public let followsLinks: Bool

    /// Creates a data source. By default, it has the paths of ``ScrudRouter`` and no store, and follows links.
    public init(
        client: any JSONAPISender, strategy: Strategy = .router(ScrudRouter()),
        options: ResourceOptions = ResourceOptions(), store: ResourceStore? = nil, followsLinks: Bool = true
    ) {
        self.client = client
        self.strategy = strategy
        self.options = options
        self.store = store
        self.followsLinks = followsLinks
    }

    /// Returns a request for the collection: `GET` to the path of the strategy.
    public func search() -> ResourceCollectionRequest<R> { collection(request(.search, id: nil)) }

    /// Returns a request for one resource: `GET` to the path of the strategy.
    public func read(id: R.ID) -> ResourceRequest<R> { single(.read, id: id.rawValue) }

    /// Returns a request that creates a resource: `POST` with all fields that have a value.
    ///
    /// An id of the resource is sent. A server can ignore it: the resource of the response has the server's id.
    public func create(_ resource: R) -> ResourceRequest<R> { single(.create, sent: (resource, .new)) }

    /// Returns a request that updates a resource: `PATCH` to the link `self` of the resource, or else to the path of
    /// the strategy. By default, the changed fields are sent.
    public func update(_ resource: R, sending selection: FieldSelection = .changes) -> ResourceRequest<R> {
        single(.update, id: resource.id?.rawValue, link: resource.links["self"], sent: (resource, selection))
    }

    /// Returns a request that deletes a resource: `DELETE` to its link `self`, or else to the path of the strategy.
    public func delete(_ resource: R) -> ResourceRequest<R> {
        single(.delete, id: resource.id?.rawValue, link: resource.links["self"])
    }

    /// Returns a request that deletes the resource with an id: `DELETE` to the path of the strategy.
    public func delete(id: R.ID) -> ResourceRequest<R> { single(.delete, id: id.rawValue) }

    // MARK: Making requests

    private func single(
        _ operation: RoutedOperation, id: String? = nil, link: JSONAPILink? = nil,
        sent: (resource: R, selection: FieldSelection)? = nil
    ) -> ResourceRequest<R> {
        single(request(operation, id: id, link: link), id: id, sent: sent)
    }

    func single<T: Resource>(
        _ request: JSONAPIRequest, id: String? = nil, sent: (resource: T, selection: FieldSelection)? = nil
    ) -> ResourceRequest<T> {
        ResourceRequest(request: request, client: client, options: options, store: store, id: id, sent: sent)
    }

    func collection<T: RelationshipTarget>(_ request: JSONAPIRequest) -> ResourceCollectionRequest<T> {
        ResourceCollectionRequest(request: request, client: client, options: options, store: store)
    }

    /// Returns a request for a link of the server, if there is one, or else for the path of the strategy.
    ///
    /// The URL of the link's response is unknown here, so a link relative to its path is not used.
    func request(_ operation: RoutedOperation, id: String?, link: JSONAPILink? = nil) -> JSONAPIRequest {
        var request = JSONAPIRequest(path: "", method: operation.method)
        var path: String?
        do {
            path = try strategy.path(of: operation, type: R.resourceType, id: id)
        } catch {
            request.fault = error
        }
        let href = followsLinks ? link?.href ?? "" : ""
        if href.hasPrefix("/") || URLReference(href).namesOrigin {
            request.target = .link(href, relativeTo: nil)
            request.fallbackPath = path
            request.fault = nil
        } else if let path {
            request.target = .path(path)
        }
        return request
    }
}
