// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Decodes the keys of a terminal, byte by byte. Bytes that are not UTF-8 are dropped.
struct UTF8Input {
    private var pending: [UInt8] = []

    /// Adds a byte. Returns the character that it completes; `nil` if there is none.
    mutating func add(_ byte: UInt8) -> Unicode.Scalar? {
        // A byte that begins a character ends an incomplete one.
        if byte & 0xC0 != 0x80 { pending = [] }
        pending.append(byte)
        guard pending.count >= Self.length(pending[0]) else { return nil }
        defer { pending = [] }
        return String(validating: pending, as: UTF8.self)?.unicodeScalars.first
    }

    /// Returns the length of a character from its first byte.
    private static func length(_ first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}
