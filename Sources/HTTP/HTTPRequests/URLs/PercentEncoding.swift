// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Appends a byte as `%` and two digits.
    static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
    }

    /// Appends a byte, percent-encoded unless it is in a set.
    static func append(_ byte: UInt8, keeping kept: ASCIISet, to bytes: inout [UInt8]) {
        if kept.contains(byte) { bytes.append(byte) } else { append(byte, to: &bytes) }
    }

    /// Returns a text in which the bytes outside of a set are percent-encoded.
    ///
    /// - Parameter keepsEscapes: Whether each `%` before two hexadecimal digits is kept.
    static func encoded(_ text: String, keeping kept: ASCIISet, keepsEscapes: Bool = false) -> String {
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

    /// Returns a path with its query as a URL can hold it: every other character, and each `%` without two digits after
    /// it, is percent-encoded. Escapes are kept as they are.
    ///
    /// Foundation encodes a whole path or query that holds one character too many, its escapes included, so that `%2B`
    /// becomes `%252B`. Transports that make a `URL` give it this text.
    package static func target(_ text: String) -> String { encoded(text, keeping: .target, keepsEscapes: true) }

    /// Whether each `%` is followed by two hexadecimal digits.
    static func isWellFormed(_ text: some Collection<UInt8>) -> Bool {
        var rest = text[...]
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[percent...]
            guard decodedByte(at: rest) != nil else { return false }
            rest = rest.dropFirst(3)
        }
        return true
    }

    /// Decodes a byte from `%` and two digits at the start of `text`; `nil` if there are none.
    static func decodedByte(at text: some Collection<UInt8>) -> UInt8? {
        var bytes = text.makeIterator()
        guard bytes.next() == UInt8(ascii: "%"), let high = bytes.next().flatMap(FieldText.hexDigit),
            let low = bytes.next().flatMap(FieldText.hexDigit)
        else { return nil }
        return high << 4 | low
    }
}

extension RequestURL {
    /// Percent-encodes a text so that it is one segment of a path: `a/b?c` becomes `a%2Fb%3Fc`.
    ///
    /// Three values have no form that servers keep apart from the path around them: the empty text, `.` and `..`. They
    /// become text that ``makeRequest(method:baseURL:path:queryItems:encoding:headerFields:)`` refuses.
    public static func pathSegment(_ text: String) -> String {
        text.isEmpty ? emptySegmentMark : PercentEncoding.encoded(text, keeping: .unreserved)
    }
}

extension DefaultStringInterpolation {
    /// Inserts a value as one segment of a path: `"/repos/\(segment: owner)/\(segment: name)"`.
    ///
    /// It is percent-encoded, so that it cannot add segments, a query or a fragment. A request with an empty value, `.`
    /// or `..` fails to build; see ``RequestURL/pathSegment(_:)``.
    public mutating func appendInterpolation(segment value: some LosslessStringConvertible) {
        appendInterpolation(RequestURL.pathSegment(value.description))
    }
}

/// A set of ASCII bytes. It finds a byte without looking at the others.
package struct ASCIISet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ text: String) {
        for byte in text.utf8 where byte < 0x80 {
            if byte < 0x40 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 0x40) }
        }
    }

    @inline(__always)
    package func contains(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        return (byte < 0x40 ? low >> UInt64(byte) : high >> UInt64(byte - 0x40)) & 1 == 1
    }

    private static let digits = "0123456789"
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    /// The characters that mean the same percent-encoded or not (RFC 3986 §2.3).
    static let unreserved = ASCIISet(digits + letters + "-._~")
    /// The characters of a registered name (RFC 3986 §3.2.2), apart from `%`.
    static let name = ASCIISet(digits + letters + "-._~!$&'()*+,;=")
    /// The characters of a path (RFC 3986 §3.3), apart from `%`.
    static let path = ASCIISet(digits + letters + "-._~!$&'()*+,;=:@/")
    /// The characters of a path and its query (RFC 3986 §3.3, §3.4), apart from `%`.
    static let target = ASCIISet(digits + letters + "-._~!$&'()*+,;=:@/?")
    /// The characters of a scheme (RFC 3986 §3.1).
    static let scheme = ASCIISet(digits + letters + "+-.")
    /// The characters that end an authority.
    static let authorityEnd = ASCIISet("/?#")
    /// The characters of URLs (RFC 3986 §2), and `%`.
    package static let url = ASCIISet(digits + letters + "-._~!$&'()*+,;=:@/?#[]%")
    /// The characters of a query that delimit nothing: see ``HTTPQueryEncoding/Characters/rfc3986``.
    static let query = ASCIISet(digits + letters + "-._~/?")
    /// The characters that the URL Standard's serializer of forms leaves.
    static let form = ASCIISet(digits + letters + "*-._")
}
