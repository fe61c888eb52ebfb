// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Appends a byte as `%` and two digits.
    static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
    }

    /// Whether a byte means the same encoded or not (RFC 3986 §2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCIISet.unreserved.contains(byte)
    }

    /// Whether a byte may stand in a path (RFC 3986 §3.3), apart from `%`.
    static func isPathByte(_ byte: UInt8) -> Bool {
        ASCIISet.path.contains(byte)
    }

    /// Returns a path with its query as a URL can hold it: every other character, and each `%` without two digits after
    /// it, is percent-encoded. Escapes are kept as they are.
    ///
    /// Foundation encodes a whole path or query that holds one character too many, its escapes included, so that `%2B`
    /// becomes `%252B`. Transports that make a `URL` give it this text.
    package static func target(_ text: String) -> String {
        let allowed = ASCIISet.target
        if text.utf8.allSatisfy(allowed.contains) { return text }
        var bytes: [UInt8] = []
        let all = Array(text.utf8)
        bytes.reserveCapacity(all.count + 16)
        for (index, byte) in all.enumerated() {
            if allowed.contains(byte) || (byte == UInt8(ascii: "%") && decodedByte(at: all[index...]) != nil) {
                bytes.append(byte)
            } else {
                append(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

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
        guard !text.isEmpty else { return emptySegmentMark }
        let unreserved = ASCIISet.unreserved
        if text.utf8.allSatisfy(unreserved.contains) { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if PercentEncoding.isUnreserved(byte) {
                bytes.append(byte)
            } else {
                PercentEncoding.append(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
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
