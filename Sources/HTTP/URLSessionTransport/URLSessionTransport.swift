// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
public import HTTPTypes

/// A transport over Foundation's `URLSession`, for programs that want no other package.
///
/// `URLSession` on Linux is built on libcurl and differs from other transports:
///
/// - It cannot pause a response. Bytes that were received and not read are kept, up to
///   ``Configuration/maximumBufferedBytes``. A response beyond it fails with
///   `HTTPTransportError.Code.bodyTooLarge`.
/// - It sends bodies from memory and from files. A stream is read to its end first, up to
///   ``Configuration/maximumCollectedBytes``. A `GET` request with a body is refused.
/// - It adds `User-Agent`, `Accept`, `Accept-Language` and `Accept-Encoding`. A `POST` body without `Content-Type`
///   is sent as `application/octet-stream`.
/// - Fields of a response with the same name come as one, joined by a comma. This makes `Set-Cookie` ambiguous.
/// - There is no limit for connecting, so `HTTPTimeouts.connect` has no effect. `firstByte` covers it.
/// - Foundation refuses IPv6 addresses in URLs. Use a name or an IPv4 address.
/// - libcurl reads `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. It ignores an entry of `no_proxy` with
///   a port, such as `localhost:8080`: leave out the port.
/// - If a reused connection ends before any byte of a response, libcurl sends the request again on a new
///   connection. It cannot send a body again, so a request with a body fails with
///   `HTTPTransportError.wasConnectionStale` set, after its head was sent again.
/// - An unsolicited response may be taken for the response to the next request on its connection.
/// - A response with trailers, one that ends within its head, and a redirect to a host with an escape
///   (`//a%20b/`) end the process (Swift 6.3.1). Use another transport for servers that you do not trust.
/// - A request fails after 256 informational responses (1xx).
/// - A response is decompressed without a limit for the ratio. It then has neither `Content-Encoding` nor
///   `Content-Length`.
/// - The body of a redirect is collected in memory, and is lost if its `Location` cannot be used.
/// - It does not report the version of HTTP, so `HTTPExchangeFacts.httpVersion` is `nil`.
/// - TLS has no options: the system's authorities are trusted, and no others.
///
/// Redirects are not followed. There are no cookies, no cache and no stored credentials. Copies share their
/// connections, which end with ``shutDown()``, or when the last copy and the last response body are released.
public struct URLSessionTransport: HTTPTransport {
    /// The options of a transport.
    public struct Configuration: Sendable, Hashable {
        /// The largest number of connections to one host. Requests beyond it wait. The default is 8.
        public var connectionsPerHost = 8
        /// The largest number of bytes of one response that are kept until they are read. The default is 16 MiB.
        public var maximumBufferedBytes = 16 << 20
        /// The largest number of bytes of a request's stream, which is kept in memory. The default is 16 MiB.
        public var maximumCollectedBytes = 16 << 20

        public init() {}
    }

    private let session: SessionOwner

    /// Makes a transport with connections of its own.
    public init(configuration: Configuration = Configuration()) { session = SessionOwner(configuration) }

    /// Closes all connections, and returns when the session has released everything. Requests in flight fail, and
    /// later requests fail, with `HTTPTransportError.Code.closed`.
    public func shutDown() async { await session.shutDown() }

    public func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse {
        let message = try await OutgoingMessage(
            request, body: body, collectingUpTo: session.configuration.maximumCollectedBytes)
        let exchange = Exchange(
            maximumBufferedBytes: session.configuration.maximumBufferedBytes, progress: context.uploadProgress)
        try Task.checkCancellation()
        try session.start(message, exchange)
        let head = try await exchange.head()
        return ReceivedHTTPResponse(
            head.response, body: HTTPByteStream(ExchangeBody(exchange, session: session), length: head.length))
    }
}
