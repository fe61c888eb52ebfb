// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCMacros

/// A call for `system.multicall`, aria2's own form of a batch.
public struct MethodCall: Encodable, Sendable {
    public var methodName: String
    public var params: [JSONValue]

    public init(_ methodName: String, _ params: [JSONValue] = []) {
        self.methodName = methodName
        self.params = params
    }
}
