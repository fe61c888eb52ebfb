// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession

/// The state of a ``FaultTransport`` while its connection is open. The ``FaultInjector`` keeps it under its lock.
struct FaultConnection: Sendable {
    /// The place of a message in the outbox of the base transport, or two for a duplicated one.
    private struct Forwarded: Sendable {
        var ticket: OutboxTicket
        var base: [OutboxTicket]
    }

    /// The number of bytes that wait inbound before the base transport stops reading.
    private static let maximumInboundBytes = 1024 * 1024

    let number: Int
    let seed: UInt64
    let transport: FaultTransport
    let base: any MessageTransport
    var outbound = FaultLane()
    var inbound = FaultLane()
    private var acceptedBytes: UInt64 = 0
    /// The messages that the base transport may still withdraw, in the order in which it has got them.
    private var forwarded: [Forwarded] = []
    /// The last message that counts as sent.
    private var sentThrough: OutboxTicket?
    private(set) var ending: InjectedFault?
    var isClosing = false
    var isBaseClosed = false
    var wantsReading = true
    private var isBaseReading = true
    private var timerCount = 0
    private(set) var timers: [Int: Task<Void, Never>] = [:]

    init(number: Int, seed: UInt64, transport: FaultTransport, base: any MessageTransport) {
        self.number = number
        self.seed = seed
        self.transport = transport
        self.base = base
    }

    // MARK: Faults

    /// Returns the number of the next message in a direction, counted from 1.
    mutating func countMessage(_ direction: MessageDirection) -> Int {
        let lane: WritableKeyPath<Self, FaultLane> = direction == .outbound ? \.outbound : \.inbound
        self[keyPath: lane].messageCount += 1
        return self[keyPath: lane].messageCount
    }

    /// Puts a message into a lane, as its fault requires.
    mutating func apply(
        _ made: InjectedFault?, to message: FaultLane.Message, in lane: WritableKeyPath<Self, FaultLane>
    ) {
        var message = message
        if self[keyPath: lane].isStalled { message.lose() }
        guard let made, !self[keyPath: lane].isStalled else { return self[keyPath: lane].append(.message(message)) }
        switch made.fault {
        case .delay(let range):
            return self[keyPath: lane].append(.message(message), timer: startTimer(range.lowerBound))
        case .reorder(let passing, let limit):
            return self[keyPath: lane].hold(message, behind: passing, timer: startTimer(limit))
        case .close, .kill: return self[keyPath: lane].append(.end(made, message))
        case .duplicate: message.copies = 2
        case .drop: message.lose()
        case .stall:
            self[keyPath: lane].isStalled = true
            message.lose()
        case .truncate, .corrupt:
            var draw = FaultDraw(
                seed: seed, connection: made.connection, direction: made.direction, message: made.message ?? 0)
            message.bytes = draw.altered(message.bytes, by: made.fault)
        }
        self[keyPath: lane].append(.message(message))
    }

    private mutating func startTimer(_ duration: Duration) -> Int {
        timerCount += 1
        timers[timerCount] = transport.makeTimer(timerCount, after: duration)
        return timerCount
    }

    mutating func timerEnded(_ timer: Int) {
        timers[timer] = nil
        outbound.endTimers(timer)
        inbound.endTimers(timer)
    }

    // MARK: Outbound

    /// Passes a message to the base transport at once, unless its fault or earlier messages prevent that.
    mutating func send(_ bytes: [UInt8], _ fault: InjectedFault?) -> EnqueueOutcome {
        let message = FaultLane.Message(bytes: bytes, ticket: OutboxTicket(position: acceptedBytes))
        if fault == nil, outbound.isEmpty, !outbound.isStalled {
            let outcome = forward(message)
            if case .queued = outcome { acceptedBytes += UInt64(bytes.count) + 1 }
            return outcome
        }
        acceptedBytes += UInt64(bytes.count) + 1
        apply(fault, to: message, in: \.outbound)
        return .queued(message.ticket, mustWake: true)
    }

