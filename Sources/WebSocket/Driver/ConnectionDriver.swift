// swift-jsonrpc · SPDX-License-Identifier: MIT

import Logging

/// An established connection, as its service thread sees it: it reads and writes the stream, and feeds the state
/// machines. It begins when the opening handshake is done and ends when the handler has been told of the end; a
/// ``Farewell`` takes over from there.
final class ConnectionDriver: DescriptorOwner {
    let id: UInt64
    unowned let context: LWSContext
    let connection: WebSocketConnection
    let handler: any WebSocketHandler
    let descriptor: LWSDescriptor
    let stream: ByteStream
    private let isClient: Bool
    /// Where the connection was accepted.
    let listener: ListenerDriver?
    /// Whom the listener counts it for.
    let peer: PeerAddress

    var machine = ConnectionStateMachine()
    var reader: FrameReader
    var keepalive: KeepaliveStateMachine?
    var lastByteAt = MonotonicClock.now
    /// What the listener has counted of ``FrameReader/unfinishedBytes``.
    var countedBytes = 0

    /// Goes out before any message.
    var controls: ControlFrames
    /// What was taken from the outbox, written chunk by chunk.
    var writing: ChunkQueue
    /// How much of the next chunk was written.
    var chunkOffset = 0
    /// The next chunk, or its rest, has to be written before anything else.
    var isChunkBegun = false
    /// A write is going on; it goes on until nothing is left, so what its handler enqueues needs no other.
    var isWriting = false
    /// The peer has violated the protocol: that is the reason for the end, whatever else fails from here on.
    var isFailing = false
    /// The context has it write at the end of this pass.
    var isInWriteList = false
    /// The handler has been told of messages in this pass.
    var isInRead = false

    /// In nanoseconds of `MonotonicClock`; one timer serves them all.
    struct Deadlines {
        var close: Int64?
        /// When reading goes on by itself.
        var reading: Int64?
        /// When the peer's death is looked for, while reading is suspended.
        var deathCheck: Int64?
        /// When a message that has begun is to have come whole.
        var message: Int64?
    }
    var deadlines = Deadlines()
    private var timer: LWSTimer?

    var configuration: WebSocketConfiguration { connection.configuration }

    /// What the opening handshake has brought about.
    struct Opened {
        var connection: WebSocketConnection
        var handler: any WebSocketHandler
        var descriptor: LWSDescriptor
        var stream: ByteStream
        var subprotocol: String?
        var deflate: PermessageDeflate?
        /// What is to be written before any frame.
        var first: [UInt8] = []
        /// `nil` on a client.
        var listener: ListenerDriver?
        var peer = PeerAddress.unknown
    }

    init(_ opened: Opened, context: LWSContext) {
        self.context = context
        id = opened.connection.id
        connection = opened.connection
        handler = opened.handler
        descriptor = opened.descriptor
        stream = opened.stream
        listener = opened.listener
        peer = opened.peer
        isClient = opened.listener == nil
        controls = ControlFrames(isMasked: isClient, first: opened.first)
        writing = ChunkQueue(isMasked: isClient)
        let configuration = opened.connection.configuration
        reader = FrameReader(
            isMasked: !isClient, maximumMessageBytes: configuration.maximumMessageBytes,
            validatesText: configuration.validatesText, deflate: opened.deflate)
        if let interval = configuration.pingInterval {
            keepalive = KeepaliveStateMachine(
                interval: interval, timeout: configuration.pingTimeout, now: MonotonicClock.now)
        }
        connection.opened(subprotocol: opened.subprotocol, tlsVersion: opened.stream.tlsVersion)
    }

    /// Begins.
    /// - Parameters:
    ///   - rest: What was received behind the opening handshake.
    ///   - opened: Called when the handler knows of the connection.
    @unsafe func start(rest: UnsafeMutableRawBufferPointer, opened: () -> Void) {
        descriptor.owner = self
        context.add(self)
        timer = LWSTimer(context: context) { [unowned self] in timerFired() }
        schedule()
        configuration.logger.debug("websocket open", metadata: ["websocket.connection": "\(id)"])
        handler.opened(connection)
        opened()
        if !controls.isEmpty { context.writeLater(self) }
        if unsafe !rest.isEmpty { unsafe receive(rest) }
        if stream.hasHiddenBytes { context.readAgain(self) }
    }

    // MARK: Closing

