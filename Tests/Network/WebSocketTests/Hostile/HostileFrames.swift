// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import WebSocket

/// Frames from a seed: valid ones up to a fault or a CLOSE frame, and then anything.
struct HostileFrames {
    struct Message: Equatable, Sendable {
        var bytes: [UInt8]
        var isBinary: Bool
    }

    /// How the reader must end them.
    enum End: Equatable, Sendable {
        /// There is neither a fault nor a CLOSE frame.
        case none
        case close(code: UInt16, reason: String)
        /// One of these errors.
        case violation([WebSocketError.Code])
        /// Flipped or cut frames can mean anything.
        case unknown
    }

    static let maximumMessageBytes = 20_000

    var bytes: [UInt8] = []
    /// The messages that must be delivered before the end.
    private(set) var messages: [Message] = []
    private(set) var end = End.none
    /// The end of each message in ``bytes``.
    private var messageEnds: [Int] = []

    var random: SeededGenerator
    let isMasked: Bool
    let deflates: Bool
    /// Whether the peer has promised to compress each message without context.
    let forgets: Bool
    let compressor = MessageCompressor()

    init(random: SeededGenerator, isMasked: Bool, deflates: Bool, forgets: Bool) {
        self.random = random
        self.isMasked = isMasked
        self.deflates = deflates
        self.forgets = forgets
        for _ in 0..<Int.random(in: 1...12, using: &self.random) { addSomething() }
        if self.random.oneIn(5) { damage() }
    }

    private mutating func addSomething() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...12: addMessage()
        case 13...15: addControl()
        case 16: addClose()
        default: addFault()
        }
    }

    mutating func finish(_ end: End) {
        if self.end == .none { self.end = end }
    }

    // MARK: What is right

    /// Adds a frame, masked if it has to be.
    mutating func add(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, reserved: UInt8 = 0) {
        bytes += frame(opcode, payload, isFinal: isFinal, reserved: reserved)
    }

    mutating func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, reserved: UInt8 = 0) -> [UInt8] {
        RawFrame(opcode, payload, isFinal: isFinal, reserved: reserved, maskingKey: isMasked ? someBytes(4) : nil).bytes
    }

    mutating func someBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Returns a length that is mostly short, and sometimes the largest allowed.
    private mutating func someLength() -> Int {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: 0
        case 1: 125
        case 2: 126
        case 3: Self.maximumMessageBytes
        case 4...7: Int.random(in: 127...3000, using: &random)
        default: Int.random(in: 1...60, using: &random)
        }
    }

    mutating func someText(_ count: Int) -> [UInt8] {
        let characters = ["a", "b", " ", "ä", "€", "😀", "{", "\u{0}"]
        var text: [UInt8] = []
        while text.count + 4 <= count { text += Array(characters[Int.random(in: 0..<8, using: &random)].utf8) }
        return text + [UInt8](repeating: 0x61, count: count - text.count)
    }

    private mutating func addMessage() {
        let isBinary = random.oneIn(3)
        let length = someLength()
        let message = isBinary ? someBytes(length) : someText(length)
        let isCompressed = deflates && !random.oneIn(3)
        let payload = isCompressed ? compressed(message) : message
        let cuts =
            random.oneIn(3)
            ? (0..<Int.random(in: 1...5, using: &random)).map { _ in
                Int.random(in: 0...payload.count, using: &random)
            }.sorted() : []
        let bounds = [0] + cuts + [payload.count]
        for index in 1..<bounds.count {
            let isFirst = index == 1
            add(
                isFirst ? (isBinary ? 2 : 1) : 0, Array(payload[bounds[index - 1]..<bounds[index]]),
                isFinal: index == bounds.count - 1, reserved: isFirst && isCompressed ? 4 : 0)
            if index < bounds.count - 1, random.oneIn(3) { addControl() }
        }
        guard end == .none else { return }
        messages.append(Message(bytes: message, isBinary: isBinary))
        messageEnds.append(bytes.count)
    }

    private mutating func compressed(_ message: [UInt8]) -> [UInt8] {
        defer { if forgets { compressor.reset() } }
        return switch Int.random(in: 0..<8, using: &random) {
        case 0: compressor.finalPayload(message)
        case 1: compressor.storedPayload(message)
        default: compressor.payload(message)
        }
    }

    private mutating func addControl() {
        let payload = someBytes([0, 1, 8, 125][Int.random(in: 0..<4, using: &random)])
        add(random.oneIn(2) ? RawFrame.Opcode.ping : RawFrame.Opcode.pong, payload)
    }

    private mutating func addClose() {
        guard !random.oneIn(4) else {
            add(RawFrame.Opcode.close, [])
            return finish(.close(code: 1005, reason: ""))
        }
        let code = [1000, 1001, 1003, 1007, 1011, 1014, 3000, 4999][Int.random(in: 0..<8, using: &random)] as UInt16
        let reason = someText(Int.random(in: 0...123, using: &random))
        add(RawFrame.Opcode.close, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
        finish(.close(code: code, reason: String(decoding: reason, as: UTF8.self)))
    }

    // MARK: What goes wrong on the way

    /// Flips some bits, or cuts the end off.
    private mutating func damage() {
        guard !bytes.isEmpty else { return }
        var place = Int.random(in: 0..<bytes.count, using: &random)
        if random.oneIn(2) {
            bytes.removeSubrange(place...)
        } else {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let other = Int.random(in: 0..<bytes.count, using: &random)
                bytes[other] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                place = min(place, other)
            }
        }
        end = .unknown
        messages.removeSubrange((messageEnds.firstIndex { $0 > place } ?? messageEnds.count)...)
    }
}
