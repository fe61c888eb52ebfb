// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import JSONRPCSession

/// A subscription of a proxy's method that has not been requested yet.
///
/// The method of the proxy makes it with ``subscribe(over:timeout:resume:)``. Call that function yourself to fetch the
/// values that were missed while there was no connection:
///
/// ```swift
/// let ticks = try await TickerProxy.requests.ticks(every: 1).subscribe(over: client) { last in
///     try await TickerProxy(over: client).missedTicks(after: last?.count ?? 0)
/// }
/// for try await tick in ticks.values { print(tick.count) }
/// ```
public struct ProxySubscription<Value: Sendable>: Sendable {
    /// The wire name of the method that subscribes.
    public let method: String
    /// The params of the subscribe request.
    public let params: ProxyParams
    /// The wire name of the method that unsubscribes; `nil` if the protocol has none.
    public let unsubscribe: String?
    /// The form of the server's subscriptions.
    public let style: SubscriptionStyle
    /// The policy for notifications that arrive faster than they are consumed.
    public let overflow: NotificationOverflow
    /// The policy for values that cannot be decoded.
    public let decoding: NotificationDecodingPolicy
    /// Extra members of the subscribe and the unsubscribe request.
    public let options: CallOptions
    /// Whether equal subscriptions share one subscription of the server.
    public let sharing: Bool
}

extension ProxySubscription where Value: Decodable {
    /// Creates a subscription. Expansions call it.
    public init(
        _ method: String, _ params: ProxyParams, unsubscribe: String?, style: SubscriptionStyle = .ethereum,
        overflow: NotificationOverflow = .standard, decoding: NotificationDecodingPolicy = .fail,
        coder: (any MessageCoder)? = nil, options: CallOptions = CallOptions(), sharing: Bool = false
    ) {
        self.init(
            method: method, params: params.coding(with: coder), unsubscribe: unsubscribe, style: style,
            overflow: overflow, decoding: decoding, options: options, sharing: sharing)
    }

    /// Subscribes, with the method's options, and returns the stream of the subscription's notifications.
    ///
    /// - Parameters:
    ///   - caller: A client or a session. Over other callers, such as a `JSONRPCHTTPClient`, the function sends nothing
    ///     and throws the error that their streams of notifications throw.
    ///   - timeout: The limit for the first subscribe request. The default is that of the caller's configuration.
    ///   - resume: A closure that fetches the values that were missed while there was no connection. It gets the last
    ///     value that the consumer took, or `nil` if there was none. The default fetches nothing.
    /// - Throws: The peer's `ErrorObject`; a `SubscriptionError`; a `ClientError`; a `CancellationError`.
    public func subscribe(
        over caller: any NotificationSubscriber, timeout: CallTimeout = .default,
        resume: (@Sendable (Value?) async throws -> [Value])? = nil
    ) async throws -> Subscription<Value> {
        guard let endpoint = caller as? any JSONRPCEndpoint else { throw await caller.subscriptionError(of: method) }
        let request = SubscriptionRequest(
            method, params: try params.encoded(using: endpoint.coder, method: method), unsubscribe: unsubscribe,
            style: style, options: options)
        let coder = params.coder ?? endpoint.coder
        return try await endpoint.openSubscription(
            request, timeout: timeout, sharing: sharing, overflow: overflow, decoding: decoding, resume: resume
        ) { try $0.params(as: Value.self, using: coder) }
    }
}

/// The compile-time errors for values that cannot be decoded.
extension ProxySubscription {
    @available(
        *, unavailable,
        message: "a proxy decodes the values of a subscription: conform their type to 'Decodable' or 'Codable'"
    )
    public init(
        _ method: String, _ params: ProxyParams, unsubscribe: String?, style: SubscriptionStyle = .ethereum,
        overflow: NotificationOverflow = .standard, decoding: NotificationDecodingPolicy = .fail,
        coder: (any MessageCoder)? = nil, options: CallOptions = CallOptions(), sharing: Bool = false
    ) {
        self.init(
            method: method, params: params, unsubscribe: unsubscribe, style: style, overflow: overflow,
            decoding: decoding, options: options, sharing: sharing)
    }

    @available(
        *, unavailable,
        message: "a proxy decodes the values of a subscription: conform their type to 'Decodable' or 'Codable'"
    )
    public func subscribe(
        over caller: any NotificationSubscriber, timeout: CallTimeout = .default,
        resume: (@Sendable (Value?) async throws -> [Value])? = nil
    ) async throws -> Subscription<Value> {
        throw ErrorObject(.internalError)
    }
}

extension NotificationSubscriber {
    /// Returns the reason why a caller that is not a `JSONRPCEndpoint` cannot subscribe: the error of its streams.
    ///
    /// A stream that has failed throws before the task is cancelled. A stream that would wait is cancelled.
    fileprivate func subscriptionError(of method: String) async -> any Error {
        let stream = notificationStream(of: method, overflow: .standard, decoding: .fail) { $0 }
        let unsupported = ClientError(
            .transportFailed,
            "Could not subscribe by `\(method)`: the caller is not a `JSONRPCEndpoint`. Make the proxy over a client or a "
                + "session.", method: method, delivery: .notSent)
        let first = Task.immediate { for try await _ in stream { return } }
        first.cancel()
        guard case .failure(let error) = await first.result, !(error is CancellationError) else { return unsupported }
        return error
    }
}
