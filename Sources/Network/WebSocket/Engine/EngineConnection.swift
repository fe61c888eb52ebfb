// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The driver of an established connection whose engine is in another module. The engine does frames and the closing
/// handshake. The driver feeds the state machines, assembles messages, queues frames, and notifies the receiver.
package final class EngineConnection: WebSocketDriver {
    private let socket: any EngineSocket

    /// The received part of a message.
    private var message: [UInt8] = []
    private var isInMessage = false
    private var emptyFragments = 0
    private var textCheck = UTF8Stream()

    /// The messages taken from the outbox. They are not masked, and the engine replaces their headers.
    private var writing: ChunkQueue
    /// The offset of the next frame in the chunk, and of the frame after it.
    private var frameOffset = 0
    private var nextOffset = 0
    private var pendingPing: UInt64?

    override var socketNumber: Int32 { socket.descriptor }
    override var isUnfinished: Bool { isInMessage }

    init(
        _ connection: WebSocketConnection, socket: any EngineSocket, receiver: any MessageReceiver,
        hooks: ConnectionHooks, context: LWSContext, limits: ListenerLimits? = nil, peer: SocketAddress? = nil
    ) {
        self.socket = socket
        writing = ChunkQueue(isMasked: false, coalesces: connection.configuration.coalescesMessages)
        super.init(connection, receiver: receiver, hooks: hooks, context: context, limits: limits, peer: peer)
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
            return try count(isUnfinished: true)
        }
        guard !checksText || textCheck.isComplete else { throw .notText }
        let bytes = message.withoutSpareCapacity
        message = []
        isInMessage = false
        emptyFragments = 0
        textCheck = UTF8Stream()
        try count(isUnfinished: false)
        deliver(InboundMessage(content: .owned(bytes), isBinary: isBinary))
    }

    private func count(isUnfinished: Bool) throws(Violation) {
        guard countUnfinished(message.count, isUnfinished: isUnfinished) else { throw .tooMuchUnfinished }
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

    /// The number of queued bytes up to which they are written at once, which saves a pass of the engine. More bytes
    /// wait for the pass, in which other messages join them.
    private static let bytesWrittenAtOnce = 1024

    package override func write() {
        guard !isOver else { return }
        if connection.queuedByteCount <= Self.bytesWrittenAtOnce { socket.writeNow() } else { socket.requestWriting() }
    }

    override func sendPing(_ counter: UInt64, now: Int64) {
        pendingPing = counter
        socket.requestWriting()
    }

    // MARK: Reading

    package override func endRead() {
        guard isInRead else { return }
        readRecords()
        super.endRead()
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

    /// The minimum number of bytes that the engine reads at a time.
    private static let readBytes = 4096

    package override func readArrived() {
        // The number of reads is limited, so that a sending peer cannot block the thread.
        for _ in 0...(SocketState.byteCount(socket.descriptor) / Self.readBytes) {
            guard !isOver, isReading, SocketState.hasBytes(socket.descriptor), socket.readOnce() else { return }
        }
    }

    override func readingChanged() { socket.setReading(isReading) }

    override func checkForBytes(_ now: Int64) {
        super.checkForBytes(now)
        // The engine reports neither PINGs nor the beginning of a long message, but the kernel has received them.
        if let age = SocketState.timeSinceReceipt(socketNumber) { lastByteAt = max(lastByteAt, now - age) }
    }

    // MARK: Ending

    /// Leaves the last step to the engine.
    override func take(_ step: ConnectionStateMachine.LastStep, isFailure: Bool) {
        message = []
        switch step {
        case .hangUp, .none:
            socket.hangUp()
        case .close(let code, let reason):
            // The engine itself answers the peer's CLOSE frame.
            if isFailure { socket.sendClose(code: code, reason: reason) }
            socket.hangUp(after: configuration.closeTimeout)
        }
    }
}
