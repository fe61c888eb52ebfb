// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// A response that a transport has received, or that an interceptor gives in its place.
public struct ReceivedHTTPResponse: Sendable {
    /// The head.
    public var head: HTTPResponse
    /// The body, as a stream with backpressure. An interceptor that reads it sets another stream.
    public var body: HTTPByteStream
    /// What is known about the exchange.
    public var facts: HTTPExchangeFacts

    /// Makes a response. The default is a response without content.
    public init(
        _ head: HTTPResponse, body: HTTPByteStream = HTTPByteStream([]), facts: HTTPExchangeFacts = HTTPExchangeFacts()
    ) {
        self.head = head
        self.body = body
        self.facts = facts
    }
}

/// What is known about an exchange apart from its messages. After retries and redirects, it is the last exchange.
public struct HTTPExchangeFacts: Sendable, Hashable {
    /// The version of HTTP that the server has answered with, such as `1.1` or `2`; `nil` if the transport does not know
    /// it.
    public var httpVersion: String?
    /// The time from the moment the transport gets the request to the head of the response, by the clock of the session.
    ///
    /// It includes the wait for a connection, connecting, and sending the body of the request. The session measures it;
    /// it is `nil` if the response is not that of a session's transport.
    public var timeToHead: Duration?

    /// Makes facts. A transport can know only the version; the session adds the time.
    public init(httpVersion: String? = nil) { self.httpVersion = httpVersion }
}
