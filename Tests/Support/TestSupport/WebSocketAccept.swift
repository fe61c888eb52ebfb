// swift-jsonrpc · SPDX-License-Identifier: MIT

/// `Sec-WebSocket-Accept` (RFC 6455 §4.2.2), computed independently of the tested code.
public enum WebSocketAccept {
    /// The value that answers a `Sec-WebSocket-Key`.
    public static func value(forKey key: String) -> String {
        base64(sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var result = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let padded = Array(group) + [UInt8](repeating: 0, count: 3 - group.count)
            let number = Int(padded[0]) << 16 | Int(padded[1]) << 8 | Int(padded[2])
            for place in 0..<4 {
                result.append(place > group.count ? "=" : alphabet[number >> (18 - 6 * place) & 63])
            }
        }
        return result
    }

    private static func sha1(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(((message.count * 8) >> shift) & 0xFF))
        }
        for start in stride(from: 0, to: padded.count, by: 64) { compress(padded[start..<(start + 64)], into: &state) }
        return state.flatMap { word in stride(from: 24, through: 0, by: -8).map { UInt8(word >> $0 & 0xFF) } }
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<(index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        func turn(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
        for index in 16..<80 {
            words.append(turn(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (f, k): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = turn(a, 5) &+ f &+ e &+ k &+ words[index]
            (e, d, c, b, a) = (d, c, turn(b, 30), a, next)
        }
        for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
    }
}
