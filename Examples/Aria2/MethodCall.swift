// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCMacros

/// One of the calls of `system.multicall`, aria2's batch inside a call.
public struct MethodCall: Encodable, Sendable {
    public var methodName: String
    public var params: [JSONValue]

    public init(_ methodName: String, _ params: [JSONValue] = []) {
        self.methodName = methodName
        self.params = params
    }
}
