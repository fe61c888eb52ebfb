// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

extension LWSSession {
    /// A piece of a message has come.
    @unsafe func received(_ piece: UnsafeRawBufferPointer, wsi: OpaquePointer) -> Int32 {
        context.assertOnThread()
        if !isTCP { lastByteAt = MonotonicClock.now }
        guard machine.deliversMessages else { return 0 }
        let isBinary = unsafe lws_frame_is_binary(wsi) != 0
        // With permessage-deflate the last bytes of a frame may give several pieces: only "final" tells then.
        let remaining = unsafe lws_remaining_packet_payload(wsi)
        let isLast = unsafe remaining == 0 && lws_is_final_fragment(wsi) != 0
        let action = unsafe assembler.pieceReceived(piece, isLast: isLast, remaining: Int(remaining))
        switch action {
        case .wait:
            break
        case .deliverPiece:
            unsafe deliver(.borrowed(piece), bytes: piece, isBinary: isBinary)
        case .deliver(let bytes):
            unsafe bytes.withUnsafeBytes { unsafe deliver(.owned(bytes), bytes: $0, isBinary: isBinary) }
        case .fail:
            let reason = "A message is larger than \(configuration.maximumMessageBytes) bytes."
            fail(code: .messageTooBig, reason: reason, error: WebSocketError(.messageTooBig, reason))
        }
        return 0
    }

    @unsafe private func deliver(
        _ content: WebSocketMessage.Content, bytes: UnsafeRawBufferPointer, isBinary: Bool
    ) {
        if !isBinary, configuration.validatesText, unsafe !UTF8Check.isValid(bytes) {
            let reason = "A text message is not UTF-8."
            return fail(code: .invalidFramePayloadData, reason: reason, error: WebSocketError(.invalidText, reason))
        }
        arrivals.messageArrived(in: context.pass)
        beginRead()
        handler.messageReceived(WebSocketMessage(content: content, isBinary: isBinary))
    }

    private func beginRead() {
        guard !isInRead else { return }
        isInRead = true
        context.readBegan(self)
        handler.readBegan()
    }

    /// The turn of the event loop is over, or the connection.
    func endRead() {
        guard isInRead else { return }
        isInRead = false
        handler.readEnded()
    }

    @unsafe func pongReceived(_ payload: UnsafeRawBufferPointer) {
        let counter = payload.count == 8 ? unsafe UInt64(bigEndian: payload.loadUnaligned(as: UInt64.self)) : nil
        guard let duration = keepalive?.pongReceived(counter, now: MonotonicClock.now) else { return }
        handler.roundTripMeasured(duration)
    }

    // MARK: Suspending

    /// Stops or starts to read. Nothing comes through while it is stopped, PONG and CLOSE frames neither: so a
    /// connection that closes reads on.
    func setReading(_ isReading: Bool) {
        guard isEstablished, isReading != self.isReading, let wsi = unsafe wsi else { return }
        guard isReading || machine.phase == .open else { return }
        self.isReading = isReading
        unsafe lws_rx_flow_control(wsi, isReading ? 1 : 0)
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

    private static var deathCheckInterval: Int64 { 500_000_000 }

    func readingDeadlines(_ now: Int64) {
        if let due = deadlines.reading, due <= now { setReading(true) }
        guard let due = deadlines.deathCheck, due <= now, let wsi = unsafe wsi else { return }
        deadlines.deathCheck = now + Self.deathCheckInterval
        // The peer has ended the connection: what it sent before is read, and then the end is seen.
        if unsafe LWSSocket.isPeerGone(lws_get_socket_fd(wsi)) { setReading(true) }
    }

    // MARK: Keepalive

    func keepaliveDeadline(_ now: Int64) {
        guard let due = keepalive?.nextDeadline, due <= now, let wsi = unsafe wsi else { return }
        // Bytes of an unfinished frame are life too, and only the socket knows of them.
        let seen = unsafe LWSSocket.lastByteReceived(lws_get_socket_fd(wsi), now: now)
        let lastByteAt = max(lastByteAt, seen)
        guard let action = keepalive?.timerFired(now: now, lastByteAt: lastByteAt) else { return }
        switch action.step {
        case .doNothing:
            break
        case .sendPing(let counter):
            pendingPing = counter
            requestWritable()
        case .fail:
            let error = WebSocketError(
                .peerUnresponsive, "Nothing came from the peer for the ping interval and timeout.")
            drop(error)
        }
    }
}
