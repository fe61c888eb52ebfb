// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import JSONRPCSession
import Synchronization

/// One connection between a transport and a receiver, with the faults of a ``FaultInjector``.
///
/// The base transport sees it as its receiver, and the receiver sees it as its transport. Messages wait in two lanes
/// until their faults let them pass. The receiver is called on one queue.
final class FaultTransport: MessageTransport, MessageReceiver {
    /// The place of a message in the outbox of the base transport, or two for a duplicated one.
    struct Forwarded: Sendable {
        var ticket: OutboxTicket
        var base: [OutboxTicket]
    }

    struct State {
        var base: (any MessageTransport)?
        var connection = 0
        var outbound = FaultLane()
        var inbound = FaultLane()
        var acceptedBytes: UInt64 = 0
        /// The messages that the base transport may still withdraw, in the order in which it has got them.
        var forwarded: [Forwarded] = []
        /// The last message that counts as sent.
        var sentThrough: OutboxTicket?
        /// The fault that ends the connection.
        var ending: InjectedFault?
        var isClosing = false
        var isBaseClosed = false
        var wantsReading = true
        var isBaseReading = true
        var nextTimer = 0
        var timers: [Int: Task<Void, Never>] = [:]
        var isEnded = false
    }

    /// The number of bytes that wait inbound before the base transport stops reading.
    static let maximumInboundBytes = 1024 * 1024

    let injector: FaultInjector
    let receiver: any MessageReceiver
    let state = Mutex(State())
    let queue = DispatchQueue(label: "jsonrpc.faults")

    init(injector: FaultInjector, receiver: any MessageReceiver) {
        self.injector = injector
        self.receiver = receiver
    }

    // MARK: MessageTransport

    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { bytes.append(contentsOf: piece) }
        return enqueue(bytes)
    }

    func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome { enqueue([UInt8](concatenating: pieces)) }

    private func enqueue(_ bytes: [UInt8]) -> EnqueueOutcome {
        state.withLock { state in
            guard let base = state.base, !state.isClosing else { return .refused }
            let message = FaultLane.Message(bytes: bytes, ticket: OutboxTicket(position: state.acceptedBytes))
            state.outbound.messageCount += 1
            let fault = injector.fault(
                connection: state.connection, .outbound, message: state.outbound.messageCount, byteCount: bytes.count)
            if fault == nil, state.outbound.isEmpty, !state.outbound.isStalled {
                let outcome = state.forward(message, to: base)
                if case .queued = outcome { state.acceptedBytes += UInt64(bytes.count) + 1 }
                return outcome
            }
            state.acceptedBytes += UInt64(bytes.count) + 1
            apply(fault, to: message, in: \.outbound, &state)
            return .queued(message.ticket, mustWake: true)
        }
    }

    func wake() {
        state.withLock { $0.base }?.wake()
        schedule()
    }

    func withdraw(_ ticket: OutboxTicket) -> Bool {
        state.withLock { state in
            if state.outbound.withdraw(ticket) { return true }
            guard let base = state.base, let index = state.forwarded.firstIndex(where: { $0.ticket == ticket }) else {
                return false
            }
            var isWithdrawn = true
            for place in state.forwarded[index].base where !base.withdraw(place) { isWithdrawn = false }
            if isWithdrawn { state.forwarded.remove(at: index) }
            return isWithdrawn
        }
    }

    var queuedByteCount: Int {
        state.withLock { state in state.outbound.byteCount + (state.base?.queuedByteCount ?? 0) }
    }

    func setReading(_ isReading: Bool) {
        state.withLock { state in
            state.wantsReading = isReading
            state.adjustReading()
        }
        if isReading { schedule() }
    }

    func close(code: UInt16, reason: String, deadline: Duration) {
        let base = state.withLock { state -> (any MessageTransport)? in
            defer { state.isClosing = true }
            guard !state.outbound.isEmpty else { return state.base }
            if !state.isClosing { state.outbound.append(.close(code: code, reason: reason, deadline: deadline)) }
            return nil
        }
        if let base { return base.close(code: code, reason: reason, deadline: deadline) }
        schedule()
        let nanoseconds = Int(min(max(deadline / .nanoseconds(1), 0), 1e18))
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            self?.state.withLock { $0.base }?.close(code: code, reason: reason, deadline: .zero)
        }
    }

    // MARK: MessageReceiver

    func transportOpened(_ transport: any MessageTransport) {
        let connection = injector.opened(self)
        state.withLock { state in
            state.base = transport
            state.connection = connection
        }
        receiver.transportOpened(self)
    }

    func messageReceived(_ message: InboundMessage) {
        var taken = FaultLane.Message(bytes: [], isBinary: message.isBinary)
        switch message.content {
        case .borrowed(let bytes): taken.bytes = Array(bytes)
        case .owned(let bytes): (taken.bytes, taken.isAssembled) = (bytes, true)
        }
        state.withLock { state in
            guard state.ending == nil else { return }
            state.inbound.messageCount += 1
            let fault = injector.fault(
                connection: state.connection, .inbound, message: state.inbound.messageCount,
                byteCount: taken.bytes.count)
            apply(fault, to: taken, in: \.inbound, &state)
            state.adjustReading()
        }
        schedule()
    }

    func outboxDrained() { queue.async { self.receiver.outboxDrained() } }

    func roundTripMeasured(_ duration: Duration) { queue.async { self.receiver.roundTripMeasured(duration) } }

    func transportClosed(_ closure: TransportClosure) {
        state.withLock { state in
            state.isClosing = true
            state.isBaseClosed = true
            state.inbound.endTimers()
            state.inbound.append(.closed(closure))
        }
        schedule()
    }
}

extension FaultTransport.State {
    /// Gives a message to the base transport.
    mutating func forward(_ message: FaultLane.Message, to base: any MessageTransport) -> EnqueueOutcome {
        if !forwarded.isEmpty, base.queuedByteCount == 0 { settleForwarded(before: nil) }
        var places: [OutboxTicket] = []
        var mustWake = false
        for _ in 0..<message.copies {
            guard case .queued(let place, let wakes) = base.enqueue(sharing: [message.bytes[...]]) else { break }
            places.append(place)
            mustWake = mustWake || wakes
        }
        guard !places.isEmpty else { return .refused }
        forwarded.append(FaultTransport.Forwarded(ticket: message.ticket, base: places))
        return .queued(message.ticket, mustWake: mustWake)
    }

    /// Counts messages as sent that the base transport has sent.
    ///
    /// - Parameter unsentFrom: The first place that it has not sent; `nil` if it has sent all.
    mutating func settleForwarded(before unsentFrom: OutboxTicket?) {
        for entry in forwarded where unsentFrom == nil || entry.base.contains(where: { $0 < unsentFrom ?? $0 }) {
            countAsSent(entry.ticket)
        }
        forwarded = []
    }

    mutating func countAsSent(_ ticket: OutboxTicket) { sentThrough = max(sentThrough ?? ticket, ticket) }

    /// Lets the base transport read unless the receiver or the inbound lane has enough.
    mutating func adjustReading() {
        let reads = wantsReading && inbound.byteCount < FaultTransport.maximumInboundBytes
        guard reads != isBaseReading else { return }
        isBaseReading = reads
        base?.setReading(reads)
    }
}
