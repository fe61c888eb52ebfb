// swift-jsonrpc · SPDX-License-Identifier: MIT

import Logging
import Synchronization

/// A driver of an established connection.
protocol WebSocketDriver: LoopConnection {
    /// Closes the connection from this side. The queued messages are sent first. `isRelayed` says whether the codes
    /// 1005 and 1006 are kept, to end the connection in the same way as another one ended.
    func close(code: UInt16, reason: String, isRelayed: Bool, deadline: Duration)
}

/// The driver of an established connection on its service thread. It reads and writes the stream and feeds the state
/// machines. It begins after the opening handshake, and ends when it has notified the receiver of the end. A
/// ``LingeringClose`` then takes over.
final class ConnectionDriver: WebSocketDriver {
    let id: UInt64
    let writeMark = WriteMark()
    unowned let context: LWSContext
    let connection: WebSocketConnection
    let receiver: any MessageReceiver
    private let hooks: ConnectionHooks
    let descriptor: LoopDescriptor
    let stream: ByteStream
    private let isClient: Bool
    let listener: ListenerDriver?
    let peer: SocketAddress?

    var machine = ConnectionStateMachine()
    var reader: FrameReader
    var keepalive: KeepaliveStateMachine?
    var lastByteAt = MonotonicClock.now
    /// The part of ``FrameReader/unfinishedBytes`` that the listener has already counted.
    var countedBytes = 0

    /// The control frames, which are written before any message.
    var controls: ControlFrames
    /// The messages taken from the outbox, which are written chunk by chunk.
    var writing: ChunkQueue
    /// The number of bytes of the next chunk that were already written.
    var chunkOffset = 0
    /// Whether the next chunk, or its rest, must be written before anything else.
    var isChunkBegun = false
    /// Whether a write is in progress. It continues until nothing is left, so messages that the receiver enqueues in
    /// the meantime need no other write.
    var isWriting = false
    /// Whether the peer has violated the protocol. The violation remains the reason for the end.
    var isFailing = false
    /// Whether ``MessageReceiver/readBegan()`` was called in this pass.
    var isInRead = false

    /// The deadlines of a connection, in nanoseconds of `MonotonicClock`. One timer serves all of them.
    struct Deadlines {
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
    var deadlines = Deadlines()
    private var timer: LWSTimer?

    var configuration: WebSocketConfiguration { connection.configuration }

    /// Makes the driver of a connection after its opening handshake. `first` are the bytes to write before any frame.
    /// `listener` is the listener that accepted the connection, or `nil` on a client.
    init(
        _ connection: WebSocketConnection, after opening: Opening, receiver: any MessageReceiver,
        hooks: ConnectionHooks, deflate: PermessageDeflate?, first: [UInt8] = [], listener: ListenerDriver? = nil,
        peer: SocketAddress? = nil
    ) {
        id = connection.id
        context = opening.context
        descriptor = opening.descriptor
        stream = opening.stream
        self.connection = connection
        self.receiver = receiver
        self.hooks = hooks
        self.listener = listener
        self.peer = peer
        isClient = listener == nil
        controls = ControlFrames(isMasked: isClient, first: first)
        let configuration = connection.configuration
        writing = ChunkQueue(isMasked: isClient, coalesces: configuration.coalescesMessages)
        reader = FrameReader(
            isMasked: !isClient, maximumMessageBytes: configuration.maximumMessageBytes,
            validatesText: configuration.validatesText, deflate: deflate)
        if let interval = configuration.pingInterval {
            keepalive = KeepaliveStateMachine(
                interval: interval, timeout: configuration.pingTimeout, now: MonotonicClock.now)
        }
    }

    /// Starts the connection. `rest` are the bytes that were received after the opening handshake. `opened` is called
    /// after the receiver was notified of the connection.
    @unsafe func start(rest: UnsafeMutableRawBufferPointer, opened: () -> Void) {
        descriptor.setOwner(self)
        context.add(self)
        timer = LWSTimer(context: context) { [unowned self] in timerFired() }
        schedule()
        configuration.logger.debug("websocket open", metadata: ["websocket.connection": "\(id)"])
        hooks.opened?(connection)
        receiver.transportOpened(connection)
        opened()
        if !controls.isEmpty { context.writeLater(self) }
        if unsafe !rest.isEmpty { unsafe received(rest) }
        if stream.hasHiddenBytes { context.readAgain(self) }
    }

