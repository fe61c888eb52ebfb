// swift-jsonrpc · SPDX-License-Identifier: MIT

import Logging
import Synchronization

/// The driver of an established connection whose frames and closing handshake an engine of another module reads and
/// writes. It feeds the state machines, assembles messages, has the queue of frames, and tells the receiver.
package final class EngineConnection: LoopConnection {
    private unowned let context: LWSContext
    private let connection: WebSocketConnection
    private let receiver: any MessageReceiver
    private let hooks: ConnectionHooks
    private let socket: any EngineSocket
    /// The limits of the listener that accepted the connection; `nil` on a client.
    private let limits: ListenerLimits?
    private let listening: WebSocketListener.Configuration?
    private let peer: SocketAddress?

    private var machine = ConnectionStateMachine()
    private var keepalive: KeepaliveStateMachine?
    private var lastByteAt = MonotonicClock.now
    private var isReading = true
    /// Whether the receiver was told in this pass that messages follow.
    private var isInRead = false
    private var deadlines = ConnectionDriver.Deadlines()
    private var timer: LWSTimer?

    /// The part of a message that was received.
    private var message: [UInt8] = []
    private var isInMessage = false
    private var emptyFragments = 0
    private var textCheck = UTF8Stream()
    /// The part of `message` that the listener has counted.
    private var countedBytes = 0

    /// The messages taken from the outbox. Frames have no masks here, and their headers are not sent: the engine makes
    /// its own.
    private var writing: ChunkQueue
    /// The offset of the next frame in the chunk, and that of the frame behind it.
    private var frameOffset = 0
    private var nextOffset = 0
    private var pendingPing: UInt64?

    package var configuration: WebSocketConfiguration { connection.configuration }
    /// Whether the connection has ended. The engine may then have the rest of the closing handshake to do.
    package var isOver: Bool { machine.phase == .ended }

    init(
        _ connection: WebSocketConnection, socket: any EngineSocket, receiver: any MessageReceiver,
        hooks: ConnectionHooks, context: LWSContext, listener: EngineListener? = nil, peer: SocketAddress? = nil
    ) {
        self.context = context
        self.connection = connection
        self.socket = socket
        self.receiver = receiver
        self.hooks = hooks
        limits = listener?.limits
        listening = listener?.request.configuration
        self.peer = peer
        let configuration = connection.configuration
        writing = ChunkQueue(isMasked: false, coalesces: configuration.coalescesMessages)
        if let interval = configuration.pingInterval {
            keepalive = KeepaliveStateMachine(
                interval: interval, timeout: configuration.pingTimeout, now: MonotonicClock.now)
        }
        super.init(id: connection.id)
    }

    /// Starts the connection. `opened` is called when the receiver has been told of the connection.
    func start(opened: () -> Void) {
        context.add(self)
        timer = LWSTimer(context: context) { [unowned self] in timerFired() }
        schedule()
        configuration.logger.debug("websocket open", metadata: ["websocket.connection": "\(id)"])
        hooks.opened?(connection)
        receiver.transportOpened(connection)
        opened()
    }

    // MARK: Receiving

    /// Handles a piece of a message.
    ///
    /// - Parameters:
    ///   - piece: The bytes, which are valid only during the call.
    ///   - following: The number of bytes that the peer has announced behind the piece.
    ///   - isBinary: Whether the message is binary.
    ///   - isLast: Whether the message is complete.
    @unsafe package func received(
        _ piece: UnsafeRawBufferPointer, following: Int, isBinary: Bool, isLast: Bool
    ) {
        lastByteAt = MonotonicClock.now
        guard machine.deliversMessages else { return }
        do throws(Violation) {
            unsafe try assemble(piece, following: following, isBinary: isBinary, isLast: isLast)
        } catch {
            fail(error)
        }
    }

    @unsafe private func assemble(
        _ piece: UnsafeRawBufferPointer, following: Int, isBinary: Bool, isLast: Bool
    ) throws(Violation) {
        let (sum, overflow) = (message.count + piece.count).addingReportingOverflow(following)
        guard !overflow, sum <= max(configuration.maximumMessageBytes, 0) else {
            throw .tooBig(max(configuration.maximumMessageBytes, 0))
        }
        let checksText = configuration.validatesText && !isBinary
        if isLast, !isInMessage {
            guard unsafe !checksText || UTF8Check.verdict(piece) == .wellFormed else { throw .notText }
            return unsafe deliver(InboundMessage(content: .borrowed(piece), isBinary: isBinary))
        }
        isInMessage = true
        if checksText, unsafe !textCheck.take(piece) { throw .notText }
        if message.isEmpty { message.reserveCapacity(sum) }
        unsafe message.append(contentsOf: piece)
        guard isLast else {
            if unsafe piece.isEmpty { emptyFragments += 1 }
            guard emptyFragments <= FrameReader.maximumEmptyFragments else { throw .tooManyEmptyFragments }
            return try countUnfinished()
        }
        guard !checksText || textCheck.isComplete else { throw .notText }
        let bytes = message
        message = []
        isInMessage = false
        emptyFragments = 0
        textCheck = UTF8Stream()
        deadlines.message = nil
        try account()
        deliver(InboundMessage(content: .owned(bytes), isBinary: isBinary))
    }

    private func deliver(_ message: InboundMessage) {
        if !isInRead {
            isInRead = true
            context.readBegan(self)
            receiver.readBegan()
        }
        receiver.messageReceived(message)
    }

    /// Applies the listener's limits to an unfinished message.
    private func countUnfinished() throws(Violation) {
        guard let listening else { return }
        if deadlines.message == nil {
            deadlines.message = MonotonicClock.now + listening.unfinishedMessageTimeout.wholeNanoseconds
            schedule()
        }
        try account()
    }

    private func account() throws(Violation) {
        guard let limits, message.count != countedBytes else { return }
        let isTooMuch = !limits.count(unfinished: message.count - countedBytes) && message.count > countedBytes
        countedBytes = message.count
        if isTooMuch { throw .tooMuchUnfinished }
    }

    /// Handles a PONG.
    package func pongReceived(_ payload: [UInt8]) {
        lastByteAt = MonotonicClock.now
        let counter = KeepaliveStateMachine.counter(in: payload)
        guard let duration = keepalive?.pongReceived(counter, now: MonotonicClock.now) else { return }
        receiver.roundTripMeasured(duration)
    }

    /// Handles the peer's CLOSE frame, which the engine answers. The code is 1005 if the frame has none.
    ///
    /// - Returns: `false` if the reason is not UTF-8. The engine then does not answer the frame: it sends the CLOSE frame
    ///   that it was given, or hangs up.
    package func peerClosed(code: UInt16, reason: [UInt8]) -> Bool {
        guard let reason = String(validating: reason, as: UTF8.self) else {
            fail(.reasonNotText)
            return false
        }
        end(machine.peerCloseReceived(code: code, reason: reason))
        return true
    }

    /// Handles the end of the engine's connection. `reason` is used if nothing else has ended it; it has no full stop.
    package func socketClosed(_ reason: String) { end(machine.streamEnded(.lost(reason, nil))) }

    // MARK: Writing

    /// A frame to write: a message, or a fragment of one.
    @safe package struct Frame {
        @unsafe package var payload: UnsafeRawBufferPointer
        package var isBinary: Bool
        /// Whether the frame is not the first one of its message.
        package var isContinuation: Bool
        package var isFinal: Bool
    }

    /// Returns the next frame; `nil` if none waits. From here on, the peer may see it. The frame is valid until
    /// ``frameWritten()``.
    @unsafe package func nextFrame() -> Frame? {
        guard machine.deliversMessages else { return nil }
        let connection = connection
        guard writing.prepare(taking: { buffer in connection.outbox.withLock { $0.handOver(to: &buffer) } }) else {
            return nil
        }
        let (bytes, endPosition) = unsafe writing.chunk
        if frameOffset == 0 {
            let isDrained = connection.outbox.withLock { $0.handed(bytes: bytes.count, endPosition: endPosition) }
            if isDrained { receiver.outboxDrained() }
        }
        guard let start = bytes.baseAddress else { return nil }
        let frame = unsafe start + frameOffset
        let size = unsafe FrameHeader.frameBytes(at: frame)
        nextOffset = frameOffset + size
        let (first, second) = unsafe (frame.load(as: UInt8.self), frame.load(fromByteOffset: 1, as: UInt8.self))
        let header = second < 126 ? 2 : second == 126 ? 4 : 10
        return unsafe Frame(
            payload: UnsafeRawBufferPointer(start: frame + header, count: size - header),
            isBinary: first & 0x0F == Opcode.binary.rawValue,
            isContinuation: first & 0x0F == Opcode.continuation.rawValue,
            isFinal: first & FrameHeader.finalBit != 0)
    }

    /// Notes that the engine has written the frame of ``nextFrame()``, or keeps a copy of what is left of it.
    package func frameWritten() {
        frameOffset = nextOffset
        guard unsafe frameOffset == writing.chunk.bytes.count else { return }
        writing.chunkWritten()
        frameOffset = 0
    }

    /// Takes the payload of a PING that must be written before all frames; `nil` if there is none.
    package func takePing() -> [UInt8]? {
        guard let counter = pendingPing, !isOver else { return nil }
        pendingPing = nil
        keepalive?.pingSent(counter, now: MonotonicClock.now)
        return KeepaliveStateMachine.payload(of: counter)
    }

    /// Notes that the engine has written all frames. If the connection is being closed, the engine is told to send the
    /// CLOSE frame, or to end the connection.
    package func framesWritten() {
        switch machine.outboxFlushed() {
        case .sendClose(let code, let reason): socket.sendClose(code: code, reason: reason)
        case .end(let action): end(action)
        case .doNothing: break
        }
    }

    override func write() {
        if !isOver { socket.requestWriting() }
    }

    override func messagesWereMarked() {
        // A message whose sender saw the mark and did not wake the thread can be taken from the outbox after this.
        _ = connection.isMarked.exchange(false, ordering: .acquiringAndReleasing)
        context.writeLater(self)
    }

    // MARK: Ending

    override func close(code: UInt16, reason: String, isRelayed: Bool, deadline: Duration) {
        let due = MonotonicClock.now + deadline.wholeNanoseconds
        switch machine.closeRequested(code: code, reason: reason, isRelayed: isRelayed) {
        case .flush:
            connection.outbox.withLock { $0.close() }
            deadlines.close = due
            // Otherwise, the peer's CLOSE frame could not be read.
            setReading(true)
            context.writeLater(self)
        case .shortenDeadline:
            deadlines.close = min(deadlines.close ?? due, due)
        case .doNothing:
            return
        }
        schedule()
    }

    override func loopStops(deadline: Duration) {
        close(code: WebSocketCloseCode.goingAway.rawValue, reason: "", isRelayed: false, deadline: deadline)
    }

    override func loopEnded() { drop(.loopsStopped()) }

    override func endRead() {
        guard isInRead else { return }
        isInRead = false
        receiver.readEnded()
    }

    private func drop(_ error: WebSocketError) { end(machine.dropRequested(error)) }

    private func fail(_ violation: Violation) {
        end(machine.violationFound(code: violation.closeCode.rawValue, reason: violation.text, error: violation.error))
    }

    /// Tells the receiver of the end, and leaves the last step for the peer to the engine.
    private func end(_ action: ConnectionStateMachine.EndAction?) {
        guard let action else { return }
        timer?.cancel()
        keepalive = nil
        message = []
        context.remove(self)
        let unsentFrom = connection.outbox.withLock { $0.end() }
        switch action.lastStep {
        case .hangUp, .none:
            socket.hangUp()
        case .close(let code, let reason):
            // The engine itself answers a CLOSE frame of the peer.
            if action.initiator == .failure { socket.sendClose(code: code, reason: reason) }
            socket.hangUp(after: configuration.closeTimeout)
        }
        limits?.connectionEnded(peer, unfinished: countedBytes)
        endRead()
        action.log(of: id, to: configuration.logger)
        let closure = action.closure(unsentFrom: unsentFrom)
        hooks.closed { receiver.transportClosed(closure) }
    }

    // MARK: Suspending

    override func setReading(_ isReading: Bool) {
        guard !isOver, isReading != self.isReading, isReading || machine.phase == .open else { return }
        self.isReading = isReading
        socket.setReading(isReading)
        let now = MonotonicClock.now
        if isReading {
            deadlines.reading = nil
            deadlines.deathCheck = nil
            keepalive?.readingResumed(now: now)
        } else {
            deadlines.reading = now + configuration.maximumReadSuspension.wholeNanoseconds
            deadlines.deathCheck = now + ConnectionDriver.deathCheckInterval
            keepalive?.readingSuspended()
        }
        schedule()
    }

    /// The number of bytes that are read before the next look, at the least.
    private static let readBytes = 4096

    override func readArrived() {
        // A peer that goes on sending does not hold the thread.
        for _ in 0...(SocketState.byteCount(socket.descriptor) / Self.readBytes) {
            guard !isOver, isReading, SocketState.hasBytes(socket.descriptor), socket.readOnce() else { return }
        }
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
            if isInMessage { return fail(.tooSlow) }
        }
        if let due = deadlines.reading, due <= now { setReading(true) }
        if let due = deadlines.deathCheck, due <= now {
            deadlines.deathCheck = now + ConnectionDriver.deathCheckInterval
            // The peer has ended the connection. Reading delivers the bytes that it sent before, and then finds the end.
            if SocketState.isPeerGone(socket.descriptor) { setReading(true) }
        }
        keepaliveDeadline(now)
        if !isOver { schedule() }
    }

    private func keepaliveDeadline(_ now: Int64) {
        guard let due = keepalive?.nextDeadline, due <= now else { return }
        // The engine does not show PINGs of the peer, nor the beginning of a long message. The kernel has seen them.
        if SocketState.hasBytes(socket.descriptor) { lastByteAt = now }
        if let age = SocketState.timeSinceReceipt(socket.descriptor) { lastByteAt = max(lastByteAt, now - age) }
        switch keepalive?.timerFired(now: now, lastByteAt: lastByteAt) {
        case .doNothing, nil: break
        case .sendPing(let counter):
            pendingPing = counter
            socket.requestWriting()
        case .fail: drop(.peerUnresponsive(configuration))
        }
    }
}
