// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// The `Sec-WebSocket-Key` of an opening handshake, and the answer to it (RFC 6455 §1.3).
struct HandshakeKey: Sendable, Hashable {
    let text: String

    /// Makes a new key of 16 bytes from the system's CSPRNG.
    init() {
        var bytes = [UInt8](repeating: 0, count: 16)
        unsafe bytes.withUnsafeMutableBytes { unsafe SystemRandom.fill($0) }
        text = Base64.encoded(bytes)
    }

    /// Parses a client's key. Returns `nil` if it does not encode 16 bytes (RFC 6455 §4.2.1, item 5).
    init?(_ text: String) {
        guard text.utf8.count == 24, text.hasSuffix("=="), !text.dropLast(2).utf8.contains(UInt8(ascii: "=")) else {
            return nil
        }
        var decoded = [UInt8](repeating: 0, count: 18)
        let count = unsafe EVP_DecodeBlock(&decoded, Array(text.utf8), 24)
        // OpenSSL includes the padding in the count.
        guard count == 18, Base64.encoded(Array(decoded[..<16])) == text else { return nil }
        self.text = text
    }

    /// The value of the field `Sec-WebSocket-Accept`.
    var accept: String {
        let input = Array((text + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
        unsafe SHA1(input, input.count, &digest)
        return Base64.encoded(digest)
    }
}
