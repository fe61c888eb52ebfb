// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Closures around the first and the last call of a connection's receiver. They are called on the service thread and
/// must not block.
package struct ConnectionHooks: Sendable {
    /// Called before the receiver is told of the connection.
    package var opened: (@Sendable (WebSocketConnection) -> Void)?
    /// Called when the connection has ended. It must call its argument, which tells the receiver.
    package var closed: (@Sendable (_ tellReceiver: () -> Void) -> Void)?

    package init(
        opened: (@Sendable (WebSocketConnection) -> Void)? = nil,
        closed: (@Sendable (_ tellReceiver: () -> Void) -> Void)? = nil
    ) {
        self.opened = opened
        self.closed = closed
    }
}
