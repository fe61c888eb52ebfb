// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// Base64 with padding (RFC 4648 §4), by OpenSSL.
enum Base64 {
    static func encoded(_ bytes: [UInt8]) -> String {
        // Four characters for every three bytes, and a zero at the end.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = unsafe EVP_EncodeBlock(&text, bytes, Int32(clamping: bytes.count))
        return String(decoding: text[..<Int(count)], as: UTF8.self)
    }
}
