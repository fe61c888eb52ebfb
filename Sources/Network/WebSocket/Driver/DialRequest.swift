// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A request to a service thread to make a connection on a connected socket.
struct DialRequest: Sendable {
    var connection: WebSocketConnection
    var receiver: any MessageReceiver
    var hooks: ConnectionHooks
    var plan: DialPlan
    /// The connected socket, and its TLS handshake.
    var dialled: DialledSocket
    /// The rest of the connect timeout.
    var timeout: Duration
    /// The closure for the result. It is called once, on the service thread.
    var completion: @Sendable (Result<Void, WebSocketError>) -> Void

    var command: LoopCommand {
        LoopCommand { context in
            if context.isStopping {
                completion(.failure(.loopsStopped()))
            } else {
                ClientOpening.start(self, in: context)
            }
        } refuse: {
            completion(.failure(.loopsStopped($0)))
        }
    }
}
