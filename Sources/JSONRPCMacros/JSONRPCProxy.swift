// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Makes a protocol a service that can be called, and that can be served: from `Calculator`, `CalculatorProxy` and
/// `CalculatorService`.
///
/// ```swift
/// @JSONRPCProxy(params: .byName)
/// protocol Calculator {
///     func addIntegers(first: Int, second: Int) async throws -> Int
///     @RPC("math.sub", params: .byPosition, timeout: .seconds(2)) func subtract(_ a: Int, _ b: Int) async throws -> Int
///     @RPCNotification func log(_ line: String) async throws
///     @RPCNotifications("calculator.tick") var ticks: NotificationStream<Tick> { get }
/// }
///
/// let calculator = CalculatorProxy(over: client)
/// let sum = try await calculator.addIntegers(first: 10, second: 32)
/// ```
///
/// **Requirements.** Each method is a call, unless it is marked ``RPCNotification(_:params:renaming:nilArguments:coder:options:)``.
/// It is `async throws`, or takes a completion handler as its last parameter:
/// `@escaping @Sendable (Result<T, any Error>) -> Void`. A completion method may return `Task<Void, Never>`, by which
/// its call can be cancelled. What is sent is `Encodable & Sendable`, what comes is `Decodable & Sendable`; with a
/// service, both are both. A method without a result takes any result of the peer's and drops it. A property is a
/// stream of the peer's notifications, marked ``RPCNotifications(_:overflow:decoding:coder:)``. A shape that cannot be
/// a call is an error where it stands.
///
/// **Params.** By name, the names are the argument labels; where a label is `_`, the parameter's own name. A method
/// without parameters is called without params.
///
/// **Errors.** What a method throws is what a call throws: the peer's `ErrorObject`, a `ClientError`,
/// `CancellationError`. One with `throws(E)` needs an `E` that is ``CallErrorRepresentable``.
///
/// **Default values.** A protocol cannot have them: put them into an extension of it,
/// `extension Calculator { func log() async throws { try await log("") } }`.
///
/// The two types have the protocol's access level, and both are `Sendable`. In a public protocol's file,
/// `public import JSONRPCMacros`.
///
/// - Parameters:
///   - params: how the methods' params are sent.
///   - prefix: stands before every method's name that is not given by `@RPC` and its like: `"aria2."`.
///   - naming: makes a method's name on the wire of its name in Swift.
///   - paramNaming: makes a param's name on the wire of its name in Swift.
///   - nilArguments: whether an argument that is nil is sent.
///   - timeout: how long each call may take.
///   - makes: the proxy, the service or both.
@attached(peer, names: suffixed(Proxy), suffixed(Service))
public macro JSONRPCProxy(
    params: ParamsStructure = .byName, prefix: String = "", naming: RPCNaming = .asWritten,
    paramNaming: RPCNaming = .asWritten, nilArguments: NilArguments = .omitted, timeout: CallTimeout = .default,
    makes: ProxyRoles = .proxyAndService
) = #externalMacro(module: "JSONRPCMacrosPlugin", type: "JSONRPCProxyMacro")

/// Says what is particular about one call of a ``JSONRPCProxy(params:prefix:naming:paramNaming:nilArguments:timeout:makes:)``.
///
/// - Parameters:
///   - name: the method's name on the wire, whole: no prefix is added.
///   - params: how the params are sent.
///   - renaming: names on the wire for parameters whose names in Swift are others: `["contentType": "content-type"]`.
///   - nilArguments: whether an argument that is nil is sent.
///   - timeout: how long the call may take; nil for any time.
///   - coder: encodes the params and decodes the result, in place of the client's own.
///   - options: what the call carries beside its params.
@attached(peer)
public macro RPC(
    _ name: String = "", params: ParamsStructure = .byName, renaming: [String: String] = [:],
    nilArguments: NilArguments = .omitted, timeout: CallTimeout = .default, coder: any MessageCoder = .wireJSON,
    options: CallOptions = CallOptions()
) = #externalMacro(module: "JSONRPCMacrosPlugin", type: "RPCMacro")

/// Makes a method of a ``JSONRPCProxy(params:prefix:naming:paramNaming:nilArguments:timeout:makes:)`` a notification:
/// nothing is answered, and nothing tells whether the peer gets it.
///
/// - Parameters:
///   - name: the method's name on the wire, whole: no prefix is added.
///   - params: how the params are sent.
///   - renaming: names on the wire for parameters whose names in Swift are others.
///   - nilArguments: whether an argument that is nil is sent.
///   - coder: encodes the params, in place of the client's own.
///   - options: what the notification carries beside its params.
@attached(peer)
public macro RPCNotification(
    _ name: String = "", params: ParamsStructure = .byName, renaming: [String: String] = [:],
    nilArguments: NilArguments = .omitted, coder: any MessageCoder = .wireJSON, options: CallOptions = CallOptions()
) = #externalMacro(module: "JSONRPCMacrosPlugin", type: "RPCNotificationMacro")

/// Makes a property of a ``JSONRPCProxy(params:prefix:naming:paramNaming:nilArguments:timeout:makes:)`` the stream of
/// what the peer pushes. Its type is `NotificationStream<T>`, where `T` takes the notification's params as a whole.
///
/// Each time the property of a proxy is read, a stream of its own begins. A proxy with such a property is made over a
/// `JSONRPCEndpoint`, since a mere caller has no way to be called.
///
/// - Parameters:
///   - name: the method's name on the wire, whole: no prefix is added.
///   - overflow: what happens when notifications come faster than they are taken.
///   - decoding: what happens to params of another type.
///   - coder: decodes the params, in place of the client's own.
@attached(peer)
public macro RPCNotifications(
    _ name: String = "", overflow: NotificationOverflow = .standard, decoding: NotificationDecodingPolicy = .fail,
    coder: any MessageCoder = .wireJSON
) = #externalMacro(module: "JSONRPCMacrosPlugin", type: "RPCNotificationsMacro")
