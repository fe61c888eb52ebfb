// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The driver of an established connection on its service thread. It reads and writes the stream and feeds the state
/// machines. It begins after the opening handshake, and ends when it has notified the receiver of the end. A
/// ``LingeringClose`` then takes over.
final class ConnectionDriver: WebSocketDriver, StreamReader {
    let descriptor: LoopDescriptor
    let stream: ByteStream
    private let isClient: Bool
    private var reader: FrameReader

    /// The control frames, which are written before any message.
    private var controls: ControlFrames
    /// The messages taken from the outbox, which are written chunk by chunk.
    private var writing: ChunkQueue
    /// The number of bytes of the next chunk that were already written.
    private var chunkOffset = 0
    /// Whether the next chunk, or its rest, must be written before anything else.
    private(set) var isChunkBegun = false
    /// Whether a write is in progress. It continues until nothing is left, so messages that the receiver enqueues in
    /// the meantime need no other write.
    private var isWriting = false
    /// Whether the peer has violated the protocol. The violation remains the reason for the end.
    private var isFailing = false

    override var socketNumber: Int32 { descriptor.number }
    override var isUnfinished: Bool { reader.isUnfinished }

    /// Makes the driver of a connection after its opening handshake. `first` are the bytes to write before any frame.
    /// `limits` are those of the listener that accepted the connection, or `nil` on a client.
    init(
        _ connection: WebSocketConnection, after opening: Opening, receiver: any MessageReceiver,
        hooks: ConnectionHooks, deflate: PermessageDeflate?, first: [UInt8] = [], limits: ListenerLimits? = nil,
        peer: SocketAddress? = nil
    ) {
        descriptor = opening.descriptor
        stream = opening.stream
        isClient = limits == nil
        controls = ControlFrames(isMasked: isClient, first: first)
        let configuration = connection.configuration
        writing = ChunkQueue(isMasked: isClient, coalesces: configuration.coalescesMessages)
        reader = FrameReader(
            isMasked: !isClient, maximumMessageBytes: configuration.maximumMessageBytes,
            validatesText: configuration.validatesText, deflate: deflate)
        super.init(
            connection, receiver: receiver, hooks: hooks, context: opening.context, limits: limits, peer: peer)
    }

    /// Starts the connection. `rest` are the bytes that were received after the opening handshake. `opened` is called
    /// after the receiver was notified of the connection.
    @unsafe func start(rest: UnsafeMutableRawBufferPointer, opened: () -> Void) {
        descriptor.setOwner(self)
        begin(opened: opened)
        if !controls.isEmpty { context.writeLater(self) }
        if unsafe !rest.isEmpty { unsafe received(rest) }
        if stream.hasHiddenBytes { context.readAgain(self) }
    }

    // MARK: Closing

    /// Answers to earlier messages are sent first, as far as the socket has room.
    override func fail(_ violation: Violation) {
        isFailing = true
        if machine.phase != .ended { write() }
        super.fail(violation)
    }

    func streamEnded(_ fault: SocketFault?) {
        end(machine.streamEnded(.lost("The connection ended without a closing handshake", fault)))
    }

