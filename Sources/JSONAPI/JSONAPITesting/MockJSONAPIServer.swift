// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
public import HTTPRequestsTesting
public import HTTPTypes
public import JSONAPI

/// A JSON:API server without a network, for tests of programs that use JSONAPI. It is the transport of their session.
///
/// ```swift
/// let server = MockJSONAPIServer(resources: [
///     ResourceObject(type: "people", id: "1", attributes: ["name": "Dan"])
/// ])
/// let client = JSONAPIClient(session: HTTPSession(transport: server), baseURL: baseURL)
/// let dan = try await DataSource<Person>(client: client).read(id: "1").result().resource
/// #expect(dan?.name == "Dan")
/// #expect(server.requests.map(\.description) == ["GET https://example.com/people/1"])
/// ```
///
/// The server keeps resource objects as they are sent, and knows no schema: a field exists if a resource of the type
/// has it. It does not update the inverse of a relationship. It performs one request at a time. A path with malformed
/// percent-encoding leads to nothing, so its response has the status 404.
///
/// Ids of new resources are the numbers from 1 for each type, so they are the same in each run.
public final class MockJSONAPIServer: HTTPTransport {
    private let store: ResourceStore
    private let answer: MockHTTPReply
    private let mock = MockHTTPTransport()
    private let recorder: RecordingHTTPTransport

    /// Creates a server with resources. If one is repeated, the last one wins. Those without an id get one.
    public init(resources: [ResourceObject] = [], options: MockJSONAPIServerOptions = MockJSONAPIServerOptions()) {
        let store = ResourceStore(ResourceTable(resources), options: options)
        self.store = store
        recorder = RecordingHTTPTransport(over: mock)
        answer = MockHTTPReply { request in store.respond(to: request) }
        mock.when(.any, reply: answer)
    }

    /// The resources, in the order in which they were created.
    public var resources: [ResourceObject] { store.resources }

    /// Returns the resource with the type and the id, or `nil` if there is none.
    public func resource(_ type: String, _ id: String) -> ResourceObject? { store.change { $0[type, id] } }

    /// Adds a resource, or replaces the one with the same type and id. A resource without an id gets one.
    public func insert(_ resource: ResourceObject) { store.change { $0.insert(resource) } }

    /// Removes a resource and the references to it. It returns whether the resource was there.
    @discardableResult
    public func remove(_ type: String, _ id: String) -> Bool { store.change { $0.remove(type, id) } }

    /// Injects a fault into one matching request.
    ///
    /// Faults are used in the order of these calls: a fault waits until those before it are used.
    public func inject(_ fault: MockJSONAPIFault, into matcher: HTTPRequestMatcher = .any) {
        mock.expect(matcher, reply: fault.reply(answer))
    }

    /// Injects a fault into all matching requests, except those that get a fault of ``inject(_:into:)``. If several
    /// matchers match, the fault that was added last is used.
    public func inject(_ fault: MockJSONAPIFault, intoAll matcher: HTTPRequestMatcher) {
        mock.when(matcher, reply: fault.reply(answer))
    }

    /// Checks that all faults for one request were used. It throws a `MockHTTPTransportError` that names the others.
    public func verify() throws { try mock.verify() }

    /// The requests so far, in the order in which their bodies were complete.
    public var requests: [ReceivedHTTPRequest] { mock.requests }

    /// The requests that did not fail, with their responses, in the order of their ends. Credentials are `REDACTED`.
    public var exchanges: [HTTPRecording.Exchange] { recorder.recording.exchanges }

    /// Waits for a number of requests, and returns them. It throws an `HTTPWaitCancelled` if the task is cancelled.
    @discardableResult
    public func waitForRequests(_ count: Int) async throws -> [ReceivedHTTPRequest] {
        try await mock.waitForRequests(count)
    }

    public func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse {
        try await recorder.send(request, body: body, context: context)
    }
}

/// The behaviour of a ``MockJSONAPIServer``.
public struct MockJSONAPIServerOptions: Sendable {
    /// Decides whether a resource matches a filter. The value is the text in the query.
    public typealias Filter = @Sendable (_ resource: ResourceObject, _ value: String) -> Bool

    /// The path before the types, such as `/api/v1`, without a slash at the end. It is empty by default.
    public var basePath = ""
    /// The path of atomic operations below ``basePath``. The default is `/operations`.
    public var operationsPath = "/operations"
    /// The types that the server has. Requests for other types get the status 404. `nil`, the default, means all types.
    public var types: Set<String>?
    /// Whether a client can choose the ids of new resources. If not, the default, such a request gets the status 403.
    public var acceptsClientIDs = false
    /// Whether a to-many relationship can be replaced; otherwise the status is 403. The default is `true`.
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
    /// A name without a filter here is a path to an attribute, a relationship or `id`, such as `author.name`. Its value
    /// is a list with commas. A resource is in the result if a value at the path is in the list.
    public var filters: [String: Filter] = [:]
    /// Validates a resource before it is created or changed. If the result is not empty, the request gets these errors.
    /// The status of the response is the `status` of the first error, or else 422. By default there are none.
    public var validate: @Sendable (_ resource: ResourceObject) -> [JSONAPIErrorObject] = { _ in [] }
    /// Whether documents of requests that violate the specification get the status 400. The default is `true`.
    public var refusesViolations = true

    public init() {}
}