    /// This side wants to close, with what is queued sent first.
    func close(code: UInt16, reason: String, deadline: Duration) {
        let due = MonotonicClock.now + deadline.wholeNanoseconds
        switch machine.closeRequested(code: code, reason: reason) {
        case .flush:
            connection.closeOutbox()
            deadlines.close = due
            // Else the peer's CLOSE frame could not be read.
            setReading(true)
            context.writeLater(self)
        case .shortenDeadline:
            deadlines.close = min(deadlines.close ?? due, due)
        case .doNothing:
            return
        }
        schedule()
    }

    /// The event loop ends, and the descriptor with it.
    func eventLoopEnded() {
        end(machine.dropRequested(WebSocketError(.eventLoopsStopped, "The event loops are shut down.")))
    }

    /// Ends the connection without a handshake.
    func drop(_ error: WebSocketError) { end(machine.dropRequested(error)) }

    /// The peer broke a rule: it is told so, and the connection ends. The answers to what it sent before that go out
    /// first, as far as there is room for them.
    func fail(_ violation: Violation) {
        isFailing = true
        if machine.phase != .ended { write() }
        end(
            machine.violationFound(
                code: violation.closeCode.rawValue, reason: violation.text, error: violation.error))
    }

    /// The stream has ended, in whichever way.
    func streamEnded(_ fault: StreamFault?) {
        var error = WebSocketError(.connectionLost, "The connection ended without a closing handshake.")
        if let fault {
            error.message = "The connection ended without a closing handshake: \(fault.reason)."
            error.systemError = fault.systemError
        }
        end(machine.streamEnded(error))
    }

    /// Tells the handler of the end, and parts from the peer.
    func end(_ action: ConnectionStateMachine.EndAction?) {
        guard let action else { return }
        timer?.cancel()
        keepalive = nil
        context.remove(self)
        let unsentFrom = connection.endOutbox()
        part(action.farewell, isFailure: action.ending.initiator == .failure)
        listener?.connectionEnded(self)
        endRead()
        log(action.ending)
        handler.closed(
            WebSocketClosure(
                initiator: action.ending.initiator, code: WebSocketCloseCode(rawValue: action.ending.code),
                reason: action.ending.reason, error: action.ending.error, unsentFrom: unsentFrom))
    }

    private func part(_ farewell: ConnectionStateMachine.Farewell, isFailure: Bool) {
        var bytes = ByteQueue()
        switch farewell {
        case .hangUp:
            return descriptor.close()
        case .none:
            break
        case .close(let code, let reason):
            // A frame that was begun has to end before another.
            if isChunkBegun { unsafe bytes.append(writing.chunk.bytes[chunkOffset...]) }
            controls.close(code: code, reason: reason)
            bytes.append(controls.takeAll())
        }
        // The server ends the TCP connection first (RFC 6455 §7.1.1). A peer at fault may still be sending, and would
        // lose our CLOSE frame if the connection were reset for that.
        let awaitsPeer = isClient || isFailure
        Farewell.start(
            bytes, on: stream, descriptor, in: context, within: configuration.closeTimeout, awaitsPeer: awaitsPeer)
    }

    private func log(_ ending: WebSocketClosure.Ending) {
        configuration.logger.debug(
            "websocket closed",
            metadata: [
                "websocket.connection": "\(id)", "websocket.initiator": "\(ending.initiator)",
                "websocket.code": "\(ending.code)", "websocket.error": "\(ending.error.map { "\($0.code)" } ?? "none")",
            ])
    }

    // MARK: Timers

    /// Has the timer fire no later than the earliest deadline.
    func schedule() {
        var earliest = deadlines.close ?? .max
        earliest = min(earliest, deadlines.reading ?? .max)
        earliest = min(earliest, deadlines.deathCheck ?? .max)
        earliest = min(earliest, deadlines.message ?? .max)
        earliest = min(earliest, keepalive?.nextDeadline ?? .max)
        if earliest != .max { timer?.schedule(noLaterThan: earliest) }
    }

    private func timerFired() {
        let now = MonotonicClock.now
        if let due = deadlines.close, due <= now {
            return drop(WebSocketError(.closeTimeout, "The peer did not complete the closing handshake in time."))
        }
        if let due = deadlines.message, due <= now {
            deadlines.message = nil
            if reader.isUnfinished { return messageTimedOut() }
        }
        readingDeadlines(now)
        keepaliveDeadline(now)
        if machine.phase != .ended { schedule() }
    }

    private func messageTimedOut() {
        fail(
            Violation(
                "A message was not complete in time (unfinishedMessageTimeout).", closeCode: .policyViolation))
    }
}
