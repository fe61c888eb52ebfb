// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession

/// An object that the peer can call: what ``JSONRPCProxy(params:prefix:naming:paramNaming:nilArguments:timeout:makes:)``
/// makes of a protocol, as `<Name>Service`.
public protocol JSONRPCService: Sendable {
    /// Registers each method.
    func register(_ registrar: ServiceRegistrar)
}

extension JSONRPCEndpoint {
    /// Has the peer's calls of the service's methods answered by it: `client.serve(CalculatorService(MyCalculator()))`.
    ///
    /// Params are taken by name and by position. Those that are missing, too many or of another type are answered with
    /// `invalidParams`; the error's message and its data's `param` name the first such param.
    /// Handlers set before for the same methods are replaced. Calls are served side by side.
    ///
    /// A method may be called as a request or as a notification, whatever the protocol calls it: a notification's result
    /// is dropped, a request without a result is answered with `null`.
    public func serve(_ service: some JSONRPCService) { service.register(ServiceRegistrar(endpoint: self)) }
}
