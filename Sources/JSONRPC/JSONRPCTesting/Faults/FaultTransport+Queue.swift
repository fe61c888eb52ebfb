// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import JSONRPCSession
import Synchronization

/// The work of a ``FaultTransport`` on its queue. No lock is held while the receiver is called.
extension FaultTransport {
    func schedule() { queue.async { self.turn() } }

    // MARK: Faults

    /// Puts a message into a lane, as its fault demands.
    func apply(
        _ made: InjectedFault?, to message: FaultLane.Message, in lane: WritableKeyPath<State, FaultLane>,
        _ state: inout State
    ) {
        guard !state[keyPath: lane].isStalled else { return state[keyPath: lane].append(.lost(message.ticket)) }
        guard let made else { return state[keyPath: lane].append(.message(message)) }
        switch made.fault {
        case .delay(let range):
            let timer = startTimer(range.lowerBound, &state)
            state[keyPath: lane].append(.message(message), timer: timer)
        case .reorder(let passing, let limit):
            let timer = startTimer(limit, &state)
            state[keyPath: lane].hold(message, behind: passing, timer: timer)
        case .duplicate:
            var message = message
            message.copies = 2
            state[keyPath: lane].append(.message(message))
        case .drop: state[keyPath: lane].append(.lost(message.ticket))
        case .truncate, .corrupt:
            var message = message
            var draw = FaultDraw(
                seed: injector.seed, connection: made.connection, direction: made.direction,
                message: made.message ?? 0)
            message.bytes = draw.altered(message.bytes, by: made.fault)
            state[keyPath: lane].append(.message(message))
        case .stall:
            state[keyPath: lane].isStalled = true
            state[keyPath: lane].append(.lost(message.ticket))
        case .close, .kill: state[keyPath: lane].append(.end(made, message))
        }
    }

    private func startTimer(_ duration: Duration, _ state: inout State) -> Int {
        state.nextTimer += 1
        let timer = state.nextTimer
        state.timers[timer] = Task { [weak self, clock = injector.clock] in
            // A cancelled timer belongs to a connection that has ended.
            try? await clock.sleep(for: duration)
            guard let self, !Task.isCancelled else { return }
            self.state.withLock { state in
                state.timers[timer] = nil
                state.outbound.timerEnded(timer)
                state.inbound.timerEnded(timer)
            }
            self.schedule()
        }
        return timer
    }

    // MARK: Passing on

    private func turn() {
        sendOutbound()
        deliverInbound()
    }

    private func sendOutbound() {
        var hasSent = false
        while let (content, base) = nextOutbound() {
            switch content {
            case .message: hasSent = true
            case .end(let fault, let message): end(base, by: fault, isDelivered: message.copies > 0)
            case .close(let code, let reason, let deadline): base.close(code: code, reason: reason, deadline: deadline)
            case .lost, .closed: break
            }
        }
        guard hasSent else { return }
        state.withLock { $0.base }?.wake()
        // The base transport does not tell of bytes that waited here.
        if state.withLock({ $0.outbound.byteCount == 0 && !$0.isEnded }) { receiver.outboxDrained() }
    }

    private func nextOutbound() -> (FaultLane.Content, any MessageTransport)? {
        state.withLock { state in
            guard let base = state.base, state.ending == nil, let content = state.outbound.popFirst() else {
                return nil
            }
            switch content {
            case .message(let message): _ = state.forward(message, to: base)
            case .lost(let ticket): state.countAsSent(ticket)
            case .end(let fault, var message):
                // In this critical section, so that no message passes after the fault.
                let isDelivered = state.beginEnding(by: fault, at: message, base)
                message.copies = isDelivered ? 1 : 0
                return (.end(fault, message), base)
            case .close, .closed: break
            }
            return (content, base)
        }
    }

    private func deliverInbound() {
        var isReading = false
        while let content = nextInbound() {
            switch content {
            case .message(let message):
                if !isReading { receiver.readBegan() }
                isReading = true
                for _ in 0..<message.copies { deliver(message) }
            case .end(let fault, _): _ = end(by: fault)
            case .closed(let closure):
                if isReading { receiver.readEnded() }
                return finish(closure)
            case .lost, .close: break
            }
        }
        if isReading { receiver.readEnded() }
    }

    private func nextInbound() -> FaultLane.Content? {
        state.withLock { state in
            guard !state.isEnded, state.wantsReading || state.isBaseClosed, let content = state.inbound.popFirst()
            else { return nil }
            state.adjustReading()
            return content
        }
    }

    private func deliver(_ message: FaultLane.Message) {
        if message.isAssembled {
            receiver.messageReceived(InboundMessage(content: .owned(message.bytes), isBinary: message.isBinary))
        } else {
            message.bytes.withUnsafeBytes {
                receiver.messageReceived(InboundMessage(content: .borrowed($0), isBinary: message.isBinary))
            }
        }
    }

    // MARK: End

    /// Ends the connection before the next message. Returns `false` if it has ended or is ending.
    func end(by fault: InjectedFault) -> Bool {
        let base = state.withLock { state -> (any MessageTransport)? in
            guard state.ending == nil, !state.isEnded, let base = state.base else { return nil }
            _ = state.beginEnding(by: fault, at: nil, base)
            return base
        }
        guard let base else { return false }
        end(base, by: fault, isDelivered: false)
        return true
    }

    /// Ends the base transport.
    ///
    /// - Parameter isDelivered: Whether the last message in its outbox is meant to arrive.
    private func end(_ base: any MessageTransport, by fault: InjectedFault, isDelivered: Bool) {
        // The messages before the fault leave the outbox first.
        base.wake()
        if case .close(let code, let reason) = fault.fault {
            base.close(code: code, reason: reason, deadline: .seconds(1))
        } else if let inMemory = base as? InMemoryTransport {
            inMemory.dropConnection()
        } else {
            base.close(code: 1001, reason: "", deadline: isDelivered ? .seconds(1) : .zero)
        }
    }

    private func finish(_ closure: TransportClosure) {
        let (ended, timers) = state.withLock { state in
            state.settleForwarded(before: closure.unsentFrom)
            var ended = closure
            ended.unsentFrom = OutboxTicket(position: state.sentThrough.map { $0.position + 1 } ?? 0)
            if let ending = state.ending {
                let error = InjectedFaultError(fault: ending, seed: injector.seed)
                (ended.initiator, ended.code, ended.reason, ended.error) = (.failure, 1006, "", error)
                if case .close(let code, let reason) = ending.fault {
                    (ended.initiator, ended.code, ended.reason) = (.remote, code, reason)
                }
            }
            defer { state.timers = [:] }
            state.isEnded = true
            state.base = nil
            state.outbound.removeAll()
            state.inbound.removeAll()
            return (ended, Array(state.timers.values))
        }
        for timer in timers { timer.cancel() }
        injector.closed(state.withLock { $0.connection })
        receiver.transportClosed(ended)
    }
}

extension FaultTransport.State {
    /// Takes no more messages, and decides whether the message at the fault is sent.
    ///
    /// - Returns: Whether the base transport has got the message.
    fileprivate mutating func beginEnding(
        by fault: InjectedFault, at message: FaultLane.Message?, _ base: any MessageTransport
    ) -> Bool {
        ending = fault
        isClosing = true
        inbound.removeMessages()
        guard let message, message.copies > 0, case .kill(let point) = fault.fault else { return false }
        switch point {
        case .beforeWriting: return false
        case .afterWriting:
            countAsSent(message.ticket)
            return false
        case .afterDelivery:
            guard case .queued = forward(message, to: base) else { return false }
            countAsSent(message.ticket)
            return true
        }
    }
}
