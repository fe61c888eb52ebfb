// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Where to connect: what lws is told, and nothing else.
struct DialTarget: Sendable {
    /// Numeric addresses, or "+" and the path of a unix socket, in the order in which they are tried.
    var addresses: [String]
    var port: Int
    /// The request target, with the query.
    var path: String
    /// The `Host` header field.
    var host: String
}

/// A connection to be made by a service thread.
struct DialRequest: Sendable {
    var connection: WebSocketConnection
    var handler: any WebSocketHandler
    var target: DialTarget
    var headers: [(name: String, value: String)]
    /// What is left of the connect timeout.
    var timeout: Duration
    /// Called once, on the service thread.
    var completion: @Sendable (Result<Void, WebSocketError>) -> Void
}
