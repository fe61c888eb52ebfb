// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import JSONRPCSession
import Synchronization

/// One connection between a transport and a receiver, with the faults of a ``FaultInjector``.
///
/// The base transport sees it as its receiver, and the receiver sees it as its transport. Messages wait in two lanes
/// until their faults let them pass. The receiver is called on one queue, and under no lock.
final class FaultTransport: MessageTransport, MessageReceiver {
    private let injector: FaultInjector
    private let receiver: any MessageReceiver
    /// The number of the connection; 0 before it is open.
    private let number = Atomic(0)
    private let queue = DispatchQueue(label: "jsonrpc.faults")

    init(injector: FaultInjector, receiver: any MessageReceiver) {
        self.injector = injector
        self.receiver = receiver
    }

    /// Reads or changes the connection. Returns `nil` before it is open and after its end.
    private func withConnection<Result: Sendable>(_ body: (inout FaultConnection) -> Result) -> Result? {
        injector.withConnection(number.load(ordering: .acquiring)) { connection, _ in body(&connection) }
    }

    private func schedule() { queue.async { self.turn() } }

    // MARK: MessageTransport

    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        enqueue([UInt8](concatenating: pieces))
    }

    func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome { enqueue([UInt8](concatenating: pieces)) }

    private func enqueue(_ bytes: [UInt8]) -> EnqueueOutcome {
        injector.withConnection(number.load(ordering: .acquiring)) { connection, faults in
            guard !connection.isClosing else { return .refused }
            return connection.send(bytes, faults.fault(of: bytes, .outbound, on: &connection))
        } ?? .refused
    }

    func wake() {
        withConnection { $0.base }?.wake()
        schedule()
    }

    func withdraw(_ ticket: OutboxTicket) -> Bool { withConnection { $0.withdraw(ticket) } ?? false }

    var queuedByteCount: Int { withConnection { $0.outbound.byteCount + $0.base.queuedByteCount } ?? 0 }

    func setReading(_ isReading: Bool) {
        withConnection { connection in
            connection.wantsReading = isReading
            connection.adjustReading()
        }
        if isReading { schedule() }
    }

    func afterReading(_ action: @escaping @Sendable () -> Void) {
        guard let base = withConnection({ $0.base }) else { return action() }
        // What the base transport has read passes on in the queue first.
        base.afterReading { [queue] in queue.async(execute: action) }
    }

    func close(code: UInt16, reason: String, deadline: Duration) {
        let base = withConnection { connection -> (any MessageTransport)? in
            defer { connection.isClosing = true }
            guard !connection.outbound.isEmpty else { return connection.base }
            if !connection.isClosing {
                connection.outbound.append(.close(code: code, reason: reason, deadline: deadline))
            }
            return nil
        }
        if let base = base ?? nil { return base.close(code: code, reason: reason, deadline: deadline) }
        schedule()
        after(deadline, on: queue) { [weak self] in
            self?.withConnection { $0.base }?.close(code: code, reason: reason, deadline: .zero)
        }
    }

    // MARK: MessageReceiver

    func transportOpened(_ transport: any MessageTransport) {
        number.store(injector.open(self, over: transport), ordering: .releasing)
        receiver.transportOpened(self)
    }

    func messageReceived(_ message: InboundMessage) {
        var taken = FaultLane.Message(bytes: message.bytes, isBinary: message.isBinary)
        if case .owned = message.content { taken.isAssembled = true }
        injector.withConnection(number.load(ordering: .acquiring)) { connection, faults in
            guard connection.ending == nil else { return }
            connection.apply(faults.fault(of: taken.bytes, .inbound, on: &connection), to: taken, in: \.inbound)
            connection.adjustReading()
        }
        schedule()
    }

    func outboxDrained() { queue.async { self.receiver.outboxDrained() } }

    func roundTripMeasured(_ duration: Duration) { queue.async { self.receiver.roundTripMeasured(duration) } }

    func transportClosed(_ closure: TransportClosure) {
        withConnection { connection in
            connection.isClosing = true
            connection.isBaseClosed = true
            connection.inbound.endTimers()
            connection.inbound.append(.closed(closure))
        }
        schedule()
    }

    // MARK: Passing on

    /// Returns the timer of a message. It is a task, so that a test's clock can be any clock.
    func makeTimer(_ timer: Int, after duration: Duration) -> Task<Void, Never> {
        Task { [weak self, clock = injector.clock] in
            // A cancelled timer belongs to a connection that has ended.
            try? await clock.sleep(for: duration)
            guard let self, !Task.isCancelled else { return }
            withConnection { $0.timerEnded(timer) }
            schedule()
        }
    }

    private func turn() {
        sendOutbound()
        deliverInbound()
    }

    private func sendOutbound() {
        var hasSent = false
        while let (content, base) = withConnection({ $0.nextOutbound() }) ?? nil {
            switch content {
            case .message(let message): hasSent = hasSent || message.copies > 0
            case .end(let fault, let message): end(base, by: fault, isDelivered: message.copies > 0)
            case .close(let code, let reason, let deadline): base.close(code: code, reason: reason, deadline: deadline)
            case .closed: break
            }
        }
        guard hasSent, let (base, isEmpty) = withConnection({ ($0.base, $0.outbound.byteCount == 0) }) else { return }
        base.wake()
        // The base transport does not report that bytes which waited here are gone.
        if isEmpty { receiver.outboxDrained() }
    }

    private func deliverInbound() {
        var isReading = false
        while let content = withConnection({ $0.nextInbound() }) ?? nil {
            switch content {
            case .message(let message):
                for _ in 0..<message.copies {
                    if !isReading { receiver.readBegan() }
                    isReading = true
                    receiver.deliver(message.bytes, isBinary: message.isBinary, isAssembled: message.isAssembled)
                }
            case .end(let fault, _): _ = end(by: fault)
            case .closed(let closure):
                if isReading { receiver.readEnded() }
                return finish(closure)
            case .close: break
            }
        }
        if isReading { receiver.readEnded() }
    }

    // MARK: End

    /// Ends the connection before the next message. Returns `false` if it has ended or is ending.
    func end(by fault: InjectedFault) -> Bool {
        let base = withConnection { connection -> (any MessageTransport)? in
            guard connection.ending == nil else { return nil }
            _ = connection.beginEnding(by: fault, at: nil)
            return connection.base
        }
        guard let base = base ?? nil else { return false }
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
        guard var connection = injector.close(number.load(ordering: .acquiring)) else { return }
        for timer in connection.timers.values { timer.cancel() }
        receiver.transportClosed(connection.closure(after: closure))
    }
}
