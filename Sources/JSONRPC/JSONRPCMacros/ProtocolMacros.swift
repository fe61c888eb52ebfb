// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Makes a proxy of a protocol: a type whose methods call the peer. From `Calculator`, the macro makes
/// `CalculatorProxy`.
///
/// ```swift
/// @JSONRPCProxy(params: .byName)
/// protocol Calculator {
///     func addIntegers(first: Int, second: Int) async throws -> Int
///     @RPC("math.sub", params: .byPosition, timeout: .seconds(2))
///     func subtract(_ a: Int, _ b: Int) async throws -> Int
///     @RPCNotification func log(_ line: String) async throws
///     @RPCNotificationStream("calculator.tick") var ticks: NotificationStream<Tick> { get }
/// }
/// ```
///
/// Call the peer with the methods of the proxy:
///
/// ```swift
/// let calculator = CalculatorProxy(over: client)
/// print(try await calculator.addIntegers(first: 10, second: 32))
///
/// let (sum, difference) = try await client.batch(
///     CalculatorProxy.requests.addIntegers(first: 1, second: 2), CalculatorProxy.requests.subtract(5, 3))
/// print(sum, difference)
/// ```
///
/// **Requirements.** Each method is a call, unless it is marked
/// ``RPCNotification(_:params:renaming:nilArguments:coder:options:)``. A method is `async throws`, or its last
/// parameter is a completion handler: `@escaping @Sendable (Result<T, any Error>) -> Void`. A method with a completion
/// handler can return `Task<Void, Never>`: cancelling that task cancels the call. Parameter types are
/// `Encodable & Sendable`, result types are `Decodable & Sendable`. A method without a result accepts any result and
/// drops it. A property is a stream of the peer's notifications, marked
/// ``RPCNotificationStream(_:overflow:decoding:coder:)``. A method that returns a `Subscription` is marked
/// ``RPCSubscription(_:unsubscribe:style:overflow:decoding:params:renaming:nilArguments:timeout:coder:options:sharing:)``.
///
/// **Params.** By name, the names are the argument labels. If a label is `_`, the name of the parameter is used. A
/// method without parameters is called without params.
///
/// **Errors.** A method throws the errors of a call: the peer's `ErrorObject`, a `ClientError` or a
/// `CancellationError`. The error type of a method with `throws(E)` is ``CallErrorRepresentable``.
///
/// **Default values.** A protocol cannot have default values. Write an extension:
/// `extension Calculator { func log() async throws { try await log("") } }`.
///
/// The proxy is `Sendable` and has the access level of the protocol. The file of a public protocol needs
/// `public import JSONRPCMacros`.
///
/// - Parameters:
///   - params: The structure of the params that the proxy sends. The default is ``ParamsStyle/byName``.
///     `CalculatorProxy(over:params:)` replaces it for one proxy; `params:` in
///     ``RPC(_:params:renaming:nilArguments:timeout:coder:options:idempotent:)`` always wins.
///   - prefix: A prefix for the wire names of methods, such as `"aria2."`. Names given in `@RPC`, `@RPCNotification`,
///     `@RPCNotificationStream` and `@RPCSubscription` get no prefix. The default is no prefix.
///   - naming: Transforms Swift names of methods into wire names. The default is ``RPCNaming/asWritten``.
///   - paramNaming: Transforms Swift names of parameters into wire names. The default is ``RPCNaming/asWritten``.
///   - nilArguments: The policy for `nil` arguments. The default is ``NilArguments/omitted``.
///   - timeout: The timeout of each call. The default is that of the caller's configuration.
@attached(peer, names: suffixed(Proxy))
public macro JSONRPCProxy(
    params: ParamsStyle = .byName, prefix: String = "", naming: RPCNaming = .asWritten,
    paramNaming: RPCNaming = .asWritten, nilArguments: NilArguments = .omitted, timeout: CallTimeout = .default
) = #externalMacro(module: "JSONMacrosPlugin", type: "JSONRPCProxyMacro")

/// Makes a service of a protocol: a type that answers the peer's calls with the methods of an object. From
/// `Calculator`, the macro makes `CalculatorService`.
///
/// ```swift
/// @JSONRPCService
/// protocol Calculator {
///     func addIntegers(first: Int, second: Int) async throws -> Int
/// }
///
/// struct MyCalculator: Calculator {
///     func addIntegers(first: Int, second: Int) async throws -> Int { first &+ second }
/// }
/// ```
///
/// Register the service with a client, or with a session of a server:
/// `client.serve(CalculatorService(MyCalculator()))`.
///
/// The requirements are those of ``JSONRPCProxy(params:prefix:naming:paramNaming:nilArguments:timeout:)``, but
/// parameter types are `Decodable & Sendable`, and result types are `Encodable & Sendable`. A service accepts params by
/// name and by position; see `JSONRPCEndpoint.serve(_:)`.
///
/// - Parameters:
///   - params: With ``ParamsStyle/whole``, the parameter of each method is the params as a whole. Otherwise each
///     parameter is a param.
///   - prefix: A prefix for the wire names of methods. The default is no prefix.
///   - naming: Transforms Swift names of methods into wire names. The default is ``RPCNaming/asWritten``.
///   - paramNaming: Transforms Swift names of parameters into wire names. The default is ``RPCNaming/asWritten``.
///   - unknownParams: The policy for params that no parameter takes. The default is ``UnknownParams/ignored``.
@attached(peer, names: suffixed(Service))
public macro JSONRPCService(
    params: ParamsStyle = .byName, prefix: String = "", naming: RPCNaming = .asWritten,
    paramNaming: RPCNaming = .asWritten, unknownParams: UnknownParams = .ignored
) = #externalMacro(module: "JSONMacrosPlugin", type: "JSONRPCServiceMacro")

/// Makes a proxy and a service of a protocol, as
/// ``JSONRPCProxy(params:prefix:naming:paramNaming:nilArguments:timeout:)`` and
/// ``JSONRPCService(params:prefix:naming:paramNaming:unknownParams:)`` do. Parameter and result types are
/// `Codable & Sendable`.
///
/// - Parameters:
///   - params: The structure of the params that the proxy sends. The default is ``ParamsStyle/byName``.
///   - prefix: A prefix for the wire names of methods. The default is no prefix.
///   - naming: Transforms Swift names of methods into wire names. The default is ``RPCNaming/asWritten``.
///   - paramNaming: Transforms Swift names of parameters into wire names. The default is ``RPCNaming/asWritten``.
///   - nilArguments: The policy of the proxy for `nil` arguments. The default is ``NilArguments/omitted``.
///   - timeout: The timeout of each call of the proxy. The default is that of the caller's configuration.
///   - unknownParams: The policy of the service for params that no parameter takes. The default is
///     ``UnknownParams/ignored``.
@attached(peer, names: suffixed(Proxy), suffixed(Service))
public macro JSONRPCProxyAndService(
    params: ParamsStyle = .byName, prefix: String = "", naming: RPCNaming = .asWritten,
    paramNaming: RPCNaming = .asWritten, nilArguments: NilArguments = .omitted, timeout: CallTimeout = .default,
    unknownParams: UnknownParams = .ignored
) = #externalMacro(module: "JSONMacrosPlugin", type: "JSONRPCProxyAndServiceMacro")
