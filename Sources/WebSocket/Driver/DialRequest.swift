// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A connection to be made by a service thread, on a socket that is connected.
struct DialRequest: Sendable {
    var connection: WebSocketConnection
    var handler: any WebSocketHandler
    var plan: DialPlan
    /// What the socket leads to, as far as it is set up.
    var dialled: DialledSocket
    /// What is left of the connect timeout.
    var timeout: Duration
    /// Called once, on the service thread.
    var completion: @Sendable (Result<Void, WebSocketError>) -> Void
}
