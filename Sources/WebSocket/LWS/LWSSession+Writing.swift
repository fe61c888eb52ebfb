// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

extension LWSSession {
    /// So many chunks go out before other connections get their turn.
    private static let chunksPerTurn = 8

    /// Asks lws to say when the socket takes bytes.
    func requestWritable() {
        context.assertOnThread()
        guard isEstablished, let wsi = unsafe wsi else { return }
        unsafe lws_callback_on_writable(wsi)
    }

    /// The socket, while there is one.
    var descriptor: Int32? { unsafe wsi.map { unsafe lws_get_socket_fd($0) } }

    /// lws keeps bytes of ours which the socket did not take.
    var hasPartialWrite: Bool {
        guard let wsi = unsafe wsi else { return false }
        return unsafe lws_partial_buffered(wsi) != 0
    }

    /// Messages were enqueued on another thread, and the mailbox told of it.
    func messagesWereMarked() {
        connection.clearMark()
        writeAtOnce()
    }

    /// Messages were enqueued on this thread, by a handler.
    ///
    /// The answer to a message that came alone goes out at once. Where several come with one read, their answers are
    /// gathered until the socket is looked at again, so that they go out together.
    func messagesWereEnqueuedHere() {
        if arrivals.isAlone(in: context.pass) { writeAtOnce() } else { requestWritable() }
    }

    /// Writes without asking lws for a call first, which would take another round of its loop. That is right only when
    /// nothing is on its way already: no write of ours, no bytes that lws has kept, no control frame or closing
    /// handshake of ours. Else, and for what does not fit into one chunk, asks for the call.
    private func writeAtOnce() {
        context.assertOnThread()
        guard isEstablished, let wsi = unsafe wsi else { return }
        guard !isWriting, machine.phase == .open, pendingPing == nil, nextChunk == writing.chunks.count,
            !hasPartialWrite, unsafe lws_send_pipe_choked(wsi) == 0
        else { return requestWritable() }
        guard prepareChunk() else { return }
        // lws calls no more for a socket which failed: it has to be told to close it.
        guard unsafe writeChunk(wsi) else { return kill() }
        if prepareChunk() { requestWritable() }
    }

    /// The socket takes bytes. Every write holds whole frames, so that lws can put PONG and CLOSE frames between.
    func writable() -> Int32 {
        context.assertOnThread()
        guard isEstablished, let wsi = unsafe wsi else { return 0 }
        var turns = 0
        while turns < Self.chunksPerTurn {
            // What lws still has to send itself comes first; it asks for the next turn by itself.
            if hasPartialWrite { return 0 }
            if turns > 0, unsafe lws_send_pipe_choked(wsi) != 0 { break }
            turns += 1
            if let ping = pendingPing {
                pendingPing = nil
                guard sendPing(ping) else { return -1 }
                continue
            }
            guard mayWriteMessages, prepareChunk() else { return closeIfFlushed() }
            guard unsafe writeChunk(wsi) else { return -1 }
            if nextChunk == writing.chunks.count, !prepareChunk(), !isClosing { return 0 }
        }
        unsafe lws_callback_on_writable(wsi)
        return 0
    }

    private var isClosing: Bool {
        switch machine.phase {
        case .draining, .failing: true
        case .open, .closeSent, .peerClosed, .closed: false
        }
    }

    private var mayWriteMessages: Bool {
        switch machine.phase {
        case .open, .draining: true
        case .failing, .closeSent, .peerClosed, .closed: false
        }
    }

    /// Makes sure that there is a chunk to write. False when there is nothing.
    private func prepareChunk() -> Bool {
        if nextChunk < writing.chunks.count { return true }
        nextChunk = 0
        return connection.takeOutbox(into: &writing)
    }

    @unsafe private func writeChunk(_ wsi: OpaquePointer) -> Bool {
        let bytes = unsafe writing.bytes(ofChunk: nextChunk)
        let chunk = writing.chunks[nextChunk]
        nextChunk += 1
        isWriting = true
        defer { isWriting = false }
        // From here on the peer may have seen it, whatever happens.
        let isDrained = connection.handed(bytes: bytes.count, endPosition: chunk.endPosition)
        let written = unsafe lws_write(
            wsi, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, CLWS_WRITE_RAW)
        if isDrained { handler.outboxDrained() }
        return written >= 0
    }

    /// When the connection is to close and nothing is left to send, has lws send the CLOSE frame.
    private func closeIfFlushed() -> Int32 {
        guard let wsi = unsafe wsi, !hasPartialWrite else { return 0 }
        switch machine.socketFlushed() {
        case .doNothing:
            return 0
        case .sendClose(let code, let reason):
            var text = Array(reason.utf8)
            unsafe text.withUnsafeMutableBufferPointer { buffer in
                unsafe lws_close_reason(
                    wsi, lws_close_status(rawValue: UInt32(code)), buffer.baseAddress, buffer.count)
            }
            deadlines.closeAnswer = MonotonicClock.now + Self.closeAnswerInterval
            schedule()
            return -1
        }
    }

    /// Sends a PING frame of our own, between two writes.
    private func sendPing(_ counter: UInt64) -> Bool {
        guard let wsi = unsafe wsi else { return false }
        var frame = FrameBuffer(headRoom: Int(CLWS_PRE))
        let size = connection.framePing(counter, into: &frame)
        let bytes = unsafe frame.bytes
        keepalive?.pingSent(counter, now: MonotonicClock.now)
        return unsafe lws_write(
            wsi, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size, CLWS_WRITE_RAW) >= 0
    }
}