    override func take(_ step: ConnectionStateMachine.LastStep, isFailure: Bool) {
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

    // MARK: Reading

    var wantsBytes: Bool { machine.phase != .ended }

    func readable() {
        context.assertOnThread()
        guard machine.phase != .ended, descriptor.isReading else { return }
        readOnce()
        if machine.phase != .ended, descriptor.isReading, stream.hasHiddenBytes { context.readAgain(self) }
    }

    /// Handles a descriptor that lws has found dead. Received bytes are delivered before the end.
    func closing() { readToEnd(because: nil) }

    /// Reads the bytes that have already arrived. The limit stops a sending peer from blocking the thread.
    override func readArrived() {
        var rest = SocketState.byteCount(descriptor.number)
        while machine.phase != .ended, descriptor.isReading {
            let count = readOnce()
            rest -= count
            guard count > 0, rest > 0 else { break }
        }
        if machine.phase != .ended, descriptor.isReading, stream.hasHiddenBytes { context.readAgain(self) }
    }

    @unsafe func received(_ bytes: UnsafeMutableRawBufferPointer) {
        lastByteAt = MonotonicClock.now
        var input = unsafe bytes
        while machine.phase != .ended {
            switch unsafe reader.next(&input) {
            case .none:
                guard limits == nil || countUnfinished(reader.unfinishedBytes, isUnfinished: reader.isUnfinished) else {
                    return fail(.tooMuchUnfinished)
                }
                return
            case .message(let content, let isBinary):
                messageEnded()
                guard machine.deliversMessages else { continue }
                deliver(InboundMessage(content: content, isBinary: isBinary))
            case .ping(let payload):
                controls.pong(payload)
                context.writeLater(self)
            case .pong(let payload):
                pongReceived(payload)
            case .close(let code, let reason):
                end(machine.peerCloseReceived(code: code, reason: reason))
            case .violation(let violation):
                fail(violation)
            }
        }
    }

    override func readingChanged() {
        descriptor.setReading(isReading)
        if isReading, stream.hasHiddenBytes { context.readAgain(self) }
    }

    // MARK: Writing

    override func sendPing(_ counter: UInt64, now: Int64) {
        controls.ping(counter)
        keepalive?.pingSent(counter, now: now)
        write()
    }

    /// The number of chunks that are written before other connections are served.
    private static let chunksPerTurn = 8

    func writable() {
        context.assertOnThread()
        context.writeLater(self)
    }

    /// Writes control frames and messages until nothing is left or the socket is full.
    override func write() {
        guard !isWriting else { return }
        isWriting = true
        defer { isWriting = false }
        var chunks = 0
        while machine.phase != .ended {
            if !isChunkBegun, !controls.isEmpty {
                guard went(controls.write(to: stream)) else { return }
            }
            guard machine.deliversMessages, prepareChunk() else {
                guard queueClose() else { return }
                continue
            }
            guard chunks < Self.chunksPerTurn else { return descriptor.awaitRoom() }
            chunks += 1
            guard writeChunk() else { return }
        }
    }

    /// Handles the result of a write. Returns whether all bytes were written. If not, the rest is written when there is
    /// room, or the stream has failed.
    private func went(_ result: ByteStream.WriteResult) -> Bool {
        switch result {
        case .bytes:
            return true
        case .blocked:
            descriptor.awaitRoom()
            return false
        case .failed(let fault):
            guard !isFailing else { return false }
            // Bytes that the peer sent before it closed, such as a CLOSE frame, are more informative than this fault.
            readToEnd(because: fault)
            return false
        }
    }

    /// Prepares a chunk to write. Returns `false` if nothing is queued.
    private func prepareChunk() -> Bool {
        let connection = connection
        return writing.prepare { buffer in connection.outbox.withLock { $0.handOver(to: &buffer) } }
    }

    /// Writes the next chunk or its rest. Returns `false` if some of it is left.
    private func writeChunk() -> Bool {
        let (bytes, endPosition) = unsafe writing.chunk
        while chunkOffset < bytes.count {
            let result = unsafe stream.write(UnsafeRawBufferPointer(rebasing: bytes[chunkOffset...]))
            switch result {
            case .bytes(let count):
                chunkBegins(bytes.count, endPosition)
                chunkOffset += count
            case .blocked:
                // TLS may have sent a part of the chunk.
                if case .tls = stream { chunkBegins(bytes.count, endPosition) }
                return went(result)
            case .failed:
                return went(result)
            }
        }
        writing.chunkWritten()
        chunkOffset = 0
        isChunkBegun = false
        return true
    }

    /// Records that a chunk is given to the socket. From here on, the peer may receive it.
    private func chunkBegins(_ count: Int, _ endPosition: UInt64) {
        guard !isChunkBegun else { return }
        isChunkBegun = true
        let isDrained = connection.outbox.withLock { $0.handed(bytes: count, endPosition: endPosition) }
        if isDrained { receiver.outboxDrained() }
    }

    /// Queues the CLOSE frame, or ends the connection without one, if the connection is closing and no message is left.
    /// Returns `false` if there is no CLOSE frame to send.
    private func queueClose() -> Bool {
        switch machine.outboxFlushed() {
        case .sendClose(let code, let reason):
            controls.close(code: code, reason: reason)
            reader.discardsMessages = true
            return true
        case .end(let action):
            end(action)
            return false
        case .doNothing:
            return false
        }
    }
}
