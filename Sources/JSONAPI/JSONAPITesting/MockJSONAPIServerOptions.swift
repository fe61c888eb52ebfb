// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONAPI

/// The behaviour of a ``MockJSONAPIServer``.
public struct MockJSONAPIServerOptions: Sendable {
    /// Decides whether a resource is in the result of a filter, whose value is the text in the query.
    public typealias Filter = @Sendable (_ resource: ResourceObject, _ value: String) -> Bool

    /// The path before the types, such as `/api/v1`, without a slash at the end. It is empty by default.
    public var basePath = ""
    /// The path of atomic operations below ``basePath``. The default is `/operations`.
    public var operationsPath = "/operations"
    /// The types that the server has. Requests for other types get the status 404. `nil`, the default, means all types.
    public var types: Set<String>?
    /// Whether a client can choose the ids of new resources. The default is `false`: such a request gets the status 403.
    public var acceptsClientIDs = false
    /// Whether a to-many relationship can be replaced. If not, such a request gets the status 403. The default is `true`.
    public var allowsFullReplacement = true
    /// Whether a change that the server performs exactly as sent gets the status 204 without a document. This concerns
    /// updates, and new resources with an id of the client. The default is `false`.
    public var omitsUnchangedDocuments = false
    /// The pages of collections. By default a page has 100 resources, and requests use `page[number]` and `page[size]`.
    public var paging = MockPaging.pageNumber(size: 100)
    /// The largest number of resources that a request can ask for in a page. The default is 1000.
    public var maximumPageSize = 1000
    /// The filters of the server by the text between the brackets of `filter`. Several brackets are joined by dots:
    /// `filter[author][name]` has the name `author.name`. The name of the parameter `filter` is empty.
    ///
    /// A name without a filter here is a path to an attribute, a relationship or `id`, such as `author.name`. Its value is a
    /// list with commas. A resource is in the result if a value at the path is in the list.
    public var filters: [String: Filter] = [:]
    /// Judges a resource before it is created or changed. If the result is not empty, the request gets these errors. The
    /// status of the response is the `status` of the first error, or else 422. By default there are none.
    public var validate: @Sendable (_ resource: ResourceObject) -> [JSONAPIErrorObject] = { _ in [] }
    /// Whether documents of requests that violate the specification get the status 400. The default is `true`.
    public var refusesViolations = true

    /// Creates options with the defaults.
    public init() {}
}