    // MARK: Closing

    func close(code: UInt16, reason: String, isRelayed: Bool, deadline: Duration) {
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

    func loopStops(deadline: Duration) {
        close(code: WebSocketCloseCode.goingAway.rawValue, reason: "", isRelayed: false, deadline: deadline)
    }

    func loopEnded() { drop(.loopsStopped()) }

    func messagesWereMarked() {
        // After this, senders wake the thread again. The write below takes earlier messages.
        _ = connection.isMarked.exchange(false, ordering: .acquiringAndReleasing)
        context.writeLater(self)
    }

    func endRead() {
        guard isInRead else { return }
        isInRead = false
        receiver.readEnded()
    }

    /// Ends the connection without a handshake.
    func drop(_ error: WebSocketError) { end(machine.dropRequested(error)) }

    /// Ends the connection because of a violation by the peer, and reports it to the peer. Answers to earlier messages
    /// are sent first, as far as the socket has room.
    func fail(_ violation: Violation) {
        isFailing = true
        if machine.phase != .ended { write() }
        end(machine.violationFound(code: violation.closeCode.rawValue, reason: violation.text, error: violation.error))
    }

    func streamEnded(_ fault: SocketFault?) {
        end(machine.streamEnded(.lost("The connection ended without a closing handshake", fault)))
    }

    /// Notifies the receiver of the end, and takes the last step towards the peer.
    func end(_ action: ConnectionStateMachine.EndAction?) {
        guard let action else { return }
        timer?.cancel()
        keepalive = nil
        context.remove(self)
        let unsentFrom = connection.outbox.withLock { $0.end() }
        take(action.lastStep, isFailure: action.initiator == .failure)
        listener?.connectionEnded(self)
        endRead()
        action.log(of: id, to: configuration.logger)
        let closure = action.closure(unsentFrom: unsentFrom)
        hooks.closed { receiver.transportClosed(closure) }
    }

    private func take(_ step: ConnectionStateMachine.LastStep, isFailure: Bool) {
        var bytes = ByteQueue()
        switch step {
        case .hangUp:
            return descriptor.close()
        case .none:
            break
        case .close(let code, let reason):
            // An unfinished frame must be completed before another frame.
            if isChunkBegun { unsafe bytes.append(writing.chunk.bytes[chunkOffset...]) }
            controls.close(code: code, reason: reason)
            bytes.append(controls.takeAll())
        }
        // The server ends the TCP connection first (RFC 6455 §7.1.1). A peer that violated the protocol may still be
        // sending. Closing at once would reset the connection, and the peer would not receive the CLOSE frame.
        let awaitsPeer = isClient || isFailure
        LingeringClose(
            bytes, on: stream, descriptor, in: context, within: configuration.closeTimeout, awaitsPeer: awaitsPeer)
    }

    // MARK: Timers

    func schedule() {
        let earliest = min(deadlines.earliest, keepalive?.nextDeadline ?? .max)
        if earliest != .max { timer?.schedule(noLaterThan: earliest) }
    }

    private func timerFired() {
        let now = MonotonicClock.now
        if let due = deadlines.close, due <= now {
            return drop(.closeTimedOut())
        }
        if let due = deadlines.message, due <= now {
            deadlines.message = nil
            if reader.isUnfinished {
                return fail(.tooSlow)
            }
        }
        readingDeadlines(now)
        keepaliveDeadline(now)
        if machine.phase != .ended { schedule() }
    }
}

extension LWSContext {
    /// Returns the driver of a connection, or `nil` if the connection has ended or has another engine.
    func driver(_ id: UInt64) -> ConnectionDriver? { connection(id) as? ConnectionDriver }
}

extension ConnectionStateMachine.EndAction {
    func closure(unsentFrom: OutboxTicket) -> TransportClosure {
        TransportClosure(initiator: initiator, code: code, reason: reason, error: error, unsentFrom: unsentFrom)
    }

    func log(of id: UInt64, to logger: Logger) {
        logger.debug(
            "websocket closed",
            metadata: [
                "websocket.connection": "\(id)", "websocket.initiator": "\(initiator)", "websocket.code": "\(code)",
                "websocket.error": "\(error.map { "\($0.code)" } ?? "none")",
            ])
    }
}
