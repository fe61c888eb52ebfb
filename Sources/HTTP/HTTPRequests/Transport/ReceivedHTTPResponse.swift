// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// A response from a transport, or from an interceptor in its place.
public struct ReceivedHTTPResponse: Sendable {
    /// The head.
    public var head: HTTPResponse
    /// The body, as a stream with backpressure. An interceptor that reads it sets another stream.
    public var body: HTTPByteStream
    /// Facts about the exchange, such as the version of HTTP.
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

/// Facts about an exchange that are not in its messages. After retries and redirects, it is the last exchange.
public struct HTTPExchangeFacts: Sendable, Hashable {
    /// The version of HTTP in the response, such as `1.1` or `2`; `nil` if the transport does not know it.
    public var httpVersion: String?
    /// The time between passing the request to the transport and the head of the response, by the session's clock.
    ///
    /// It includes the wait for a connection, connecting, and sending the body of the request. The session measures it;
    /// it is `nil` if the response is not that of a session's transport.
    public var timeToHead: Duration?

    /// Makes facts. A transport can know only the version; the session adds the time.
    public init(httpVersion: String? = nil) { self.httpVersion = httpVersion }
}
