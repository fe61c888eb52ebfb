// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Configures a call of a proxy or a service.
///
/// - Parameters:
///   - name: The wire name of the method. It gets no prefix. The default is the transformed Swift name.
///   - params: The structure of the params. The default is that of the protocol.
///   - renaming: Wire names of parameters, such as `["contentType": "content-type"]`. The default is none.
///   - nilArguments: The policy for `nil` arguments. The default is that of the protocol.
///   - timeout: The timeout of the call; `nil` for none. The default is that of the protocol. A batch has a timeout of
///     its own.
///   - coder: Encodes the params and decodes the result, in place of the caller's coder.
///   - options: Options of the call, such as extra members. The default is none.
///   - idempotent: Whether the call can safely be executed twice. If it is `true`, or the options say so, a client that
///     reconnects sends the call again after the connection was lost: see `CallOptions.isIdempotent`. It holds for
///     batches too. The default is `false`.
@attached(peer)
public macro RPC(
    _ name: String = "", params: ParamsStyle = .byName, renaming: [String: String] = [:],
    nilArguments: NilArguments = .omitted, timeout: CallTimeout = .default, coder: any MessageCoder = .wireJSON,
    options: CallOptions = CallOptions(), idempotent: Bool = false
) = #externalMacro(module: "JSONMacrosPlugin", type: "RPCMethodMacro")

/// Makes a method a notification. Notifications get no reply, so success only means that the message was sent.
///
/// - Parameters:
///   - name: The wire name of the method. It gets no prefix. The default is the transformed Swift name.
///   - params: The structure of the params. The default is that of the protocol.
///   - renaming: Wire names of parameters. The default is none.
///   - nilArguments: The policy for `nil` arguments. The default is that of the protocol.
///   - coder: Encodes the params, in place of the caller's coder.
///   - options: Options of the notification, such as extra members. The default is none.
@attached(peer)
public macro RPCNotification(
    _ name: String = "", params: ParamsStyle = .byName, renaming: [String: String] = [:],
    nilArguments: NilArguments = .omitted, coder: any MessageCoder = .wireJSON, options: CallOptions = CallOptions()
) = #externalMacro(module: "JSONMacrosPlugin", type: "RPCMethodMacro")

/// Makes a property a stream of the peer's notifications. The type of the property is `NotificationStream<T>`, where
/// `T` is decoded from the params of a notification as a whole.
///
/// Each read of the property of a proxy begins a new stream. A proxy with such a property needs a
/// `NotificationSubscriber`: a client or a session. Over a `JSONRPCHTTPClient`, the calls of the proxy work, and its
/// streams throw an error, because a server cannot send notifications over HTTP.
///
/// - Parameters:
///   - name: The wire name of the notification. It gets no prefix. The default is the transformed Swift name.
///   - overflow: The policy for notifications that arrive faster than they are consumed. The default keeps the newest
///     1024.
///   - decoding: The policy for notifications whose params cannot be decoded. The default ends the loop with the error.
///   - coder: Decodes the params, in place of the endpoint's coder.
@attached(peer)
public macro RPCNotificationStream(
    _ name: String = "", overflow: NotificationOverflow = .standard, decoding: NotificationDecodingPolicy = .fail,
    coder: any MessageCoder = .wireJSON
) = #externalMacro(module: "JSONMacrosPlugin", type: "RPCPropertyMacro")

/// Makes a method a subscription. The method returns `Subscription<T>`, where `T` is decoded from the values of the
/// subscription's notifications.
///
/// ```swift
/// @JSONRPCProxy
/// protocol Ticker {
///     @RPCSubscription("ticks", unsubscribe: "untick") func ticks(every: Int) async throws -> Subscription<Tick>
///     func missedTicks(after count: Int) async throws -> [Tick]
/// }
/// ```
///
/// The method sends the subscribe request and returns when the peer has answered. The subscription behaves like those
/// of `JSONRPCEndpoint.subscribe(_:params:unsubscribe:style:)`: a client that reconnects subscribes again, and
/// releasing the subscription unsubscribes. To fetch the values that were missed while there was no connection, use
/// ``ProxySubscription/subscribe(over:timeout:resume:)``.
///
/// A proxy with such a method needs a client or a session. Over a `JSONRPCHTTPClient`, the calls of the proxy work, and
/// the method throws an error, because a server cannot send notifications over HTTP.
///
/// A service cannot answer subscriptions. ``JSONRPCService(params:prefix:naming:paramNaming:unknownParams:)`` and
/// ``JSONRPCProxyAndService(params:prefix:naming:paramNaming:nilArguments:timeout:unknownParams:)`` refuse protocols
/// with such a method.
///
/// - Parameters:
///   - name: The wire name of the method that subscribes. It gets no prefix. The default is the transformed Swift name,
///     with the prefix.
///   - unsubscribe: The wire name of the method that unsubscribes; `nil` if the server has none. It gets no prefix and
///     is not transformed.
///   - style: The form of the server's subscriptions. The default is `SubscriptionStyle.ethereum`. It is made once.
///   - overflow: The policy for notifications that arrive faster than they are consumed. The default keeps the newest
///     1024.
///   - decoding: The policy for values that cannot be decoded. The default ends the loop with the error.
///   - params: The structure of the params. The default is that of the protocol.
///   - renaming: Wire names of parameters. The default is none.
///   - nilArguments: The policy for `nil` arguments. The default is that of the protocol.
///   - timeout: The limit for the first subscribe request; `nil` for none. The default is that of the protocol.
///   - coder: Encodes the params and decodes the values, in place of the endpoint's coder.
///   - options: Extra members of the subscribe and the unsubscribe request. The default is none.
///   - sharing: Whether equal subscriptions of one client or session share one subscription of the server. They are
///     equal if their methods, encoded params, style and options are. The default is `false`.
@attached(peer)
public macro RPCSubscription(
    _ name: String = "", unsubscribe: String?, style: SubscriptionStyle = .ethereum,
    overflow: NotificationOverflow = .standard, decoding: NotificationDecodingPolicy = .fail,
    params: ParamsStyle = .byName, renaming: [String: String] = [:], nilArguments: NilArguments = .omitted,
    timeout: CallTimeout = .default, coder: any MessageCoder = .wireJSON, options: CallOptions = CallOptions(),
    sharing: Bool = false
) = #externalMacro(module: "JSONMacrosPlugin", type: "RPCMethodMacro")
