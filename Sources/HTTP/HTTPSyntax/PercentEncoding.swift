// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Percent-encoding (RFC 3986 §2.1).
@usableFromInline package enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Appends a byte as `%` and two digits.
    @usableFromInline package static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
    }

    /// Appends a byte, percent-encoded unless it is in a set.
    @inlinable package static func append(_ byte: UInt8, keeping kept: ASCIISet, to bytes: inout [UInt8]) {
        if kept.contains(byte) { bytes.append(byte) } else { append(byte, to: &bytes) }
    }

    /// Returns a text in which the bytes outside of a set are percent-encoded.
    ///
    /// - Parameter keepsEscapes: Whether each `%` before two hexadecimal digits is kept.
    package static func encoded(_ text: String, keeping kept: ASCIISet, keepsEscapes: Bool = false) -> String {
        if text.utf8.allSatisfy(kept.contains) { return text }
        let all = Array(text.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(all.count + 16)
        for (index, byte) in all.enumerated() {
            if keepsEscapes, byte == UInt8(ascii: "%"), decodedByte(at: all[index...]) != nil {
                bytes.append(byte)
            } else {
                append(byte, keeping: kept, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a path and query that are valid in a URL: characters that a URL must not hold, and each `%` without two
    /// digits after it, are percent-encoded. Escapes are kept.
    ///
    /// If a path or query holds one illegal character, Foundation encodes all of it, escapes included: `%2B` becomes
    /// `%252B`. Transports that make a `URL` pass this text to it.
    package static func target(_ text: String) -> String { encoded(text, keeping: .target, keepsEscapes: true) }

    /// Whether each `%` is followed by two hexadecimal digits.
    package static func isWellFormed(_ text: Substring) -> Bool {
        var rest = text.utf8[...]
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[percent...]
            guard decodedByte(at: rest) != nil else { return false }
            rest = rest.dropFirst(3)
        }
        return true
    }

    /// Decodes a byte from `%` and two digits at the start of `text`; `nil` if there are none.
    @inlinable package static func decodedByte(at text: some Collection<UInt8>) -> UInt8? {
        var bytes = text.makeIterator()
        guard bytes.next() == UInt8(ascii: "%"), let high = bytes.next().flatMap(FieldText.hexDigit),
            let low = bytes.next().flatMap(FieldText.hexDigit)
        else { return nil }
        return high << 4 | low
    }
}

extension String {
    /// Decodes percent-encoded UTF-8 (RFC 3986 §2.1). The result is `nil` if a `%` is not followed by two hexadecimal
    /// digits, or if the bytes are not UTF-8.
    package init?(percentEncoded text: Substring) {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.first {
            let isEscape = byte == UInt8(ascii: "%")
            guard let decoded = isEscape ? PercentEncoding.decodedByte(at: rest) : byte else { return nil }
            bytes.append(decoded)
            rest = rest.dropFirst(isEscape ? 3 : 1)
        }
        self.init(validating: bytes, as: UTF8.self)
    }
}
