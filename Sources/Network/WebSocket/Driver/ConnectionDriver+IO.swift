// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

extension ConnectionDriver: StreamReader {
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
    func readArrived() {
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
                return countUnfinished()
            case .message(let content, let isBinary):
                // The time limit for the next message begins with its first byte.
                deadlines.message = nil
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

    private func deliver(_ message: InboundMessage) {
        guard machine.deliversMessages else { return }
        if !isInRead {
            isInRead = true
            context.readBegan(self)
            receiver.readBegan()
        }
        receiver.messageReceived(message)
    }

    /// Applies the listener's limits to an unfinished message: a time limit, and the shared memory limit.
    private func countUnfinished() {
        guard let listener else { return }
        guard reader.isUnfinished else {
            deadlines.message = nil
            return account(to: listener)
        }
        if deadlines.message == nil {
            deadlines.message = MonotonicClock.now + listener.configuration.unfinishedMessageTimeout.wholeNanoseconds
            schedule()
        }
        account(to: listener)
    }

    private func account(to listener: ListenerDriver) {
        let bytes = reader.unfinishedBytes
        guard bytes != countedBytes else { return }
        let isTooMuch = !listener.count(unfinished: bytes - countedBytes) && bytes > countedBytes
        countedBytes = bytes
        guard isTooMuch else { return }
        fail(.tooMuchUnfinished)
    }

    private func pongReceived(_ payload: [UInt8]) {
        let counter = KeepaliveStateMachine.counter(in: payload)
        guard let duration = keepalive?.pongReceived(counter, now: MonotonicClock.now) else { return }
        receiver.roundTripMeasured(duration)
    }

    // MARK: Suspending

    /// Suspends or resumes reading. A closing connection always reads, because it needs PONG and CLOSE frames.
    func setReading(_ isReading: Bool) {
        guard machine.phase != .ended, isReading != descriptor.isReading else { return }
        guard isReading || machine.phase == .open else { return }
        descriptor.setReading(isReading)
        let now = MonotonicClock.now
        if isReading {
            deadlines.reading = nil
            deadlines.deathCheck = nil
            keepalive?.readingResumed(now: now)
            if stream.hasHiddenBytes { context.readAgain(self) }
        } else {
            deadlines.reading = now + configuration.maximumReadSuspension.wholeNanoseconds
            deadlines.deathCheck = now + Self.deathCheckInterval
            keepalive?.readingSuspended()
        }
        schedule()
    }

    static var deathCheckInterval: Int64 { 500_000_000 }

    func readingDeadlines(_ now: Int64) {
        if let due = deadlines.reading, due <= now { setReading(true) }
        guard let due = deadlines.deathCheck, due <= now else { return }
        deadlines.deathCheck = now + Self.deathCheckInterval
        // The peer has ended the connection. Reading first delivers the remaining bytes, and then finds the end.
        if SocketState.isPeerGone(descriptor.number) { setReading(true) }
    }

    // MARK: Keepalive

    func keepaliveDeadline(_ now: Int64) {
        guard let due = keepalive?.nextDeadline, due <= now else { return }
        // Bytes that were not read yet are also a sign of life, because this thread may have been busy.
        if SocketState.hasBytes(descriptor.number) { lastByteAt = now }
        switch keepalive?.timerFired(now: now, lastByteAt: lastByteAt) {
        case .doNothing, nil:
            break
        case .sendPing(let counter):
            controls.ping(counter)
            keepalive?.pingSent(counter, now: now)
            write()
        case .fail:
            drop(.peerUnresponsive(configuration))
        }
    }

    // MARK: Writing

    /// The number of chunks that are written before other connections are served.
    private static let chunksPerTurn = 8

    func writable() {
        context.assertOnThread()
        context.writeLater(self)
    }

    /// Writes control frames and messages until nothing is left or the socket is full.
    func write() {
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
