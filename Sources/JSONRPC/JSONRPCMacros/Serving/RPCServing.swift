// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession

/// A type that answers the peer's calls. ``JSONRPCService(params:prefix:naming:paramNaming:unknownParams:)`` makes it
/// from a protocol, as `<Name>Service`.
public protocol RPCServing: Sendable {
    /// Registers each method.
    func register(_ registrar: ServiceRegistrar)
}

extension JSONRPCEndpoint {
    /// Answers the peer's calls of the methods of a service: `client.serve(CalculatorService(MyCalculator()))`.
    ///
    /// The service accepts params by name and by position. Params that are missing or cannot be decoded are answered
    /// with `invalidParams` (-32602): the message and the `param` member of the data name the first such param, and a
    /// `handlerFailed` event carries the same error. `UnknownParams` decides about params that no parameter takes.
    ///
    /// The peer can call each method as a request and as a notification. The result of a notification is dropped. A
    /// method without a result answers `null`.
    ///
    /// The service replaces earlier handlers of the same methods. Calls are served concurrently.
    public func serve(_ service: some RPCServing) { service.register(ServiceRegistrar(endpoint: self)) }
}
