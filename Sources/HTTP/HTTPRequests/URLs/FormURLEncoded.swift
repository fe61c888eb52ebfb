// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// Reads `application/x-www-form-urlencoded`, as in responses and queries.
public enum FormURLEncoded {
    /// Returns the names and values as the URL Standard's parser reads them. It accepts all bytes.
    ///
    /// `+` is a space. Empty pairs are left out, a pair without `=` is an item without a value, malformed escapes are
    /// text, and bytes that are not UTF-8 become U+FFFD.
    public static func items(in bytes: some Sequence<UInt8>) -> [HTTPQueryItem] {
        Array(bytes).split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { String(decoding: decoded($0).bytes, as: UTF8.self) }
            return HTTPQueryItem(texts[0], texts.count > 1 ? texts[1] : nil)
        }
    }

    /// Returns the names and values of a well-formed text.
    ///
    /// Each pair has exactly one `=`, each `%` is followed by two hexadecimal digits, and each text is UTF-8. A name
    /// may be empty. `+` is a space.
    ///
    /// - Throws: A ``FormURLEncodedError`` for the first pair that is not well-formed.
    public static func strictItems(in bytes: some Sequence<UInt8>) throws(FormURLEncodedError) -> [HTTPQueryItem] {
        let bytes = Array(bytes)
        var items: [HTTPQueryItem] = []
        guard !bytes.isEmpty else { return items }
        for pair in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let parts = pair.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            guard !pair.isEmpty else { throw FormURLEncodedError(.emptyPair, pair) }
            guard parts.count > 1 else { throw FormURLEncodedError(.missingEqualsSign, pair) }
            guard parts.count == 2 else { throw FormURLEncodedError(.repeatedEqualsSign, pair) }
            var texts: [String] = []
            for part in parts {
                let (bytes, isWellFormed) = decoded(part)
                guard isWellFormed else { throw FormURLEncodedError(.malformedEscape, pair) }
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw FormURLEncodedError(.invalidUTF8, pair)
                }
                texts.append(text)
            }
            items.append(HTTPQueryItem(texts[0], texts[1]))
        }
        return items
    }

    private static func decoded(_ part: ArraySlice<UInt8>) -> (bytes: [UInt8], isWellFormed: Bool) {
        var (bytes, isWellFormed, rest) = ([UInt8](), true, part)
        bytes.reserveCapacity(part.count)
        while let byte = rest.first {
            if byte == UInt8(ascii: "%") {
                if let decoded = PercentEncoding.decodedByte(at: rest) {
                    bytes.append(decoded)
                    rest = rest.dropFirst(3)
                    continue
                }
                isWellFormed = false
            }
            bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            rest = rest.dropFirst()
        }
        return (bytes, isWellFormed)
    }
}

/// A text that is not well-formed `application/x-www-form-urlencoded`.
public struct FormURLEncodedError: Error, Sendable, Hashable {
    /// The kind of a fault.
    public enum Reason: Sendable, Hashable {
        /// There is nothing between two `&`, or before the first or after the last.
        case emptyPair
        /// A pair has no `=`.
        case missingEqualsSign
        /// A pair has more than one `=`.
        case repeatedEqualsSign
        /// A `%` is not followed by two hexadecimal digits.
        case malformedEscape
        /// The decoded bytes are not UTF-8.
        case invalidUTF8
    }

    /// The kind of the fault.
    public let reason: Reason
    /// The number of bytes before the pair.
    public let offset: Int

    init(_ reason: Reason, _ pair: ArraySlice<UInt8>) {
        self.reason = reason
        offset = pair.startIndex
    }
}

extension FormURLEncodedError: CustomStringConvertible {
    /// The pair and its fault.
    public var description: String {
        let fault =
            switch reason {
            case .emptyPair: "is empty"
            case .missingEqualsSign: "has no `=`"
            case .repeatedEqualsSign: "has more than one `=`"
            case .malformedEscape: "has a `%` without two hexadecimal digits after it"
            case .invalidUTF8: "is not UTF-8"
            }
        return "The form's pair at byte \(offset) \(fault)."
    }
}
