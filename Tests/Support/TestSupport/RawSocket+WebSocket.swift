// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A WebSocket frame on the wire (RFC 6455 §5.2), with its payload unmasked.
public struct RawFrame: Sendable, Equatable {
    public enum Opcode {
        public static let continuation: UInt8 = 0x0
        public static let text: UInt8 = 0x1
        public static let binary: UInt8 = 0x2
        public static let close: UInt8 = 0x8
        public static let ping: UInt8 = 0x9
        public static let pong: UInt8 = 0xA
    }

    public var isFinal = true
    public var reserved: UInt8 = 0
    public var opcode: UInt8
    public var maskingKey: [UInt8]?
    public var payload: [UInt8]

    public init(
        _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0,
        maskingKey: [UInt8]? = nil
    ) {
        self.opcode = opcode
        self.payload = payload
        self.isFinal = isFinal
        self.reserved = reserved
        self.maskingKey = maskingKey
    }

    /// A CLOSE frame.
    public static func close(_ code: UInt16, _ reason: String = "", maskingKey: [UInt8]? = nil) -> RawFrame {
        RawFrame(
            Opcode.close, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8), maskingKey: maskingKey)
    }

    /// The code of a CLOSE frame.
    public var closeCode: UInt16? { payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil }
    /// The reason of a CLOSE frame.
    public var closeReason: String { String(decoding: payload.dropFirst(2), as: UTF8.self) }
    public var text: String { String(decoding: payload, as: UTF8.self) }

    /// The bytes on the wire.
    public var bytes: [UInt8] {
        var result = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        let mask: UInt8 = maskingKey == nil ? 0 : 0x80
        switch payload.count {
        case ..<126: result.append(mask | UInt8(payload.count))
        case ...0xFFFF: result += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            result.append(mask | 127)
            for shift in stride(from: 56, through: 0, by: -8) { result.append(UInt8(payload.count >> shift & 0xFF)) }
        }
        guard let maskingKey else { return result + payload }
        result += maskingKey
        result += payload.enumerated().map { $0.element ^ maskingKey[$0.offset % 4] }
        return result
    }
}

extension RawSocket {
    /// Answers the opening handshake. Returns the request's head.
    @discardableResult
    public func acceptUpgrade(adding fields: [String] = [], key wrongKey: String? = nil) throws -> String {
        let head = try readHead()
        try send(Self.upgradeAnswer(to: head, adding: fields, key: wrongKey))
        return head
    }

    /// The correct answer to an upgrade request, or a wrong one if another key is given.
    public static func upgradeAnswer(
        to head: String, adding fields: [String] = [], key wrongKey: String? = nil
    ) throws -> String {
        let key = wrongKey ?? field("Sec-WebSocket-Key", in: head)
        guard let key else { throw RawSocketError.unexpected(head) }
        let lines = [
            "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Accept: \(WebSocketAccept.value(forKey: key))",
        ]
        return (lines + fields + ["", ""]).joined(separator: "\r\n")
    }

    /// The value of a field in a head.
    public static func field(_ name: String, in head: String) -> String? {
        for line in head.split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { continue }
            return String(parts[1].drop { $0 == " " })
        }
        return nil
    }

    /// Performs a client's opening handshake. Returns the answer's head.
    @discardableResult
    public func requestUpgrade(path: String = "/", adding fields: [String] = []) throws -> String {
        let lines = [
            "GET \(path) HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        ]
        try send((lines + fields + ["", ""]).joined(separator: "\r\n"))
        return try readHead()
    }

    public func send(_ frame: RawFrame) throws { try send(frame.bytes) }

    /// Reads one frame, or `nil` when the stream ends.
    public func readFrame() throws -> RawFrame? {
        guard let start = try read(2) else { return nil }
        var length = Int(start[1] & 0x7F)
        if length >= 126 {
            guard let extended = try read(length == 126 ? 2 : 8) else { return nil }
            length = extended.reduce(0) { $0 << 8 | Int($1) }
        }
        var key: [UInt8]?
        if start[1] & 0x80 != 0 {
            key = try read(4)
            if key == nil { return nil }
        }
        guard var payload = try read(length) else { return nil }
        if let key {
            Self.unmask(&payload, key)
        }
        return RawFrame(
            start[0] & 0x0F, payload, isFinal: start[0] & 0x80 != 0, reserved: start[0] >> 4 & 7, maskingKey: key)
    }

    /// Unmasks eight bytes at a time, because single bytes would take minutes in a debug build.
    private static func unmask(_ payload: inout [UInt8], _ key: [UInt8]) {
        let word = key.withUnsafeBytes { UInt64($0.loadUnaligned(as: UInt32.self)) }
        payload.withUnsafeMutableBytes { bytes in
            var index = 0
            while index + 8 <= bytes.count {
                let masked = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ (word | word << 32)
                bytes.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
                index += 8
            }
            while index < bytes.count {
                bytes[index] ^= key[index & 3]
                index += 1
            }
        }
    }

    /// Reads frames up to a CLOSE frame or the end of the stream; a reset counts as the end.
    public func readFrames() throws -> [RawFrame] {
        var frames: [RawFrame] = []
        do {
            while frames.last?.opcode != RawFrame.Opcode.close, let frame = try readFrame() { frames.append(frame) }
        } catch RawSocketError.system(let code) where code == 104 {
            return frames
        }
        return frames
    }

    /// Reads frames up to a CLOSE frame, which it returns.
    public func readClose() throws -> RawFrame {
        while let frame = try readFrame() {
            if frame.opcode == RawFrame.Opcode.close { return frame }
        }
        throw RawSocketError.ended
    }

    /// Reads a CLOSE frame, answers it, and closes.
    @discardableResult
    public func answerClose() throws -> RawFrame {
        let frame = try readClose()
        try send(RawFrame(RawFrame.Opcode.close, frame.payload))
        close()
        return frame
    }
}
