// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
import HTTPTypes

/// A request with a sample of its response. The sample is for tests, so a test target adds the conformance:
///
/// ```swift
/// extension GetRepository: SampledHTTPRequest {
///     var sampleReply: MockHTTPReply { .json(#"{"name":"\#(name)","stars":3}"#) }
/// }
/// ```
///
/// ```swift
/// let repository = try await GetRepository(owner: "a", name: "b").sampleResponse()
/// ```
public protocol SampledHTTPRequest: HTTPAPIRequest {
    /// The sample. It can depend on the properties of the request.
    var sampleReply: MockHTTPReply { get }
}

extension SampledHTTPRequest {
    /// Returns the response that a session makes of the sample.
    ///
    /// - Parameter configuration: The defaults of the session. Its decoder is used if the request has none.
    /// - Throws: The error of the session, for example if the sample cannot be decoded.
    public func sampleResponse(
        _ configuration: HTTPSessionConfiguration = HTTPSessionConfiguration()
    ) async throws(HTTPRequestError<Failure>) -> Response {
        let transport = MockHTTPTransport(reply: sampleReply)
        return try await HTTPSession(transport: transport, configuration: configuration).send(self)
    }
}

extension MockHTTPTransport {
    /// Answers any number of requests like this one with its sample: requests with the same method, URL and query.
    ///
    /// - Throws: The error of making the request.
    public func whenSampled(_ request: some SampledHTTPRequest) async throws {
        let (head, _) = try await request.makeHTTPRequest()
        let matcher = HTTPRequestMatcher("\(head.method) \(head.path ?? "")") { received in
            received.head.method == head.method && received.head.scheme == head.scheme
                && received.head.authority == head.authority && received.head.path == head.path
        }
        when(matcher, reply: request.sampleReply)
    }
}
