// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The bytes to write between messages: the end of the opening handshake, and control frames (RFC 6455 §5.5).
struct ControlFrames {
    private var queue = ByteQueue()
    private var keys = MaskingKeys(batch: 16)
    private let isMasked: Bool
    /// The answer to the latest PING, if earlier answers are still queued.
    private var latestPong: [UInt8]?

    /// The number of queued bytes from which on only the latest PING is answered (RFC 6455 §5.5.3).
    private static let maximumQueuedBytes = 16_384

    /// Makes the queue. `first` are the bytes to write before any frame.
    init(isMasked: Bool, first: [UInt8] = []) {
        self.isMasked = isMasked
        queue.append(first)
    }

    var isEmpty: Bool { queue.isEmpty && latestPong == nil }

    mutating func ping(_ counter: UInt64) {
        append(.ping, KeepaliveStateMachine.payload(of: counter))
    }

    mutating func pong(_ payload: [UInt8]) {
        if queue.count >= Self.maximumQueuedBytes { latestPong = payload } else { append(.pong, payload) }
    }

    /// Queues the CLOSE frame. PINGs are not answered after it.
    mutating func close(code: UInt16, reason: String) {
        latestPong = nil
        guard code != WebSocketCloseCode.noStatusReceived.rawValue else { return append(.close, []) }
        append(.close, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8.prefix(123)))
    }

    private mutating func append(_ opcode: Opcode, _ payload: [UInt8]) {
        var frame = [FrameHeader.finalBit | opcode.rawValue, (isMasked ? 0x80 : 0) | UInt8(payload.count)]
        guard isMasked else { return queue.append(frame + payload) }
        let key = keys.draw()
        frame += unsafe withUnsafeBytes(of: key) { unsafe Array($0) }
        let mask = Array(frame.suffix(4))
        for (index, byte) in payload.enumerated() { frame.append(byte ^ mask[index & 3]) }
        queue.append(frame)
    }

    mutating func write(to stream: ByteStream) -> ByteStream.WriteResult {
        let result = queue.write(to: stream)
        guard case .bytes = result, let pong = latestPong else { return result }
        latestPong = nil
        append(.pong, pong)
        return queue.write(to: stream)
    }

    mutating func takeAll() -> ByteQueue {
        defer { queue = ByteQueue() }
        return queue
    }
}
