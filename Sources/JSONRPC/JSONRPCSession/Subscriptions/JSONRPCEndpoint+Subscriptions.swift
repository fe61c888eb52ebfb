// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

extension JSONRPCEndpoint {
    /// Subscribes, and returns the stream of the subscription's notifications.
    ///
    /// Notifications that arrive before the response are kept for 10 seconds. The limit for all subscriptions together
    /// is 4096 notifications and 16 MiB. Others leave a gap. If the task is cancelled or the request
    /// times out, and the response comes later, an unsubscribe request is sent, so that no subscription is left behind
    /// at the peer. At most 1024 such responses are awaited.
    ///
    /// - Parameters:
    ///   - method: The method that subscribes.
    ///   - params: A value that encodes as a JSON array or object. It is encoded in the caller's task.
    ///   - unsubscribe: The method that unsubscribes; `nil` if the protocol has none.
    ///   - style: The form of the server's subscriptions. The default is ``SubscriptionStyle/ethereum``.
    ///   - overflow: The policy for notifications that arrive faster than they are consumed. The default keeps the
    ///     newest 1024.
    ///   - decoding: The policy for values that cannot be decoded. The default is ``NotificationDecodingPolicy/fail``.
    ///   - timeout: The limit for the first subscribe request. With `sharing`, each call has its own limit, and the
    ///     request goes on as long as one of them waits for it. The default is ``SessionConfiguration/Calls/timeout``.
    ///   - options: Extra members of the subscribe and the unsubscribe request.
    ///   - sharing: Whether calls with equal method, params, `unsubscribe`, `style` and `options`, that also set
    ///     `sharing`, share one subscription of the server. Each consumer has a buffer of its own, and gets the
    ///     notifications from its call on. The last consumer to leave unsubscribes. The default is `false`.
    ///   - type: The type that the values are decoded as.
    ///   - resume: A closure that fetches the values that were missed while there was no connection. It gets the last
    ///     value that the consumer took, or `nil` if there was none. Its values follow the gap with the reason
    ///     ``NotificationGap/Reason/reconnected`` and precede the values of the new connection. It runs in the
    ///     consumer's task, while new notifications are buffered, so a value that the peer sends meanwhile occurs twice
    ///     if the closure fetches it. It does not run for other gaps, such as those of a buffer that was full. If it
    ///     throws, the loop throws the error. The default fetches nothing.
    /// - Throws: The peer's `ErrorObject`; a ``SubscriptionError``; a `ClientError`; a `CancellationError`.
    public func subscribe<P: Encodable & Sendable, Value: Decodable & Sendable>(
        _ method: String, params: P, unsubscribe: String?, style: SubscriptionStyle = .ethereum,
        overflow: NotificationOverflow = .standard, decoding: NotificationDecodingPolicy = .fail,
        timeout: CallTimeout = .default, options: CallOptions = CallOptions(), sharing: Bool = false,
        as type: Value.Type = Value.self, resume: (@Sendable (Value?) async throws -> [Value])? = nil
    ) async throws -> Subscription<Value> {
        let params = try encode(params, method)
        let request = SubscriptionRequest(
            method, params: params, unsubscribe: unsubscribe, style: style, options: options)
        return try await openSubscription(
            request, timeout: timeout, sharing: sharing, overflow: overflow, decoding: decoding, resume: resume
        ) { [coder] in try $0.params(as: type, using: coder) }
    }

    /// Subscribes without params, or with params as a literal, whose values may have different types:
    /// `params: ["logs", ["address": "0x8"]]`.
    ///
    /// - Throws: The peer's `ErrorObject`; a ``SubscriptionError``; a `ClientError`; a `CancellationError`.
    public func subscribe<Value: Decodable & Sendable>(
        _ method: String, params: JSONValue = nil, unsubscribe: String?, style: SubscriptionStyle = .ethereum,
        overflow: NotificationOverflow = .standard, decoding: NotificationDecodingPolicy = .fail,
        timeout: CallTimeout = .default, options: CallOptions = CallOptions(), sharing: Bool = false,
        as type: Value.Type = Value.self, resume: (@Sendable (Value?) async throws -> [Value])? = nil
    ) async throws -> Subscription<Value> {
        let params = try encode(params, method)
        let request = SubscriptionRequest(
            method, params: params, unsubscribe: unsubscribe, style: style, options: options)
        return try await openSubscription(
            request, timeout: timeout, sharing: sharing, overflow: overflow, decoding: decoding, resume: resume
        ) { [coder] in try $0.params(as: type, using: coder) }
    }
}

extension DuplexSession {
    /// The numbers of the session's subscriptions. The session of a client counts those of the client.
    public var subscriptionCounts: SubscriptionCounts { driver.endpoint.notifications.subscriptionCounts }

    /// Subscribes. The subscription ends with the session, even if the session belongs to a client that reconnects.
    public func openSubscription<Value: Sendable>(
        _ request: SubscriptionRequest, timeout: CallTimeout, sharing: Bool, overflow: NotificationOverflow,
        decoding: NotificationDecodingPolicy, resume: (@Sendable (Value?) async throws -> [Value])?,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) async throws -> Subscription<Value> {
        let membership = try await driver.endpoint.notifications.subscribe(
            request, overflow: overflow, isShared: sharing, isRenewed: false,
            timeout: timeout.duration(configured: configuration.calls.timeout)
        ) { try await $0.send(in: self, timeout: $1) }
        return Subscription(membership, decoding, resume, decode)
    }
}

extension JSONRPCClient {
    /// The numbers of the client's subscriptions.
    public var subscriptionCounts: SubscriptionCounts { endpoint.notifications.subscriptionCounts }

    public func openSubscription<Value: Sendable>(
        _ request: SubscriptionRequest, timeout: CallTimeout, sharing: Bool, overflow: NotificationOverflow,
        decoding: NotificationDecodingPolicy, resume: (@Sendable (Value?) async throws -> [Value])?,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) async throws -> Subscription<Value> {
        let membership = try await endpoint.notifications.subscribe(
            request, overflow: overflow, isShared: sharing, isRenewed: supervisor.reconnects,
            timeout: timeout.duration(configured: configuration.calls.timeout), expired: supervisor.explaining
        ) { [supervisor] attempt, timeout in
            guard supervisor.reconnects else {
                let session = try supervisor.connected(request.method)
                return try await attempt.send(in: session, timeout: timeout)
            }
            // The peer's subscriptions end with their connection, so the request can be repeated on the next one.
            try await supervisor.call(
                request.method, timeout: timeout, supervisor.repetition(timeout, CallOptions(isIdempotent: true))
            ) {
                try await attempt.send(in: $0, timeout: $1)
            }
        }
        return Subscription(membership, decoding, resume, decode)
    }
}

extension Subscription {
    fileprivate init(
        _ membership: SubscriptionMembership, _ decoding: NotificationDecodingPolicy,
        _ resume: (@Sendable (Value?) async throws -> [Value])?,
        _ decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) {
        self.init(
            stream: NotificationStream(
                queue: membership.queue, registration: membership, decoding: decoding, decode: decode,
                resumption: resume.map { SubscriptionResumption($0) }),
            membership: membership)
    }
}
