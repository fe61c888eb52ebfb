// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Takes what happens on a connection.
///
/// All calls come on the connection's service thread, one at a time, in order. They must be short and must not block,
/// since the thread serves other connections too. They may call the connection.
public protocol WebSocketHandler: AnyObject, Sendable {
    /// The opening handshake is done. Comes first; on a client, before `connect` returns.
    func opened(_ connection: WebSocketConnection)
    /// Messages are about to come which were read together; ``readEnded()`` follows the last of them, in the same turn
    /// of the event loop, and before ``closed(_:)``.
    func readBegan()
    /// All messages that were read together have come.
    func readEnded()
    /// A whole message has come.
    func messageReceived(_ message: WebSocketMessage)
    /// ``WebSocketConnection/queuedByteCount`` has fallen to ``WebSocketConfiguration/lowWaterBytes``, after it was
    /// above.
    func outboxDrained()
    /// The peer answered one of our PINGs, after this time.
    func roundTripMeasured(_ duration: Duration)
    /// The connection is gone. Comes once and last.
    func closed(_ closure: WebSocketClosure)
}

extension WebSocketHandler {
    public func readBegan() {}
    public func readEnded() {}
    public func outboxDrained() {}
    public func roundTripMeasured(_ duration: Duration) {}
}

/// A message as it came.
public struct WebSocketMessage {
    /// Who owns the bytes.
    @safe public enum Content {
        /// The receive buffer: valid only during the call.
        case borrowed(UnsafeRawBufferPointer)
        /// The handler's from now on.
        case owned([UInt8])
    }

    public var content: Content
    /// True for a binary message, false for a text message.
    public var isBinary: Bool

    /// The bytes, copied if they have to be.
    public var bytes: [UInt8] {
        switch content {
        case .borrowed(let buffer): unsafe Array(buffer)
        case .owned(let bytes): bytes
        }
    }
}

/// How a connection ended.
public struct WebSocketClosure: Sendable {
    /// Who ended it.
    public enum Initiator: Sendable, Hashable {
        /// This side, by ``WebSocketConnection/close(code:reason:deadline:)``.
        case local
        /// The peer, with a CLOSE frame.
        case remote
        /// Neither properly: reset, end of file, no sign of life, a rule of RFC 6455 broken. `error` says more.
        case failure
    }

    public var initiator: Initiator
    /// The close code (RFC 6455 §7.4): the peer's, or ours when we closed; 1005 or 1006 where there was none.
    public var code: WebSocketCloseCode
    /// The reason from the CLOSE frame: raw text if the peer sent it. Escape it before you show or log it.
    public var reason: String
    /// Why the connection failed; `nil` after a closing handshake.
    public var error: WebSocketError?
    /// Messages whose position lies here or above were never given to the socket: the peer has not seen them.
    package var unsentFrom: UInt64

    /// A closure without the account of what was sent.
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
