// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The implementation of WebSocket: connecting, listening, TLS, the opening handshake, frames and the closing
/// handshake.
///
/// Both ends of a connection can have different engines. The default is ``builtIn``. The module `LWSWebSocket` adds
/// `libwebsockets`. The article "The two engines" of `JSONRPCWebSocket` describes the differences.
public struct WebSocketEngine: Sendable, Hashable, CustomStringConvertible {
    /// The engine of this module, which is the default.
    public static let builtIn = WebSocketEngine("builtIn", nil)

    /// The name of the engine.
    public let description: String
    /// The engine, or `nil` for the engine of this module.
    package let implementation: (any EngineImplementation)?

    package init(_ name: String, _ implementation: (any EngineImplementation)?) {
        description = name
        self.implementation = implementation
    }

    public static func == (left: WebSocketEngine, right: WebSocketEngine) -> Bool {
        left.description == right.description
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
