// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import WebSocket

/// An adapter that passes the events of a WebSocket connection to a session.
final class WebSocketReceiver: WebSocketHandler {
    private let receiver: any MessageReceiver
    private let connectionOpened: (@Sendable (WebSocketConnection) -> Void)?
    private let connectionClosed: (@Sendable (_ tellReceiver: () -> Void) -> Void)?

    /// - Parameters:
    ///   - opened: A closure that is called before the receiver is told of the connection.
    ///   - closed: A closure that is called when the connection has ended. It must call its argument, which tells the
    ///     receiver.
    init(
        _ receiver: any MessageReceiver, opened: (@Sendable (WebSocketConnection) -> Void)? = nil,
        closed: (@Sendable (_ tellReceiver: () -> Void) -> Void)? = nil
    ) {
        self.receiver = receiver
        connectionOpened = opened
        connectionClosed = closed
    }

    func opened(_ connection: WebSocketConnection) {
        connectionOpened?(connection)
        receiver.transportOpened(connection)
    }

    func readBegan() { receiver.readBegan() }

    func readEnded() { receiver.readEnded() }

    func messageReceived(_ message: InboundMessage) { receiver.messageReceived(message) }

    func outboxDrained() { receiver.outboxDrained() }

    func roundTripMeasured(_ duration: Duration) { receiver.roundTripMeasured(duration) }

    func closed(_ closure: WebSocketClosure) {
        let initiator: TransportClosure.Initiator =
            switch closure.initiator {
            case .local: .local
            case .remote: .remote
            case .failure: .failure
            }
        let closure = TransportClosure(
            initiator: initiator, code: closure.code.rawValue, reason: closure.reason, error: error(closure),
            unsentFrom: closure.unsentFrom)
        if let connectionClosed {
            connectionClosed { receiver.transportClosed(closure) }
        } else {
            receiver.transportClosed(closure)
        }
    }

    /// Returns the error that the session reports for a closure. If a local limit ended the connection, the error names
    /// the limit, because the network did not fail.
    private func error(_ closure: WebSocketClosure) -> (any Error)? {
        guard let error = closure.error, error.code == .messageTooBig else { return closure.error }
        return ClientError(
            .connectionLost, "The connection was closed. \(error.message)", cause: error,
            closeCode: closure.code.rawValue)
    }
}
