// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// Sends one request over the network and returns its response. Everything else, such as redirects, retries, and time
/// limits other than the one for connecting, is done above the transport.
///
/// A transport does not follow redirects, does not retry, keeps no cookies, and adds no header fields except those that
/// frame a message (`Content-Length`, `Transfer-Encoding`, `Connection`, `Host`) and, if it decompresses responses,
/// `Accept-Encoding`.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and returns when the head of its response has arrived.
    ///
    /// Any number of tasks call it concurrently. It ends soon when its task is cancelled; the connection of a cancelled
    /// exchange is closed, or its stream is reset.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path. `Content-Type` is among its fields already.
    ///   - body: The content; `nil` if the request has none. A transport sends `Content-Length` if the entity knows its
    ///     length, and reports each piece it has sent to ``HTTPRequestContext/uploadProgress``.
    ///   - context: The attempt, the time limits and the progress closure.
    /// - Returns: The response, with the facts that the transport knows. A body that is not read to its end closes the
    ///   connection when it is released.
    /// - Throws: An ``HTTPTransportError``; a `CancellationError`; an error of the stream that produces `body`.
    func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse
}

/// The context of a request, for interceptors and the transport.
public struct HTTPRequestContext: Sendable {
    /// The number of this attempt. The first is 1.
    public var attempt = 1
    /// Whether the request may be sent again although the server may have processed it (RFC 9110 §9.2.2).
    public var isIdempotent = false
    /// The limits for this request.
    public var timeouts = HTTPTimeouts()
    /// The time by which the response must be complete, retries included; `nil` for no limit.
    public var deadline: ContinuousClock.Instant?
    /// A closure that gets the bytes of the body sent so far, on an arbitrary thread; `nil` by default.
    public var uploadProgress: (@Sendable (HTTPProgress) -> Void)?

    /// Makes a context for a first attempt.
    public init() {}
}

/// The time limits of one request. `nil` means no limit.
public struct HTTPTimeouts: Sendable, Hashable {
    /// The limit for resolving the name, connecting, and the TLS handshake. The default is 10 seconds.
    public var connect: Duration? = .seconds(10)
    /// The limit from the moment the request is sent to the head of the response. The default is 60 seconds.
    ///
    /// It includes the time for connecting, and restarts after each piece of the request's body.
    public var firstByte: Duration? = .seconds(60)
    /// The limit between two pieces of the response's body. The default is 60 seconds.
    public var idle: Duration? = .seconds(60)
    /// The limit for the whole request, retries included. The default is no limit.
    public var total: Duration?

    public init() {}
}

/// How far a body has been sent or received.
public struct HTTPProgress: Sendable, Hashable {
    /// The bytes of the body that have been sent or received.
    public var completedBytes: Int64
    /// The bytes of the whole body; `nil` if that is unknown.
    public var totalBytes: Int64?

    public init(completedBytes: Int64, totalBytes: Int64?) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
    }
}
