// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Turning the content of a scanned string into characters.
package enum StringContent {
    /// The string which a range of a scanned text stands for.
    ///
    /// - Parameter range: the content, without the quotes, as the scanner gave it.
    /// - Throws: ``JSONSyntaxError/Reason/unpairedSurrogate``: JSON lets a string escape half of a surrogate pair, and
    ///   no `String` can hold that. A replacement character would silently change what the peer sent.
    package static func string(
        in text: UnsafeRawBufferPointer, range: Range<Int>, isEscaped: Bool
    ) throws(JSONSyntaxError) -> String {
        let bounded = range.clamped(to: 0..<text.count)
        guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self), !bounded.isEmpty else { return "" }
        do {
            return try string(base, ScannedString(range: bounded, isEscaped: isEscaped))
        } catch {
            throw JSONSyntaxError(error, in: text)
        }
    }

    @inline(__always)
    static func string(_ bytes: UnsafePointer<UInt8>, _ content: ScannedString) throws(ScanFault) -> String {
        if content.isEscaped { return try unescaped(bytes, content.range) }
        return string(UnsafeBufferPointer(start: bytes + content.range.lowerBound, count: content.range.count))
    }

    /// The string of some UTF-8, which the scanner has validated.
    @inline(__always)
    private static func string(_ part: UnsafeBufferPointer<UInt8>) -> String {
        if part.count > 0, #available(macOS 26, iOS 26, watchOS 26, tvOS 26, visionOS 26, *) {
            return String(copying: UTF8Span(unchecked: part.span))
        }
        return String(decoding: part, as: UTF8.self)
    }

    private static func unescaped(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) throws(ScanFault) -> String {
        // What an escape stands for is never longer than the escape.
        let result = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: range.count) { buffer in
            guard let base = buffer.baseAddress else { return Result<String, ScanFault>.success("") }
            do throws(ScanFault) {
                let count = try unescape(bytes, range, into: base)
                return .success(string(UnsafeBufferPointer(start: base, count: count)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Writes the characters of a content, and returns how many bytes they take: at most `range.count`.
    static func unescape(
        _ bytes: UnsafePointer<UInt8>, _ range: Range<Int>, into output: UnsafeMutablePointer<UInt8>
    ) throws(ScanFault) -> Int {
        var index = range.lowerBound
        var written = 0
        while index < range.upperBound {
            // The output has as much room left as the content has bytes.
            while range.upperBound &- index >= 8 {
                let word = SWAR.load(bytes + index)
                SWAR.store(word, output + written)
                let length = SWAR.lengthBeforeBackslash(word)
                index &+= length
                written &+= length
                if length < 8 { break }
            }
            guard index < range.upperBound else { break }
            guard bytes[index] == UInt8(ascii: "\\") else {
                output[written] = bytes[index]
                written &+= 1
                index &+= 1
                continue
            }
            let (scalar, length) = try scalar(ofEscapeAt: index, in: bytes, end: range.upperBound)
            written += encode(scalar, into: output + written)
            index += length
        }
        return written
    }

    /// The character of one escape, or of two which are a surrogate pair, and how many bytes it is written in.
    static func scalar(
        ofEscapeAt index: Int, in bytes: UnsafePointer<UInt8>, end: Int
    ) throws(ScanFault) -> (scalar: UInt32, length: Int) {
        guard index + 1 < end else { throw ScanFault(.invalidEscape, at: index) }
        switch bytes[index + 1] {
        case UInt8(ascii: "b"): return (0x08, 2)
        case UInt8(ascii: "f"): return (0x0C, 2)
        case UInt8(ascii: "n"): return (0x0A, 2)
        case UInt8(ascii: "r"): return (0x0D, 2)
        case UInt8(ascii: "t"): return (0x09, 2)
        case UInt8(ascii: "u"): break
        default: return (UInt32(bytes[index + 1]), 2)
        }
        guard let unit = codeUnit(ofEscapeAt: index, in: bytes, end: end) else {
            throw ScanFault(.invalidEscape, at: index)
        }
        switch unit {
        case 0xD800..<0xDC00:
            guard let low = codeUnit(ofEscapeAt: index + 6, in: bytes, end: end), (0xDC00..<0xE000).contains(low)
            else { throw ScanFault(.unpairedSurrogate, at: index) }
            return (0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), 12)
        case 0xDC00..<0xE000:
            throw ScanFault(.unpairedSurrogate, at: index)
        default:
            return (unit, 6)
        }
    }

    /// The four digits of a `\u` escape; nil when there is none.
    private static func codeUnit(ofEscapeAt index: Int, in bytes: UnsafePointer<UInt8>, end: Int) -> UInt32? {
        guard index + 6 <= end, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt32 = 0
        for digit in (index + 2)..<(index + 6) {
            guard let value = HexDigit.value(bytes[digit]) else { return nil }
            unit = unit << 4 | value
        }
        return unit
    }

    private static func encode(_ scalar: UInt32, into output: UnsafeMutablePointer<UInt8>) -> Int {
        switch scalar {
        case ..<0x80:
            output[0] = UInt8(truncatingIfNeeded: scalar)
            return 1
        case ..<0x800:
            output[0] = 0xC0 | UInt8(truncatingIfNeeded: scalar >> 6)
            output[1] = 0x80 | UInt8(truncatingIfNeeded: scalar & 0x3F)
            return 2
        case ..<0x10000:
            output[0] = 0xE0 | UInt8(truncatingIfNeeded: scalar >> 12)
            output[1] = 0x80 | UInt8(truncatingIfNeeded: scalar >> 6 & 0x3F)
            output[2] = 0x80 | UInt8(truncatingIfNeeded: scalar & 0x3F)
            return 3
        default:
            output[0] = 0xF0 | UInt8(truncatingIfNeeded: scalar >> 18)
            output[1] = 0x80 | UInt8(truncatingIfNeeded: scalar >> 12 & 0x3F)
            output[2] = 0x80 | UInt8(truncatingIfNeeded: scalar >> 6 & 0x3F)
            output[3] = 0x80 | UInt8(truncatingIfNeeded: scalar & 0x3F)
            return 4
        }
    }

    /// A short content as the bytes of one word, first byte lowest, for comparison with a constant; `nil` when it is
    /// longer than seven bytes, or holds anything beyond ASCII or a NUL.
    @inline(__always)
    static func packed(_ bytes: UnsafePointer<UInt8>, _ content: ScannedString) -> UInt64? {
        if content.isEscaped { return packedEscaped(bytes, content.range) }
        guard content.range.count <= 7 else { return nil }
        var word: UInt64 = 0
        for index in content.range.reversed() {
            word = word << 8 | UInt64(bytes[index])
        }
        return word
    }

    @inline(never)
    private static func packedEscaped(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> UInt64? {
        var word: UInt64 = 0
        var shift: UInt64 = 0
        var index = range.lowerBound
        while index < range.upperBound {
            guard shift < 56 else { return nil }
            var scalar = UInt32(bytes[index])
            var length = 1
            if bytes[index] == UInt8(ascii: "\\") {
                guard let escape = try? StringContent.scalar(ofEscapeAt: index, in: bytes, end: range.upperBound)
                else { return nil }
                (scalar, length) = escape
            }
            guard scalar > 0, scalar < 0x80 else { return nil }
            word |= UInt64(scalar) << shift
            shift += 8
            index += length
        }
        return word
    }

    /// A constant to compare ``packed(_:_:)`` with.
    @inline(__always)
    static func packed(_ name: StaticString) -> UInt64 {
        var word: UInt64 = 0
        for index in (0..<min(name.utf8CodeUnitCount, 7)).reversed() {
            word = word << 8 | UInt64(name.utf8Start[index])
        }
        return word
    }
}
