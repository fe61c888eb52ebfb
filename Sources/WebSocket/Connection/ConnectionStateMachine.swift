// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The life of an established connection: who closes it, and what the end is called. Does no I/O.
struct ConnectionStateMachine {
    /// Where a connection stands (RFC 6455 §7.1).
    enum Phase: Equatable {
        /// Messages go both ways. Can transition to: all others.
        case open
        /// This side has asked to close; the outbox is written out first, messages are still received. Can transition
        /// to: `closeSent`, `failing`, `peerClosed`, `closed`.
        case draining(code: UInt16, reason: String)
        /// The peer broke a rule; a CLOSE frame will tell it so, and nothing more is received. Can transition to:
        /// `closeSent`, `peerClosed`, `closed`.
        case failing(code: UInt16, reason: String)
        /// Our CLOSE frame is on its way, the peer's is awaited. Can transition to: `closed`.
        case closeSent(code: UInt16, reason: String)
        /// The peer's CLOSE frame came first; lws answers it. Can transition to: `closed`.
        case peerClosed(code: UInt16, reason: String)
        /// Terminal.
        case closed
    }

    private(set) var phase: Phase = .open
    /// What went wrong, when something did.
    private var error: WebSocketError?
    private var isFailure = false

    /// Whether what comes from the peer still reaches the handler.
    var deliversMessages: Bool {
        switch phase {
        case .open, .draining: true
        case .failing, .closeSent, .peerClosed, .closed: false
        }
    }

    enum CloseAction: Equatable {
        /// Write what is queued, then say ``socketFlushed()``; be done by the deadline.
        case flush
        /// A close is under way: at most its deadline becomes shorter.
        case shortenDeadline
        case doNothing
    }

    /// This side wants to close. Where a code or reason cannot be sent as it is, what is sent counts from here on.
    mutating func closeRequested(code: UInt16, reason: String) -> CloseAction {
        switch phase {
        case .open:
            phase = .draining(
                code: WebSocketCloseCode(rawValue: code).sent.rawValue, reason: reason.sentCloseReason)
            return .flush
        case .draining, .closeSent:
            return .shortenDeadline
        case .failing, .peerClosed, .closed:
            return .doNothing
        }
    }

    enum FailAction: Equatable {
        /// Drop what is queued; once lws has nothing buffered, say ``socketFlushed()``.
        case flush
        case doNothing
    }

    /// The peer broke a rule, which ends the connection with a CLOSE frame (RFC 6455 §7.1.7).
    mutating func failed(code: UInt16, reason: String, error: WebSocketError) -> FailAction {
        switch phase {
        case .open, .draining:
            self.error = error
            isFailure = true
            phase = .failing(
                code: WebSocketCloseCode(rawValue: code).sent.rawValue, reason: reason.sentCloseReason)
            return .flush
        case .failing, .closeSent, .peerClosed, .closed:
            return .doNothing
        }
    }

    enum FlushAction: Equatable {
        case sendClose(code: UInt16, reason: String)
        case doNothing
    }

    /// Nothing that was to be written before the CLOSE frame is left.
    mutating func socketFlushed() -> FlushAction {
        switch phase {
        case .draining(let code, let reason), .failing(let code, let reason):
            phase = .closeSent(code: code, reason: reason)
            return .sendClose(code: code, reason: reason)
        case .open, .closeSent, .peerClosed, .closed:
            return .doNothing
        }
    }

    /// The peer's CLOSE frame came.
    mutating func peerCloseReceived(code: UInt16, reason: String) {
        switch phase {
        case .open, .draining, .failing:
            phase = .peerClosed(code: code, reason: reason)
        case .closeSent, .peerClosed, .closed:
            break
        }
    }

    enum DropAction: Equatable {
        /// Close the socket, without a handshake.
        case drop
        case doNothing
    }

    /// The connection is to end now: the peer is dead, or the time for closing is over.
    mutating func dropRequested(_ error: WebSocketError) -> DropAction {
        switch phase {
        case .open, .draining, .closeSent, .failing, .peerClosed:
            if self.error == nil { self.error = error }
            if phase == .open { isFailure = true }
            return .drop
        case .closed:
            return .doNothing
        }
    }

    /// The socket is gone. Returns how to call it, once; `nil` afterwards.
    /// - Parameter lwsCode: The code with which lws itself wanted to close, when it found the peer at fault.
    mutating func socketClosed(lwsCode: UInt16?) -> WebSocketClosure.Ending? {
        defer { phase = .closed }
        let initiator: WebSocketClosure.Initiator = isFailure ? .failure : .local
        switch phase {
        case .closed:
            return nil
        case .peerClosed(let code, let reason):
            if isFailure { return .init(initiator: .failure, code: code, reason: reason, error: error) }
            return .init(initiator: .remote, code: code, reason: reason, error: error)
        case .closeSent(let code, let reason):
            if !isFailure, let error {
                return .init(
                    initiator: .local, code: WebSocketCloseCode.abnormalClosure.rawValue, reason: reason, error: error)
            }
            return .init(initiator: initiator, code: code, reason: reason, error: error)
        case .failing(let code, let reason):
            return .init(initiator: .failure, code: code, reason: reason, error: error)
        case .draining(_, let reason):
            return .init(
                initiator: .local, code: WebSocketCloseCode.abnormalClosure.rawValue, reason: reason,
                error: error ?? Self.lost)
        case .open:
            if let lwsCode {
                return .init(
                    initiator: .failure, code: lwsCode, reason: "",
                    error: WebSocketError(.protocolViolation, "The peer broke a rule of RFC 6455."))
            }
            return .init(
                initiator: .failure, code: WebSocketCloseCode.abnormalClosure.rawValue, reason: "",
                error: error ?? Self.lost)
        }
    }

    private static var lost: WebSocketError {
        WebSocketError(.connectionLost, "The connection ended without a closing handshake.")
    }
}
