// swift-jsonrpc · SPDX-License-Identifier: MIT

import Logging
import Synchronization

/// The driver of an established connection whose engine is in another module. The engine does frames and the closing
/// handshake. The driver feeds the state machines, assembles messages, queues frames, and notifies the receiver.
package final class EngineConnection: WebSocketDriver {
    package let id: UInt64
    package let writeMark = WriteMark()
    private unowned let context: LWSContext
    private let connection: WebSocketConnection
    private let receiver: any MessageReceiver
    private let hooks: ConnectionHooks
    private let socket: any EngineSocket
    /// The limits of the listener that accepted the connection, or `nil` on a client.
    private let limits: ListenerLimits?
    private let listening: WebSocketListener.Configuration?
    private let peer: SocketAddress?

    private var machine = ConnectionStateMachine()
    private var keepalive: KeepaliveStateMachine?
    private var lastByteAt = MonotonicClock.now
    private var isReading = true
    /// Whether ``MessageReceiver/readBegan()`` was called in this pass.
    private var isInRead = false
    private var deadlines = ConnectionDriver.Deadlines()
    private var timer: LWSTimer?

    /// The received part of a message.
    private var message: [UInt8] = []
    private var isInMessage = false
    private var emptyFragments = 0
    private var textCheck = UTF8Stream()
    /// The part of `message` that the listener has already counted.
    private var countedBytes = 0

    /// The messages taken from the outbox. They are not masked, and the engine replaces their headers.
    private var writing: ChunkQueue
    /// The offset of the next frame in the chunk, and of the frame after it.
    private var frameOffset = 0
    private var nextOffset = 0
    private var pendingPing: UInt64?

    package var configuration: WebSocketConfiguration { connection.configuration }
    /// Whether the connection has ended. The engine may still have to finish the closing handshake.
    package var isOver: Bool { machine.phase == .ended }

    init(
        _ connection: WebSocketConnection, socket: any EngineSocket, receiver: any MessageReceiver,
        hooks: ConnectionHooks, context: LWSContext, listener: EngineListener? = nil, peer: SocketAddress? = nil
    ) {
        id = connection.id
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
    }

    /// Starts the connection. `opened` is called after the receiver was notified of the connection.
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
    ///   - following: The number of announced bytes of the frame after the piece.
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
        if message.isEmpty { message.reserveCapacity(min(sum, FrameReader.maximumReservedBytes)) }
        unsafe message.append(contentsOf: piece)
        guard isLast else {
            if unsafe piece.isEmpty { emptyFragments += 1 }
            guard emptyFragments <= FrameReader.maximumEmptyFragments else { throw .tooManyEmptyFragments }
            return try countUnfinished()
        }
        guard !checksText || textCheck.isComplete else { throw .notText }
        let bytes = message.withoutSpareCapacity
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
    /// - Returns: `false` if the reason is not UTF-8. The engine then does not answer the frame. It sends the CLOSE
    ///   frame that it was given, or hangs up.
    package func peerClosed(code: UInt16, reason: [UInt8]) -> Bool {
        guard let reason = String(validating: reason, as: UTF8.self) else {
            fail(.reasonNotText)
            return false
        }
        end(machine.peerCloseReceived(code: code, reason: reason))
        return true
    }

    /// Handles the end of the engine's connection. `reason` is used if nothing else has ended it. It has no full stop.
    package func socketClosed(_ reason: String) { end(machine.streamEnded(.lost(reason, nil))) }

    // MARK: Writing

    /// A frame to write: a message or a fragment of one.
    @safe package struct Frame {
        @unsafe package var payload: UnsafeRawBufferPointer
        package var isBinary: Bool
        /// Whether the frame is not the first one of its message.
        package var isContinuation: Bool
        package var isFinal: Bool
    }

    /// Returns the next frame, which is valid until ``frameWritten()``, or `nil`. From now on, the peer may receive it.
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

    /// Records that the engine has written the frame of ``nextFrame()``, or has buffered the rest of it.
    package func frameWritten() {
        frameOffset = nextOffset
        guard unsafe frameOffset == writing.chunk.bytes.count else { return }
        writing.chunkWritten()
        frameOffset = 0
    }

    /// Takes the payload of a PING that must be written before all frames, or `nil` if there is none.
    package func takePing() -> [UInt8]? {
        guard let counter = pendingPing, !isOver else { return nil }
        pendingPing = nil
        keepalive?.pingSent(counter, now: MonotonicClock.now)
        return KeepaliveStateMachine.payload(of: counter)
    }

    /// Records that the engine has written all frames. If the connection is closing, the engine is told to send the
    /// CLOSE frame or to end the connection.
    package func framesWritten() {
        switch machine.outboxFlushed() {
        case .sendClose(let code, let reason): socket.sendClose(code: code, reason: reason)
        case .end(let action): end(action)
        case .doNothing: break
        }
    }

    package func write() {
        if !isOver { socket.requestWriting() }
    }

    package func messagesWereMarked() {
        // After this, senders wake the thread again. The write below takes earlier messages.
        _ = connection.isMarked.exchange(false, ordering: .acquiringAndReleasing)
        context.writeLater(self)
    }

    // MARK: Ending

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

    package func loopStops(deadline: Duration) {
        close(code: WebSocketCloseCode.goingAway.rawValue, reason: "", isRelayed: false, deadline: deadline)
    }

    package func loopEnded() { drop(.loopsStopped()) }

    package func endRead() {
        guard isInRead else { return }
        readRecords()
        guard isInRead else { return }
        isInRead = false
        receiver.readEnded()
    }

    /// The number of TLS records that are read before other connections are served.
    private static let recordsPerPass = 64

    /// Reads the TLS records that have arrived, so that their messages are delivered and answered together. The engine
    /// reads one record in a pass, however short it is.
    private func readRecords() {
        guard unsafe socket.ssl != nil else { return }
        for _ in 0..<Self.recordsPerPass {
            guard !isOver, isReading, SocketState.hasBytes(socket.descriptor), socket.readOnce() else { return }
        }
    }

    private func drop(_ error: WebSocketError) { end(machine.dropRequested(error)) }

    private func fail(_ violation: Violation) {
        end(machine.violationFound(code: violation.closeCode.rawValue, reason: violation.text, error: violation.error))
    }

    /// Notifies the receiver of the end, and leaves the last step towards the peer to the engine.
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
            // The engine itself answers the peer's CLOSE frame.
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

    package func setReading(_ isReading: Bool) {
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

    /// The minimum number of bytes that the engine reads at a time.
    private static let readBytes = 4096

    package func readArrived() {
        // The number of reads is limited, so that a sending peer cannot block the thread.
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
            // The peer has ended the connection. Reading first delivers the remaining bytes, and then finds the end.
            if SocketState.isPeerGone(socket.descriptor) { setReading(true) }
        }
        keepaliveDeadline(now)
        if !isOver { schedule() }
    }

    private func keepaliveDeadline(_ now: Int64) {
        guard let due = keepalive?.nextDeadline, due <= now else { return }
        // The engine reports neither PINGs nor the beginning of a long message, but the kernel has received them.
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
