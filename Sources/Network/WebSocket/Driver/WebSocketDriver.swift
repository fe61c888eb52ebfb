// swift-jsonrpc · SPDX-License-Identifier: MIT

import Logging
import Synchronization

/// The driver of an established connection: what both engines have in common. It feeds the state machines, keeps the
/// deadlines and the listener's limits, and notifies the receiver. Subclasses read and write.
package class WebSocketDriver: LoopConnection {
    package final let id: UInt64
    package final let writeMark = WriteMark()
    unowned final let context: LWSContext
    final let connection: WebSocketConnection
    final let receiver: any MessageReceiver
    private let hooks: ConnectionHooks
    /// The limits of the listener that accepted the connection, or `nil` on a client.
    final let limits: ListenerLimits?
    private let peer: SocketAddress?

    final var machine = ConnectionStateMachine()
    final var keepalive: KeepaliveStateMachine?
    final var lastByteAt = MonotonicClock.now
    final var isReading = true
    /// The part of an unfinished message that the listener has already counted.
    private var countedBytes = 0
    /// Whether ``MessageReceiver/readBegan()`` was called in this pass.
    final private(set) var isInRead = false

    /// The deadlines of a connection, in nanoseconds of `MonotonicClock`. One timer serves all of them.
    private struct Deadlines {
        var close: Int64?
        /// The time at which suspended reading resumes automatically.
        var reading: Int64?
        /// The time of the next check whether the peer has ended the connection, while reading is suspended.
        var deathCheck: Int64?
        /// The time by which an unfinished message must be complete.
        var message: Int64?

        var earliest: Int64 {
            min(min(close ?? .max, reading ?? .max), min(deathCheck ?? .max, message ?? .max))
        }
    }
    private var deadlines = Deadlines()
    private var timer: LWSTimer?
    private static let deathCheckInterval: Int64 = 500_000_000

    package final var configuration: WebSocketConfiguration { connection.configuration }
    /// Whether the connection has ended. The last step towards the peer may still take time.
    package final var isOver: Bool { machine.phase == .ended }

    init(
        _ connection: WebSocketConnection, receiver: any MessageReceiver, hooks: ConnectionHooks, context: LWSContext,
        limits: ListenerLimits?, peer: SocketAddress?
    ) {
        id = connection.id
        self.context = context
        self.connection = connection
        self.receiver = receiver
        self.hooks = hooks
        self.limits = limits
        self.peer = peer
        if let interval = connection.configuration.pingInterval {
            keepalive = KeepaliveStateMachine(
                interval: interval, timeout: connection.configuration.pingTimeout, now: MonotonicClock.now)
        }
    }

    /// Starts the connection. `opened` is called after the receiver was notified of the connection.
    final func begin(opened: () -> Void) {
        context.add(self)
        timer = LWSTimer(context: context) { [unowned self] in timerFired() }
        schedule()
        configuration.logger.debug("websocket open", metadata: ["websocket.connection": "\(id)"])
        hooks.opened?(connection)
        receiver.transportOpened(connection)
        opened()
    }

    // MARK: For subclasses

    var socketNumber: Int32 { -1 }
    /// Whether a message or a frame has begun and is unfinished.
    var isUnfinished: Bool { false }
    package func write() {}
    package func readArrived() {}
    func sendPing(_ counter: UInt64, now: Int64) {}
    /// Suspends or resumes reading of the socket.
    func readingChanged() {}
    /// Takes the last step towards the peer.
    func take(_ step: ConnectionStateMachine.LastStep, isFailure: Bool) {}

    // MARK: Receiving

    @inline(__always)
    final func deliver(_ message: InboundMessage) {
        if !isInRead {
            isInRead = true
            context.readBegan(self)
            receiver.readBegan()
        }
        receiver.messageReceived(message)
    }

    package func endRead() {
        guard isInRead else { return }
        isInRead = false
        receiver.readEnded()
    }

    /// Counts the stored bytes of an unfinished message against the listener's limits. Returns `false` if all
    /// connections together exceed their limit.
    final func countUnfinished(_ bytes: Int, isUnfinished: Bool) -> Bool {
        guard let limits else { return true }
        if !isUnfinished {
            deadlines.message = nil
        } else if deadlines.message == nil {
            deadlines.message = MonotonicClock.now + limits.messageTimeout
            schedule()
        }
        guard bytes != countedBytes else { return true }
        let isTooMuch = !limits.count(unfinished: bytes - countedBytes) && bytes > countedBytes
        countedBytes = bytes
        return !isTooMuch
    }

    /// The time limit for the next message begins with its first byte.
    final func messageEnded() { deadlines.message = nil }

    package final func pongReceived(_ payload: [UInt8]) {
        let now = MonotonicClock.now
        lastByteAt = now
        let counter = KeepaliveStateMachine.counter(in: payload)
        guard let duration = keepalive?.pongReceived(counter, now: now) else { return }
        receiver.roundTripMeasured(duration)
    }

    // MARK: Suspending

    /// Suspends or resumes reading. A closing connection always reads, because it needs PONG and CLOSE frames.
    package final func setReading(_ isReading: Bool) {
        guard !isOver, isReading != self.isReading, isReading || machine.phase == .open else { return }
        self.isReading = isReading
        readingChanged()
        let now = MonotonicClock.now
        if isReading {
            deadlines.reading = nil
            deadlines.deathCheck = nil
            keepalive?.readingResumed(now: now)
        } else {
            deadlines.reading = now + configuration.maximumReadSuspension.wholeNanoseconds
            deadlines.deathCheck = now + Self.deathCheckInterval
            keepalive?.readingSuspended()
        }
        schedule()
    }

    // MARK: Timers

    private func schedule() {
        let earliest = min(deadlines.earliest, keepalive?.nextDeadline ?? .max)
        if earliest != .max { timer?.schedule(noLaterThan: earliest) }
    }

    private func timerFired() {
        let now = MonotonicClock.now
        if let due = deadlines.close, due <= now { return drop(.closeTimedOut()) }
        if let due = deadlines.message, due <= now {
            deadlines.message = nil
            if isUnfinished { return fail(.tooSlow) }
        }
        if let due = deadlines.reading, due <= now { setReading(true) }
        if let due = deadlines.deathCheck, due <= now {
            deadlines.deathCheck = now + Self.deathCheckInterval
            // The peer has ended the connection. Reading first delivers the remaining bytes, and then finds the end.
            if SocketState.isPeerGone(socketNumber) { setReading(true) }
        }
        keepaliveDeadline(now)
        if !isOver { schedule() }
    }

    private func keepaliveDeadline(_ now: Int64) {
        guard let due = keepalive?.nextDeadline, due <= now else { return }
        checkForBytes(now)
        switch keepalive?.timerFired(now: now, lastByteAt: lastByteAt) {
        case .doNothing, nil: break
        case .sendPing(let counter): sendPing(counter, now: now)
        case .fail: drop(.peerUnresponsive(configuration))
        }
    }

    /// Bytes that were not read yet are also a sign of life, because this thread may have been busy.
    func checkForBytes(_ now: Int64) {
        if SocketState.hasBytes(socketNumber) { lastByteAt = now }
    }

    // MARK: Closing

    /// Closes the connection from this side. The queued messages are sent first. `isRelayed` says whether the codes
    /// 1005 and 1006 are kept, to end the connection in the same way as another one ended.
    final func close(code: UInt16, reason: String, isRelayed: Bool, deadline: Duration) {
        let due = MonotonicClock.now + deadline.wholeNanoseconds
        switch machine.closeRequested(code: code, reason: reason, isRelayed: isRelayed) {
        case .flush:
            connection.outbox.withLock { $0.close() }
            deadlines.close = due
            // The peer's CLOSE frame must be read.
            setReading(true)
            context.writeLater(self)
        case .shortenDeadline:
            deadlines.close = min(deadlines.close ?? due, due)
        case .doNothing:
            return
        }
        schedule()
    }

    package final func loopStops(deadline: Duration) {
        close(code: WebSocketCloseCode.goingAway.rawValue, reason: "", isRelayed: false, deadline: deadline)
    }

    package final func loopEnded() { drop(.loopsStopped()) }

    package final func messagesWereMarked() {
        // After this, senders wake the thread again. The write below takes earlier messages.
        _ = connection.isMarked.exchange(false, ordering: .acquiringAndReleasing)
        context.writeLater(self)
    }

    final func drop(_ error: WebSocketError) { end(machine.dropRequested(error)) }

    /// Ends the connection because of a violation by the peer, and reports it to the peer.
    func fail(_ violation: Violation) {
        end(machine.violationFound(code: violation.closeCode.rawValue, reason: violation.text, error: violation.error))
    }

    /// Notifies the receiver of the end, and takes the last step towards the peer.
    final func end(_ action: ConnectionStateMachine.EndAction?) {
        guard let action else { return }
        timer?.cancel()
        keepalive = nil
        context.remove(self)
        let unsentFrom = connection.outbox.withLock { $0.end() }
        take(action.lastStep, isFailure: action.initiator == .failure)
        limits?.connectionEnded(peer, unfinished: countedBytes)
        endRead()
        action.log(of: id, to: configuration.logger)
        let closure = TransportClosure(
            initiator: action.initiator, code: action.code, reason: action.reason, error: action.error,
            unsentFrom: unsentFrom)
        hooks.closed { receiver.transportClosed(closure) }
    }
}

extension ConnectionStateMachine.EndAction {
    fileprivate func log(of id: UInt64, to logger: Logger) {
        logger.debug(
            "websocket closed",
            metadata: [
                "websocket.connection": "\(id)", "websocket.initiator": "\(initiator)", "websocket.code": "\(code)",
                "websocket.error": "\(error.map { "\($0.code)" } ?? "none")",
            ])
    }
}
