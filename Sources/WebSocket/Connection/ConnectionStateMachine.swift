// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The life of an established connection: who closes it, and what the end is called. Does no I/O.
struct ConnectionStateMachine {
    /// Where a connection stands (RFC 6455 §7.1).
    enum Phase: Equatable {
        /// Messages go both ways. Can transition to: all others.
        case open
        /// This side has asked to close; the outbox is written out first, messages are still received. Can transition
        /// to: `closeSent`, `ended`.
        case draining(code: UInt16, reason: String)
        /// Our CLOSE frame is on its way, the peer's is awaited. Can transition to: `ended`.
        case closeSent(code: UInt16, reason: String)
        /// Terminal.
        case ended
    }

    private(set) var phase: Phase = .open

    /// Whether messages from the peer still reach the handler.
    var deliversMessages: Bool {
        switch phase {
        case .open, .draining: true
        case .closeSent, .ended: false
        }
    }

    enum CloseAction: Equatable {
        /// Write what is queued, then say ``outboxFlushed()``; be done by the deadline.
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
        case .ended:
            return .doNothing
        }
    }

    enum FlushAction: Equatable {
        case sendClose(code: UInt16, reason: String)
        case doNothing
    }

    /// All messages that were to be written before the CLOSE frame are.
    mutating func outboxFlushed() -> FlushAction {
        switch phase {
        case .draining(let code, let reason):
            phase = .closeSent(code: code, reason: reason)
            return .sendClose(code: code, reason: reason)
        case .open, .closeSent, .ended:
            return .doNothing
        }
    }

    /// How to part from the peer.
    enum Farewell: Equatable {
        /// Send a CLOSE frame, with this code unless it is 1005, as the last thing.
        case close(code: UInt16, reason: String)
        /// Both CLOSE frames went over the wire.
        case none
        /// Nothing will go over the wire any more.
        case hangUp
    }

    /// The end: the handler is told at once, and parting takes the time it takes.
    struct EndAction: Equatable {
        var ending: WebSocketClosure.Ending
        var farewell: Farewell
    }

    /// The peer's CLOSE frame came. `nil` when the connection has ended before.
    mutating func peerCloseReceived(code: UInt16, reason: String) -> EndAction? {
        defer { phase = .ended }
        switch phase {
        case .open, .draining:
            return EndAction(
                ending: .init(initiator: .remote, code: code, reason: reason),
                farewell: .close(code: code, reason: ""))
        case .closeSent(let code, let reason):
            return EndAction(ending: .init(initiator: .local, code: code, reason: reason), farewell: .none)
        case .ended:
            return nil
        }
    }

    /// The peer broke a rule, which ends the connection (RFC 6455 §7.1.7). `nil` when it has ended before.
    mutating func violationFound(code: UInt16, reason: String, error: WebSocketError) -> EndAction? {
        defer { phase = .ended }
        switch phase {
        case .open, .draining:
            let code = WebSocketCloseCode(rawValue: code).sent.rawValue
            let reason = reason.sentCloseReason
            return EndAction(
                ending: .init(initiator: .failure, code: code, reason: reason, error: error),
                farewell: .close(code: code, reason: reason))
        case .closeSent(_, let reason):
            return EndAction(ending: Self.unanswered(reason, error), farewell: .hangUp)
        case .ended:
            return nil
        }
    }

    /// The connection is to end now: the peer is dead, or the time for closing is over. `nil` when it has ended before.
    mutating func dropRequested(_ error: WebSocketError) -> EndAction? {
        defer { phase = .ended }
        switch phase {
        case .open:
            return EndAction(ending: Self.lost(error), farewell: .hangUp)
        case .draining(_, let reason), .closeSent(_, let reason):
            return EndAction(ending: Self.unanswered(reason, error), farewell: .hangUp)
        case .ended:
            return nil
        }
    }

    /// The peer has ended or reset the connection, or it failed. `nil` when it has ended before.
    mutating func streamEnded(_ error: WebSocketError) -> EndAction? {
        defer { phase = .ended }
        switch phase {
        case .open:
            return EndAction(ending: Self.lost(error), farewell: .hangUp)
        case .draining(_, let reason):
            return EndAction(ending: Self.unanswered(reason, error), farewell: .hangUp)
        case .closeSent(let code, let reason):
            // To end the connection in place of a CLOSE frame is an answer too.
            return EndAction(ending: .init(initiator: .local, code: code, reason: reason), farewell: .hangUp)
        case .ended:
            return nil
        }
    }

    private static func lost(_ error: WebSocketError) -> WebSocketClosure.Ending {
        .init(initiator: .failure, code: WebSocketCloseCode.abnormalClosure.rawValue, reason: "", error: error)
    }

    private static func unanswered(_ reason: String, _ error: WebSocketError) -> WebSocketClosure.Ending {
        .init(initiator: .local, code: WebSocketCloseCode.abnormalClosure.rawValue, reason: reason, error: error)
    }
}
