// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

struct CloseRequest: Sendable, Equatable {
    var code: UInt16
    var reason: String
    var deadline: Duration
}

extension SessionStateMachine {
    // MARK: Opening

    /// Opens the session with its transport. Returns `false` if the session was closed meanwhile; then the transport
    /// must be closed.
    mutating func connectionOpened() -> Bool {
        guard phase == .connecting else { return false }
        phase = .open
        return true
    }

    /// Ends a session whose connection could not be established. Returns `false` if the session was closed meanwhile.
    mutating func connectionFailed(_ error: any Error) -> Bool {
        guard phase == .connecting else { return false }
        phase = .closed
        closure = DuplexSession.Closure(initiator: .failure, code: 1006, reason: "", error: error)
        return true
    }

    // MARK: Closing

    /// Handles a request to close the session. Calls in flight can end until `drainUntil`; with `nil`, the session does
    /// not wait for them. The first request gives the code and the reason.
    ///
    /// - Parameter hastens: Whether a closing handshake in progress gets the request's deadline, if that is earlier.
    mutating func closeRequested(
        _ request: CloseRequest, drainUntil: SessionTime?, hastens: Bool = false
    ) -> Actions {
        var actions = Actions()
        var first = closeRequest ?? request
        if hastens {
            first.deadline = min(first.deadline, request.deadline)
            if phase == .closing { actions.closes = first }
        }
        closeRequest = first
        switch phase {
        case .connecting:
            phase = .closed
            closure = DuplexSession.Closure(initiator: .local, code: request.code, reason: request.reason)
            actions.newPhase = .closed
        case .open, .draining:
            guard let drainUntil, !isIdle else {
                closeTransport(&actions)
                break
            }
            phase = .draining
            drainDeadline = min(drainDeadline ?? drainUntil, drainUntil)
            actions.timer = timerWanted(at: drainUntil)
            actions.newPhase = .draining
        case .closing, .closed: break
        }
        return actions
    }

    /// Closes the session at once, because the peer violated the protocol. The reason is kept unless the session was
    /// already closing.
    mutating func violated(_ failure: ClientError, _ request: CloseRequest) -> Actions {
        if closeRequest == nil { violation = failure }
        return closeRequested(request, drainUntil: nil)
    }

    mutating func closeTransport(_ actions: inout Actions) {
        phase = .closing
        drainDeadline = nil
        actions.newPhase = .closing
        actions.closes = closeRequest
    }

    /// Whether the program has closed the session. It is `false` if the connection was lost, and if the session closed
    /// it because of a violation by the peer.
    var isClosedByProgram: Bool { closeRequest != nil && violation == nil }

    // MARK: The end

    /// Closes the session. Returns all waiters: first the calls in flight in the order in which they were sent, then
    /// the queue in its order.
    ///
    /// - Parameter unsentFrom: The first position that was not written. The peer has not seen messages from there on.
    mutating func transportClosed(_ closure: DuplexSession.Closure, unsentFrom: OutboxTicket) -> [Lost] {
        phase = .closed
        self.closure = closure
        drainDeadline = nil
        timerDeadline = nil
        lateReceivers = [:]
        var flying = slots.indices.filter { slots[$0].stage == .inFlight }
        flying.sort { (slots[$0].ticket, slots[$0].number) < (slots[$1].ticket, slots[$1].number) }
        var lost: [Lost] = []
        lost.reserveCapacity(flying.count + queue.count)
        for slot in flying {
            guard let call = takeInFlight(Int32(truncatingIfNeeded: slot), .abandoned) else { continue }
            let isUnsent = call.sent.map { $0.ticket >= unsentFrom } ?? true
            lost.append((call.waiter, call.sent, isUnsent ? .notSent : .outcomeUnknown))
        }
        for slot in queue.slotsInOrder {
            if let waiter = abandonQueued(slot) { lost.append((waiter, nil, .notSent)) }
        }
        return lost
    }

    /// A waiter whose connection has ended, its request if it was put into the outbox, and whether the peer may have
    /// seen it.
    typealias Lost = (waiter: Waiter, sent: Sent?, delivery: ClientError.Delivery)
}
