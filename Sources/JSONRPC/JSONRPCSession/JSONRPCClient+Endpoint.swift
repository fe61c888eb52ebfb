// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

extension JSONRPCClient: JSONRPCEndpoint {
    public var coder: any MessageCoder { configuration.coder }

    public func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        guard supervisor.reconnects else {
            return try await connected(method).callRaw(method, params: params, timeout: timeout, options: options)
        }
        return try await supervisor.call(method, timeout: timeout, options: options) {
            try await $0.callRaw(method, params: params, timeout: $1, options: options)
        }
    }

    public func _callRaw<Params: Encodable & Sendable>(
        _ method: String, encoding params: Params, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        // Without a session, params that cannot be encoded are reported before the call waits for one.
        guard let session = supervisor.reconnects ? supervisor.readySessionNow : supervisor.lastSession else {
            return try await callRaw(method, params: try encode(params, method), timeout: timeout, options: options)
        }
        guard supervisor.reconnects else {
            return try await session._callRaw(method, encoding: params, timeout: timeout, options: options)
        }
        return try await supervisor.call(method, timeout: timeout, options: options) {
            try await $0._callRaw(method, encoding: params, timeout: $1, options: options)
        }
    }

    public func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        guard supervisor.reconnects else {
            return try await connected(method).notifyRaw(method, params: params, options: options)
        }
        try await supervisor.call(method, timeout: .default, options: options) { session, _ in
            try await session.notifyRaw(method, params: params, options: options)
        }
    }

    public func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        try await collectedOutcomes(of: entries, timeout: timeout)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        guard supervisor.reconnects else {
            return try await connected(nil).batch(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
        }
        try await supervisor.batch(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
    }

    private func connected(_ method: String?) throws -> DuplexSession { try Self.connected(supervisor, method) }

    static func connected(_ supervisor: ClientSupervisor, _ method: String?) throws -> DuplexSession {
        if let session = supervisor.lastSession { return session }
        var error = ClientError.notConnected
        error.method = method
        throw error
    }

    public func setHandler(_ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON) {
        endpoint.setRequestHandler(.method(method), .asynchronous(handler))
    }

    public func setHandler(_ method: String, _ handler: SynchronousHandler) {
        endpoint.setRequestHandler(.method(method), .synchronous(handler))
    }

    public func setFallbackHandler(_ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON) {
        endpoint.setRequestHandler(.fallback, .asynchronous(handler))
    }

    public func setFallbackHandler(_ handler: SynchronousHandler) {
        endpoint.setRequestHandler(.fallback, .synchronous(handler))
    }

    public func removeHandler(for method: String) { endpoint.setRequestHandler(.method(method), nil) }

    public func removeFallbackHandler() { endpoint.setRequestHandler(.fallback, nil) }

    public func setNotificationHandler(
        _ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> Void
    ) {
        endpoint.setNotificationHandler(.method(method), handler)
    }

    public func setFallbackNotificationHandler(_ handler: @escaping @Sendable (InboundCall) async throws -> Void) {
        endpoint.setNotificationHandler(.fallback, handler)
    }

    public func removeNotificationHandler(for method: String) {
        endpoint.removeNotificationHandler(.method(method))
    }

    public func removeFallbackNotificationHandler() { endpoint.removeNotificationHandler(.fallback) }

    /// Sets a closure that gets each event where it happens. For a message from the peer, that is after the notifications
    /// before it were delivered to their streams, and before the notifications after it are.
    package func observeEvents(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        endpoint.events.observe(observer)
    }

    /// Delivers a notification of this program to its streams, as if the peer had sent it now.
    package func deliver(_ notification: InboundNotification) { endpoint.notifications.deliver(notification) }

    public func notificationStream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value> {
        endpoint.notifications.stream(of: method, overflow: overflow, decoding: decoding, decode: decode)
    }
}