    mutating func withdraw(_ ticket: OutboxTicket) -> Bool {
        if outbound.withdraw(ticket) { return true }
        guard let index = forwarded.firstIndex(where: { $0.ticket == ticket }) else { return false }
        var isWithdrawn = true
        for place in forwarded[index].base where !base.withdraw(place) { isWithdrawn = false }
        if isWithdrawn { forwarded.remove(at: index) }
        return isWithdrawn
    }

    /// Removes and returns the next outbound item, whose message has been given to the base transport. A fault that
    /// ends the connection takes effect here, in the critical section, so that no message passes after it.
    mutating func nextOutbound() -> (FaultLane.Content, any MessageTransport)? {
        guard ending == nil, var content = outbound.popFirst() else { return nil }
        switch content {
        case .message(let message) where message.copies == 0: countAsSent(message.ticket)
        case .message(let message): _ = forward(message)
        case .end(let fault, var message):
            message.copies = beginEnding(by: fault, at: message) ? 1 : 0
            content = .end(fault, message)
        case .close, .closed: break
        }
        return (content, base)
    }

    private mutating func forward(_ message: FaultLane.Message) -> EnqueueOutcome {
        if !forwarded.isEmpty, base.queuedByteCount == 0 { settleForwarded(before: nil) }
        var places: [OutboxTicket] = []
        var mustWake = false
        for _ in 0..<message.copies {
            guard case .queued(let place, let wakes) = base.enqueue(sharing: [message.bytes[...]]) else { break }
            places.append(place)
            mustWake = mustWake || wakes
        }
        guard !places.isEmpty else { return .refused }
        forwarded.append(Forwarded(ticket: message.ticket, base: places))
        return .queued(message.ticket, mustWake: mustWake)
    }

    /// Counts each message as sent that the base transport has sent.
    ///
    /// - Parameter unsentFrom: The first place that it has not sent; `nil` if it has sent all.
    private mutating func settleForwarded(before unsentFrom: OutboxTicket?) {
        for entry in forwarded where unsentFrom == nil || entry.base.contains(where: { $0 < unsentFrom ?? $0 }) {
            countAsSent(entry.ticket)
        }
        forwarded = []
    }

    private mutating func countAsSent(_ ticket: OutboxTicket) { sentThrough = max(sentThrough ?? ticket, ticket) }

    // MARK: Inbound

    mutating func nextInbound() -> FaultLane.Content? {
        guard wantsReading || isBaseClosed, let content = inbound.popFirst() else { return nil }
        adjustReading()
        return content
    }

    /// Lets the base transport read, unless the receiver has stopped it or the inbound lane is full.
    mutating func adjustReading() {
        let reads = wantsReading && inbound.byteCount < Self.maximumInboundBytes
        guard reads != isBaseReading else { return }
        isBaseReading = reads
        base.setReading(reads)
    }

    // MARK: End

    /// Takes no more messages, and decides whether the message at the fault is sent.
    ///
    /// - Returns: Whether the base transport has got the message.
    mutating func beginEnding(by fault: InjectedFault, at message: FaultLane.Message?) -> Bool {
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
            guard case .queued = forward(message) else { return false }
            countAsSent(message.ticket)
            return true
        }
    }

    /// Returns the end of the connection as the receiver sees it.
    mutating func closure(after base: TransportClosure) -> TransportClosure {
        settleForwarded(before: base.unsentFrom)
        var closure = base
        closure.unsentFrom = OutboxTicket(position: sentThrough.map { $0.position + 1 } ?? 0)
        guard let ending else { return closure }
        closure.error = InjectedFaultError(fault: ending, seed: seed)
        (closure.initiator, closure.code, closure.reason) = (.failure, 1006, "")
        if case .close(let code, let reason) = ending.fault {
            (closure.initiator, closure.code, closure.reason) = (.remote, code, reason)
        }
        return closure
    }
}
