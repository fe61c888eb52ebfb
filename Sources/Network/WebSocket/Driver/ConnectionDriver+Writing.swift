// swift-jsonrpc · SPDX-License-Identifier: MIT

extension ConnectionDriver {
    /// The number of chunks that are written before other connections get their turn.
    private static let chunksPerTurn = 8

    func writable() {
        context.assertOnThread()
        context.writeLater(self)
    }

    /// Writes control frames and messages, until nothing is left or the socket takes no more.
    func writeQueued() {
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

    /// Handles the result of a write.
    ///
    /// - Returns: Whether all bytes were written. Otherwise the rest is written when there is room, or the stream has
    ///   failed.
    private func went(_ result: ByteStream.WriteResult) -> Bool {
        switch result {
        case .bytes:
            return true
        case .blocked:
            descriptor.awaitRoom()
            return false
        case .failed(let fault):
            guard !isFailing else { return false }
            // The bytes that the peer sent before it closed, such as a CLOSE frame, say more than this fault.
            readToEnd(because: fault)
            return false
        }
    }

    /// Makes sure that there is a chunk to write.
    ///
    /// - Returns: `false` if nothing is queued.
    private func prepareChunk() -> Bool {
        let connection = connection
        return writing.prepare { connection.takeOutbox(into: &$0) }
    }

    /// Writes the next chunk, or its rest.
    ///
    /// - Returns: `false` if a part of it is left.
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

    /// Notes that a chunk is given to the socket. From here on, the peer may have seen it.
    private func chunkBegins(_ count: Int, _ endPosition: UInt64) {
        guard !isChunkBegun else { return }
        isChunkBegun = true
        if connection.handed(bytes: count, endPosition: endPosition) {
            receiver.outboxDrained()
        }
    }

    /// Queues the CLOSE frame, or ends the connection without one, if the connection is being closed and no message is
    /// left.
    ///
    /// - Returns: `false` if there is no CLOSE frame to send.
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
