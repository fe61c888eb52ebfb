// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A type that gets the messages and events of a connection.
///
/// The connection calls the methods on its service thread, one at a time and in order. A method must be short and must
/// not block, because the thread also serves other connections. It can call methods of the connection.
public protocol WebSocketHandler: AnyObject, Sendable {
    /// Tells the handler that the opening handshake is done. It is the first call. On a client, it comes before
    /// `connect` returns.
    func opened(_ connection: WebSocketConnection)
    /// Tells the handler that messages follow that were read together.
    ///
    /// ``readEnded()`` follows after the last of them, in the same turn of the event loop and before ``closed(_:)``.
    /// The default implementation does nothing.
    func readBegan()
    /// Tells the handler that all messages that were read together were delivered. The default implementation does
    /// nothing.
    func readEnded()
    /// Gives the handler a whole message.
    func messageReceived(_ message: InboundMessage)
    /// Tells the handler that ``WebSocketConnection/queuedByteCount`` has fallen from above
    /// ``WebSocketConfiguration/lowWaterBytes`` to that value or below. The default implementation does nothing.
    func outboxDrained()
    /// Tells the handler the time between a PING and the peer's PONG. The default implementation does nothing.
    func roundTripMeasured(_ duration: Duration)
    /// Tells the handler that the connection has ended. It is called once, and is the last call.
    func closed(_ closure: WebSocketClosure)
}

extension WebSocketHandler {
    /// Does nothing.
    public func readBegan() {}
    /// Does nothing.
    public func readEnded() {}
    /// Does nothing.
    public func outboxDrained() {}
    /// Does nothing.
    public func roundTripMeasured(_ duration: Duration) {}
}

/// The end of a connection: its initiator, its close code and its error.
public struct WebSocketClosure: Sendable {
    /// The side that ended the connection.
    public enum Initiator: Sendable, Hashable {
        /// This side, with ``WebSocketConnection/close(code:reason:deadline:)-(WebSocketCloseCode,_,_)``.
        case local
        /// The peer, with a CLOSE frame.
        case remote
        /// Neither side with a closing handshake. The connection was reset, ended, got no PONG, or violated RFC 6455:
        /// see ``WebSocketClosure/error``.
        case failure
    }

    /// The side that ended the connection.
    public var initiator: Initiator
    /// The close code (RFC 6455 §7.4), sent by the side that closed the connection; 1005 or 1006 if there was none.
    public var code: WebSocketCloseCode
    /// The reason from the CLOSE frame: raw text if the peer sent it. Escape it before you show or log it.
    public var reason: String
    /// The reason for the failure; `nil` after a closing handshake.
    public var error: WebSocketError?
    /// The position of the first message that was not given to the socket. The peer has not seen it or any message
    /// after it.
    package var unsentFrom: OutboxTicket

    /// The part of a closure that the state machine decides, without the position of unsent messages.
    struct Ending: Equatable {
        var initiator: Initiator
        var code: UInt16
        var reason: String
        var error: WebSocketError? = nil

        static func == (left: Ending, right: Ending) -> Bool {
            left.initiator == right.initiator && left.code == right.code && left.reason == right.reason
                && left.error?.code == right.error?.code
        }
    }
}
