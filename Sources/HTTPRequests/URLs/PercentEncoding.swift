// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Percent-encoding (RFC 3986 §2.1).
enum PercentEncoding {
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
