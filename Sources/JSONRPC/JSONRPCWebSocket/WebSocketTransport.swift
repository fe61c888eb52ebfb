// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import WebSocket

/// An adapter that makes a WebSocket connection the transport of a session. Each JSON-RPC message is one text message.
final class WebSocketTransport: PeerTransport {
    private let connection: WebSocketConnection

    init(_ connection: WebSocketConnection) { self.connection = connection }

    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        outcome(connection.enqueue(pieces, isBinary: false))
    }

    func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome {
        outcome(connection.enqueue(sharing: pieces, isBinary: false))
    }

    func enqueue(binary bytes: [UInt8]) -> EnqueueOutcome {
        outcome(connection.enqueue(sharing: [bytes[...]], isBinary: true))
    }

    @inline(__always)
    private func outcome(_ outcome: WebSocketConnection.EnqueueOutcome) -> EnqueueOutcome {
        switch outcome {
        case .queued(let position, let mustWake): .queued(OutboxTicket(position: position), mustWake: mustWake)
        case .refused: .refused
        }
    }

    func wake() { connection.wake() }

    func withdraw(_ ticket: OutboxTicket) -> Bool { connection.withdraw(ticket.position) }

    var queuedByteCount: Int { connection.queuedByteCount }

    func setReading(_ isReading: Bool) { connection.setReading(isReading) }

    func afterReading(_ action: @escaping @Sendable () -> Void) { connection.afterReading(action) }

    func close(code: UInt16, reason: String, deadline: Duration) {
        connection.close(code: WebSocketCloseCode(rawValue: code), reason: reason, deadline: deadline)
    }

    func end(code: UInt16, reason: String, deadline: Duration) {
        connection.relayEnd(code: WebSocketCloseCode(rawValue: code), reason: reason, deadline: deadline)
    }
}

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
        receiver.transportOpened(WebSocketTransport(connection))
    }

    func readBegan() { receiver.readBegan() }

    func readEnded() { receiver.readEnded() }

    func messageReceived(_ message: WebSocketMessage) {
        switch message.content {
        case .borrowed(let bytes):
            receiver.messageReceived(InboundMessage(content: .borrowed(bytes), isBinary: message.isBinary))
        case .owned(let bytes):
            receiver.messageReceived(InboundMessage(content: .owned(bytes), isBinary: message.isBinary))
        }
    }

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
            unsentFrom: OutboxTicket(position: closure.unsentFrom))
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
