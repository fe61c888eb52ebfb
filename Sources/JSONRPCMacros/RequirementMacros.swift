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
) = #externalMacro(module: "JSONRPCMacrosPlugin", type: "RPCMacro")

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
) = #externalMacro(module: "JSONRPCMacrosPlugin", type: "RPCNotificationMacro")

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
) = #externalMacro(module: "JSONRPCMacrosPlugin", type: "RPCNotificationStreamMacro")
