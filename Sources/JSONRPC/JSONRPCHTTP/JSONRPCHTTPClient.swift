// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes
public import JSONRPCCore
public import JSONRPCSession
import TaskWaits
public import WireJSON

/// A JSON-RPC client over HTTP: each message is a POST, and the response to the POST is the answer.
///
/// Requests, batches and proxies work over it as over a WebSocket:
///
/// ```swift
/// let rpc = JSONRPCHTTPClient(url: "http://127.0.0.1:6800/jsonrpc")
/// let (first, second) = try await rpc.batch(Subtract(42, 23), Subtract(23, 42))
/// ```
///
/// The server cannot call the client, and cannot send notifications. A `JSONRPCHTTPClient` is not a `JSONRPCEndpoint`,
/// so handlers and `serve(_:)` do not compile with it. Streams of notifications, also those of a proxy, throw
/// ``JSONRPCHTTPError/notificationsUnsupported(method:)``.
///
/// - The server's error in a call's answer is thrown as an `ErrorObject`, whatever the status. `ErrorObject.httpAnswer`
///   holds the status and the header fields. All other failures are a `ClientError`, whose `httpAnswer` holds them too.
/// - A response that is missing or malformed fails only its own call. A failure of the POST, such as a connection that
///   ends within the answer, fails the calls that have no response yet.
/// - A notification has succeeded when the status is 2xx. A body is ignored, unless it is one error.
/// - These properties of the configuration are used: `coder`, `strictness`, `version`, `jsonLimits`, `clock` and
///   `drainTimeout`, and in `calls`: `timeout`, `batchLimits`, `idGenerator`, `extraMembers` and `interceptors`.
/// - ``close()`` ends the calls of a client. Releasing a client does not end its calls.
public final class JSONRPCHTTPClient: JSONRPCCaller {
    /// The options that concern JSON-RPC.
    public var configuration: SessionConfiguration { poster.configuration }
    /// The options that concern HTTP.
    public var options: JSONRPCHTTPOptions { poster.options }
    /// The header fields that ``adding(headerFields:)`` has added.
    public let headerFields: HTTPFields
    /// The URL as it was given to the initializer. It can be invalid.
    public let url: String

    let poster: Poster
    let scheduler: BatchScheduler<EncodedMember, GatheringKey>?
    let sharing: SharedCalls?

    /// Makes a client. Nothing is sent. If the URL is not an absolute `http` or `https` URL, every call fails with
    /// ``JSONRPCHTTPError/invalidURL(_:)``.
    ///
    /// - Parameters:
    ///   - url: The URL to which the POSTs are sent. It may have a query.
    ///   - transport: Sends the POSTs. It is not shut down by the client.
    ///   - configuration: The options that concern JSON-RPC.
    ///   - options: The options that concern HTTP.
    public init(
        url: String, over transport: any HTTPTransport, configuration: SessionConfiguration = SessionConfiguration(),
        options: JSONRPCHTTPOptions = JSONRPCHTTPOptions()
    ) {
        let poster = Poster(url: url, transport: transport, configuration: configuration, options: options)
        self.url = url
        self.poster = poster
        headerFields = [:]
        scheduler = options.gathering.map { Self.scheduler($0, poster) }
        sharing = options.sharesIdenticalCalls ? SharedCalls() : nil
    }

    private init(_ client: JSONRPCHTTPClient, headerFields: HTTPFields) {
        url = client.url
        poster = client.poster
        scheduler = client.scheduler
        sharing = client.sharing
        self.headerFields = headerFields
    }

    /// Returns a client that adds header fields to its POSTs. They replace fields of the same name. Both clients share
    /// ids and limits, but no POSTs.
    public func adding(headerFields: HTTPFields) -> JSONRPCHTTPClient {
        var fields = self.headerFields
        fields.replace(with: headerFields)
        return JSONRPCHTTPClient(self, headerFields: fields)
    }

    public var coder: any MessageCoder { poster.configuration.coder }

    /// Sends the calls that wait for other calls (``JSONRPCHTTPOptions/gathering``) now.
    public func flush() { scheduler?.flush() }

    // MARK: Calls

    public func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        try poster.enter()
        defer { poster.leave() }
        return try await intercept(
            call: OutboundCall(method: method, params: params, timeout: timeout, options: options))
    }

    /// Sends a notification with params as raw JSON. It returns when the server has answered with a status.
    ///
    /// - Throws: An `ErrorObject` if the server answers with an error; a `ClientError` for any other status than 2xx,
    ///   if the POST fails, and with the code `timedOut` after the configured timeout; a `CancellationError`.
    public func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        try poster.enter()
        defer { poster.leave() }
        try await intercept(
            notification: OutboundCall(method: method, params: params, timeout: .default, options: options))
    }

    // MARK: Batches

    /// Sends several calls and notifications in one POST (JSON-RPC 2.0 §6), or in several POSTs if one would exceed the
    /// limits. They are sent one after the other, unless ``JSONRPCHTTPOptions/batchConcurrency`` allows several at a
    /// time. An empty batch is not sent.
    public func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        try await collectedOutcomes(of: entries, timeout: timeout)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try Task.checkCancellation()
        if entries.isEmpty { return }
        try poster.enter()
        defer { poster.leave() }
        try await intercept(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
    }
}

extension JSONRPCHTTPClient {
    /// Closes the client gracefully, with all clients that ``adding(headerFields:)`` has made from it.
    ///
    /// The client accepts no new calls, and sends calls that wait for others (``JSONRPCHTTPOptions/gathering``). Calls
    /// in flight have `SessionConfiguration.drainTimeout` to end, and are then ended as by ``closeNow()``. If the task
    /// is cancelled, the client does not wait for calls in flight. When the function returns, every call has ended,
    /// unless an interceptor or the transport ignores cancellation and the task is cancelled.
    ///
    /// The transport is not shut down, because it can have other users.
    public func close() async {
        poster.calls.withLock { if $0.phase == .open { $0.phase = .closing } }
        scheduler?.flush()
        let deadline = poster.clock.now.advanced(by: configuration.drainTimeout)
        _ = try? await poster.clock.value(until: deadline) { [poster] in await poster.callsEnded() }
        closeNow()
        await poster.callsEnded()
    }

    /// Closes the client immediately, and returns at once. New calls and calls in flight fail with the code
    /// `closed`. A call that waits before another attempt fails with the error of its last one. The transport is not
    /// shut down.
    public func closeNow() { poster.close() }
}

/// The server cannot send notifications over HTTP, so every stream of notifications throws an error.
extension JSONRPCHTTPClient: NotificationSubscriber {
    /// Returns a stream that throws a `ClientError` with the cause
    /// ``JSONRPCHTTPError/notificationsUnsupported(method:)`` when its first notification is awaited.
    public func notificationStream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value> {
        let router = NotificationRouter(clock: configuration.clock)
        router.finish(.failed(ClientError(.notificationsUnsupported(method: method))))
        return router.stream(of: method, overflow: overflow, decoding: decoding, decode: decode)
    }
}
