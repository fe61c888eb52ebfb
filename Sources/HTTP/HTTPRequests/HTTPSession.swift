// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// Sends typed requests over a transport.
///
/// ```swift
/// let session = HTTPSession(transport: transport, interceptors: [RetryInterceptor()])
/// let repository = try await session.send(GetRepository(owner: "a", name: "b"))
/// ```
///
/// A session is thread-safe. Cancelling the task that sends a request cancels the transfer.
public final class HTTPSession: Sendable {
    /// The transport.
    public let transport: any HTTPTransport
    /// The interceptors of all requests, outermost first.
    public let interceptors: [any HTTPInterceptor]
    /// The defaults of requests.
    public let configuration: HTTPSessionConfiguration
    private let keeper: TimeKeeper

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - interceptors: Interceptors of all requests, outermost first. The default is none.
    ///   - configuration: The defaults of requests.
    public init(
        transport: any HTTPTransport, interceptors: [any HTTPInterceptor] = [],
        configuration: HTTPSessionConfiguration = HTTPSessionConfiguration()
    ) {
        self.transport = transport
        self.interceptors = interceptors
        self.configuration = configuration
        keeper = TimeKeeper(clock: configuration.clock)
    }

    /// Sends a request, and returns its response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - uploadProgress: Called with the bytes of the request's body sent so far, on an arbitrary thread. A retry
    ///     starts again at 0.
    ///   - downloadProgress: Called with the bytes of the response's body received so far, in the task that reads it.
    /// - Throws: The failure, by stage. ``HTTPRequestError/cancelled`` if the task is cancelled.
    public func send<Request: HTTPAPIRequest>(
        _ request: Request, uploadProgress: (@Sendable (HTTPProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (HTTPProgress) -> Void)? = nil
    ) async throws(HTTPRequestError<Request.Failure>) -> Request.Response {
        let exchange = await exchange(request, uploadProgress, downloadProgress)
        guard let value = exchange.takeValue() else { throw exchange.failure }
        return value
    }

    /// Sends a request, and returns its response together with the head.
    ///
    /// The parameters and errors are those of ``send(_:uploadProgress:downloadProgress:)``.
    public func response<Request: HTTPAPIRequest>(
        for request: Request, uploadProgress: (@Sendable (HTTPProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (HTTPProgress) -> Void)? = nil
    ) async throws(HTTPRequestError<Request.Failure>) -> (value: Request.Response, head: HTTPResponse) {
        let exchange = await exchange(request, uploadProgress, downloadProgress)
        guard let value = exchange.takeValue(), let head = exchange.head else { throw exchange.failure }
        return (value, head)
    }

    private func exchange<Request: HTTPAPIRequest>(
        _ request: Request, _ uploadProgress: (@Sendable (HTTPProgress) -> Void)?,
        _ downloadProgress: (@Sendable (HTTPProgress) -> Void)?
    ) async -> RequestExchange<Request> {
        var context = HTTPRequestContext()
        context.isIdempotent = request.isIdempotent
        context.timeouts = request.timeouts ?? configuration.timeouts
        context.deadline = context.timeouts.total.flatMap { keeper.clock.now.advanced(within: $0) }
        context.uploadProgress = uploadProgress

        let operation = LimitedOperation(keeper: keeper)
        let chain = RequestChain(
            interceptors: interceptors + request.interceptors, redirects: configuration.redirects,
            transport: transport, keeper: keeper, operation: operation)
        let exchange = RequestExchange(
            request, session: self, context: context, chain: chain, downloadProgress: downloadProgress)
        guard !Task.isCancelled else { return exchange }
        if let deadline = context.deadline { _ = operation.impose(.total, until: deadline) }
        await operation.run(exchange)
        return exchange
    }

    /// Cancels the running requests of a type. They throw ``HTTPRequestError/cancelled``.
    ///
    /// A request whose response is an ``HTTPByteStream`` has ended when the head of the response has arrived.
    ///
    /// - Parameters:
    ///   - type: The type of the requests.
    ///   - test: Decides whether a request is cancelled. The default is all.
    /// - Returns: The number of cancelled requests.
    @discardableResult
    public func cancelRequests<Request: HTTPAPIRequest>(
        with type: Request.Type, passingTest test: (Request) -> Bool = { _ in true }
    ) -> Int {
        keeper.cancel(type, passingTest: test)
    }
}

/// The defaults of a session's requests.
public struct HTTPSessionConfiguration: Sendable {
    /// The time limits of requests that have none.
    public var timeouts = HTTPTimeouts()
    /// The largest body of a response that is read into memory, in bytes. The default is 10 MiB.
    public var maximumResponseBytes = 10 << 20
    /// The decoder of `Decodable` responses and failures. The default is WireJSON's.
    public var decoder: any HTTPResponseDecoder = .wireJSON
    /// Fields that all requests send, such as `User-Agent`, unless a request has fields of the same name.
    public var headerFields = HTTPFields()
    /// How redirects are followed; `nil` for not at all. The default follows at most 10.
    public var redirects: RedirectInterceptor? = RedirectInterceptor()
    /// The clock of the time limits.
    public var clock: any HTTPClock = .continuous

    public init() {}
}
