// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Converts the content of a scanned string to characters. The scanner has validated the content.
package enum StringContent {
    /// Returns the string at a range of a scanned text.
    ///
    /// - Parameter range: The content without the quotes, from the scanner.
    /// - Throws: ``JSONSyntaxError/Reason/unpairedSurrogate`` if the string escapes half of a surrogate pair. That is
    ///   JSON, but a `String` cannot represent it, and a replacement character would silently change the value.
    @unsafe package static func string(
        in text: UnsafeRawBufferPointer, range: Range<Int>, isEscaped: Bool
    ) throws(JSONSyntaxError) -> String {
        let bounded = range.clamped(to: 0..<text.count)
        guard let base = unsafe text.baseAddress?.assumingMemoryBound(to: UInt8.self), !bounded.isEmpty else {
            return ""
        }
        do {
            return try unsafe string(base, ScannedString(range: bounded, isEscaped: isEscaped))
        } catch {
            throw unsafe JSONSyntaxError(error, in: text)
        }
    }

    @inline(__always)
    @unsafe static func string(_ bytes: UnsafePointer<UInt8>, _ content: ScannedString) throws(ScanFault) -> String {
        if content.isEscaped { return try unsafe unescaped(bytes, content.range) }
        return unsafe string(UnsafeBufferPointer(start: bytes + content.range.lowerBound, count: content.range.count))
    }

    /// Returns a string from UTF-8 that the scanner has validated.
    @inline(__always)
    @unsafe private static func string(_ part: UnsafeBufferPointer<UInt8>) -> String {
        part.isEmpty ? "" : unsafe String(copying: UTF8Span(unchecked: part.span))
    }

    @unsafe private static func unescaped(
        _ bytes: UnsafePointer<UInt8>, _ range: Range<Int>
    ) throws(ScanFault) -> String {
        // A character is never longer than its escape.
        let result = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: range.count) { buffer in
            guard let base = buffer.baseAddress else { return Result<String, ScanFault>.success("") }
            do throws(ScanFault) {
                let count = try unsafe unescape(bytes, range, into: base)
                return .success(unsafe string(UnsafeBufferPointer(start: base, count: count)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Writes the characters of a content, and returns their number of bytes, which is at most `range.count`.
    @unsafe private static func unescape(
        _ bytes: UnsafePointer<UInt8>, _ range: Range<Int>, into output: UnsafeMutablePointer<UInt8>
    ) throws(ScanFault) -> Int {
        var index = range.lowerBound
        var written = 0
        while index < range.upperBound {
            // The output has at least as much room left as the remaining content has bytes.
            while range.upperBound &- index >= 8 {
                let word = unsafe SWAR.load(bytes + index)
                unsafe SWAR.store(word, output + written)
                let length = SWAR.lengthBeforeBackslash(word)
                index &+= length
                written &+= length
                if length < 8 { break }
            }
            guard index < range.upperBound else { break }
            guard unsafe bytes[index] == UInt8(ascii: "\\") else {
                unsafe output[written] = bytes[index]
                written &+= 1
                index &+= 1
                continue
            }
            let (scalar, length) = try unsafe scalar(ofEscapeAt: index, in: bytes, end: range.upperBound)
            written += unsafe encode(scalar, into: output + written)
            index += length
        }
        return written
    }

    /// Returns the character of one escape, or of a surrogate pair of escapes, and the number of bytes of the escapes.
    @unsafe private static func scalar(
        ofEscapeAt index: Int, in bytes: UnsafePointer<UInt8>, end: Int
    ) throws(ScanFault) -> (scalar: UInt32, length: Int) {
        guard index + 1 < end else { throw ScanFault(.invalidEscape, at: index) }
        switch unsafe bytes[index + 1] {
        case UInt8(ascii: "b"): return (0x08, 2)
        case UInt8(ascii: "f"): return (0x0C, 2)
        case UInt8(ascii: "n"): return (0x0A, 2)
        case UInt8(ascii: "r"): return (0x0D, 2)
        case UInt8(ascii: "t"): return (0x09, 2)
        case UInt8(ascii: "u"): break
        default: return (UInt32(unsafe bytes[index + 1]), 2)
        }
        guard let unit = unsafe codeUnit(ofEscapeAt: index, in: bytes, end: end) else {
            throw ScanFault(.invalidEscape, at: index)
        }
        switch unit {
        case 0xD800..<0xDC00:
            guard let low = unsafe codeUnit(ofEscapeAt: index + 6, in: bytes, end: end), 0xDC00..<0xE000 ~= low
            else { throw ScanFault(.unpairedSurrogate, at: index) }
            return (0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), 12)
        case 0xDC00..<0xE000:
            throw ScanFault(.unpairedSurrogate, at: index)
        default:
            return (unit, 6)
        }
    }

    /// Returns the value of the four digits of a `\u` escape, or `nil` if there is no such escape.
    @unsafe private static func codeUnit(ofEscapeAt index: Int, in bytes: UnsafePointer<UInt8>, end: Int) -> UInt32? {
        guard index + 6 <= end, unsafe bytes[index] == UInt8(ascii: "\\") && bytes[index + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt32 = 0
        for digit in (index + 2)..<(index + 6) {
            guard let value = HexDigit.value(unsafe bytes[digit]) else { return nil }
            unit = unit << 4 | value
        }
        return unit
    }

    @unsafe private static func encode(_ scalar: UInt32, into output: UnsafeMutablePointer<UInt8>) -> Int {
        // The scalar is a code unit that is not a surrogate, or the value of a surrogate pair.
        guard let bytes = Unicode.Scalar(scalar).flatMap(UTF8.encode) else { return 0 }
        var written = 0
        for byte in bytes {
            unsafe output[written] = byte
            written &+= 1
        }
        return written
    }
}

extension JSONScanner {
    /// Returns a short content as the bytes of one word, the first byte lowest, for comparison with a constant. It is
    /// `nil` if the content is longer than seven bytes, or if it has escapes for NUL or for non-ASCII characters.
    package func shortWord(_ content: ScannedString) -> UInt64? {
        let range = content.range.clamped(to: 0..<end)
        guard content.isEscaped else {
            guard range.count <= 7 else { return nil }
            var word: UInt64 = 0
            for index in range.reversed() { word = unsafe word << 8 | UInt64(bytes[index]) }
            return word
        }
        // More than 42 bytes are more than seven characters: an escape has at most six bytes.
        guard range.count <= 42, let text = try? unsafe StringContent.string(bytes, content) else { return nil }
        guard text.utf8.count <= 7, text.utf8.allSatisfy({ 1..<0x80 ~= $0 }) else { return nil }
        return text.utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
