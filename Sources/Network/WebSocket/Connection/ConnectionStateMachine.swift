// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The state machine of an established connection's closing handshake and end. It does no I/O.
struct ConnectionStateMachine {
    /// The phase of a connection (RFC 6455 §7.1).
    enum Phase: Equatable {
        /// Messages are sent and received. Can transition to all other phases.
        case open
        /// This side is closing the connection: the outbox is written first, and messages are still received. Can
        /// transition to `closeSent` and `ended`.
        case draining(code: UInt16, reason: String)
        /// This side has sent its CLOSE frame and waits for the peer's. Can transition to `ended`.
        case closeSent(code: UInt16, reason: String)
        /// The connection has ended. This is the terminal phase.
        case ended
    }

    private(set) var phase: Phase = .open

    /// Whether messages from the peer still reach the receiver.
    var deliversMessages: Bool {
        switch phase {
        case .open, .draining: true
        case .closeSent, .ended: false
        }
    }

    enum CloseAction: Equatable {
        /// Write the queued messages by the deadline, then call ``outboxFlushed()``.
        case flush
        /// The connection is closing already. A shorter deadline replaces its deadline.
        case shortenDeadline
        case doNothing
    }

    /// Handles a close by this side. If the code or the reason cannot be sent, it is replaced. `isRelayed` says whether
    /// the codes 1005 and 1006 are kept, to end the connection in the same way as another one ended.
    mutating func closeRequested(code: UInt16, reason: String, isRelayed: Bool = false) -> CloseAction {
        switch phase {
        case .open:
            let code = WebSocketCloseCode(rawValue: code)
            let isKept = isRelayed && (code == .noStatusReceived || code == .abnormalClosure)
            phase = .draining(code: isKept ? code.rawValue : code.sent.rawValue, reason: reason.sentCloseReason)
            return .flush
        case .draining, .closeSent:
            return .shortenDeadline
        case .ended:
            return .doNothing
        }
    }

    enum FlushAction: Equatable {
        /// Send a CLOSE frame with this code unless it is 1005.
        case sendClose(code: UInt16, reason: String)
        /// End the connection without a CLOSE frame.
        case end(EndAction)
        case doNothing
    }

    /// Handles the event that all messages before the CLOSE frame were written.
    mutating func outboxFlushed() -> FlushAction {
        switch phase {
        case .draining(code: WebSocketCloseCode.abnormalClosure.rawValue, reason: _):
            phase = .ended
            let code = WebSocketCloseCode.abnormalClosure.rawValue
            return .end(EndAction(initiator: .local, code: code, reason: "", lastStep: .none))
        case .draining(let code, let reason):
            phase = .closeSent(code: code, reason: reason)
            return .sendClose(code: code, reason: reason)
        case .open, .closeSent, .ended:
            return .doNothing
        }
    }

    enum LastStep: Equatable {
        /// Send a CLOSE frame as the last frame, with this code unless it is 1005.
        case close(code: UInt16, reason: String)
        /// Send nothing: both CLOSE frames were sent, or none is to be sent.
        case none
        /// Send nothing, because nothing can be sent any more.
        case hangUp
    }

    /// The end of the connection. The receiver is notified at once. The last step towards the peer can take longer.
    struct EndAction: Equatable {
        var initiator: TransportClosure.Initiator
        var code: UInt16
        var reason: String
        var error: WebSocketError? = nil
        var lastStep: LastStep

        static func == (left: EndAction, right: EndAction) -> Bool {
            left.initiator == right.initiator && left.code == right.code && left.reason == right.reason
                && left.error?.code == right.error?.code && left.lastStep == right.lastStep
        }
    }

    /// Handles the peer's CLOSE frame. Returns `nil` if the connection has ended before.
    mutating func peerCloseReceived(code: UInt16, reason: String) -> EndAction? {
        defer { phase = .ended }
        switch phase {
        case .open, .draining:
            return EndAction(initiator: .remote, code: code, reason: reason, lastStep: .close(code: code, reason: ""))
        case .closeSent(let code, let reason):
            return EndAction(initiator: .local, code: code, reason: reason, lastStep: .none)
        case .ended:
            return nil
        }
    }

    /// Handles a violation by the peer, which ends the connection (RFC 6455 §7.1.7). Returns `nil` if it has ended
    /// before.
    mutating func violationFound(code: UInt16, reason: String, error: WebSocketError) -> EndAction? {
        defer { phase = .ended }
        switch phase {
        case .open, .draining:
            let code = WebSocketCloseCode(rawValue: code).sent.rawValue
            let reason = reason.sentCloseReason
            return EndAction(
                initiator: .failure, code: code, reason: reason, error: error,
                lastStep: .close(code: code, reason: reason))
        case .closeSent(_, let reason):
            return Self.hangUp(.local, reason, error)
        case .ended:
            return nil
        }
    }

    /// Handles an end without a handshake, because the peer is dead or the deadline for closing has passed. Returns
    /// `nil` if the connection has already ended.
    mutating func dropRequested(_ error: WebSocketError) -> EndAction? {
        defer { phase = .ended }
        switch phase {
        case .open:
            return Self.hangUp(.failure, "", error)
        case .draining(_, let reason), .closeSent(_, let reason):
            return Self.hangUp(.local, reason, error)
        case .ended:
            return nil
        }
    }

    /// Handles the end of the stream: the peer has ended or reset the connection, or the stream failed. Returns `nil`
    /// if the connection has already ended.
    mutating func streamEnded(_ error: WebSocketError) -> EndAction? {
        guard case .closeSent(let code, let reason) = phase else { return dropRequested(error) }
        // A peer that ends the connection without a CLOSE frame has also replied to the close.
        phase = .ended
        return EndAction(initiator: .local, code: code, reason: reason, lastStep: .hangUp)
    }

    /// Returns the end of a connection to a peer that can no longer be reached.
    private static func hangUp(
        _ initiator: TransportClosure.Initiator, _ reason: String, _ error: WebSocketError
    ) -> EndAction {
        EndAction(
            initiator: initiator, code: WebSocketCloseCode.abnormalClosure.rawValue, reason: reason, error: error,
            lastStep: .hangUp)
    }
}
