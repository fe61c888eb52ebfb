// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A growing buffer of JSON text.
@safe struct OutputBuffer: ~Copyable {
    private var bytes: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private(set) var capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        unsafe bytes = .allocate(capacity: capacity)
    }

    deinit {
        unsafe bytes.deallocate()
    }

    var text: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: bytes, count: count) }

    @inline(__always)
    private mutating func reserve(_ length: Int) {
        if capacity &- count < length { grow(length) }
    }

    @inline(never)
    private mutating func grow(_ length: Int) {
        capacity = max(2 * capacity, count + length)
        let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        unsafe grown.update(from: bytes, count: count)
        unsafe bytes.deallocate()
        unsafe bytes = unsafe grown
    }

    /// Returns the address of the end of the text, with room for `length` bytes.
    @inline(__always)
    @unsafe mutating func room(for length: Int) -> UnsafeMutablePointer<UInt8> {
        reserve(length)
        return unsafe bytes + count
    }

    /// Adds bytes to the text that were written after its end. The buffer must have had room for them.
    @inline(__always)
    mutating func advance(_ length: Int) { count &+= length }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe bytes[count] = byte
        count &+= 1
    }

    @inline(__always)
    mutating func append(_ word: StaticString) {
        unsafe append(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func append(_ value: Bool) {
        if value { append("true") } else { append("false") }
    }

    @inline(__always)
    mutating func append(_ part: UnsafeBufferPointer<UInt8>) {
        guard let base = part.baseAddress, !part.isEmpty else { return }
        reserve(part.count)
        unsafe (bytes + count).update(from: base, count: part.count)
        count &+= part.count
    }

    mutating func append(_ part: String) {
        var part = part
        part.withUTF8 { unsafe append($0) }
    }

    mutating func append(_ part: ArraySlice<UInt8>) {
        unsafe part.withUnsafeBufferPointer { unsafe append($0) }
    }

    /// The byte before an offset within the text. It is 0 at the start of the text.
    @inline(__always)
    func byte(before offset: Int) -> UInt8 { unsafe offset > 0 ? bytes[offset &- 1] : 0 }

    mutating func replace(at offset: Int, with byte: UInt8) { unsafe bytes[offset] = byte }

    mutating func truncate(to length: Int) { count = min(count, length) }

    /// Moves the text from `start` on to an earlier offset.
    mutating func moveTail(from start: Int, to offset: Int) {
        let tail = unsafe Array(text[start...])
        unsafe (bytes + offset + tail.count).update(from: bytes + offset, count: start - offset)
        unsafe tail.withUnsafeBufferPointer {
            if let base = $0.baseAddress { unsafe (bytes + offset).update(from: base, count: tail.count) }
        }
    }

    mutating func remove(_ range: Range<Int>) {
        unsafe (bytes + range.lowerBound).update(from: bytes + range.upperBound, count: count - range.upperBound)
        count -= range.count
    }
}

extension OutputBuffer {
    @inline(__always)
    mutating func append<T: FixedWidthInteger>(integer value: T) {
        if T.bitWidth <= 64 {
            appendDigits(UInt64(truncatingIfNeeded: value.magnitude), isNegative: value < 0)
        } else {
            append(value.description)
        }
    }

    @inline(__always)
    mutating func appendDigits(_ magnitude: UInt64, isNegative: Bool) {
        if magnitude < 10, !isNegative {
            append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: magnitude))
        } else {
            appendManyDigits(magnitude, isNegative: isNegative)
        }
    }

    @inline(never)
    private mutating func appendManyDigits(_ magnitude: UInt64, isNegative: Bool) {
        reserve(20)
        if isNegative {
            unsafe bytes[count] = UInt8(ascii: "-")
            count &+= 1
        }
        var length = 1
        var bound: UInt64 = 10
        while length < 20, magnitude >= bound {
            length &+= 1
            bound = bound &* 10
            if length == 20 { break }
        }
        var rest = magnitude
        var index = count &+ length
        repeat {
            index &-= 1
            unsafe bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        count &+= length
    }

    /// Writes a finite number. As in Foundation's encoder, a whole number has no fraction.
    mutating func append<T: BinaryFloatingPoint & CustomStringConvertible>(float value: T) {
        let double = Double(value)
        if double.magnitude < 1e9 {
            let integer = Int64(double)
            if Double(integer) == double, integer != 0 || double.sign == .plus {
                append(integer: integer)
                return
            }
        }
        if T.self == Double.self, appendShort(double) { return }
        var text = value.description
        text.withUTF8 { utf8 in
            let isWhole =
                unsafe utf8.count > 2 && utf8[utf8.count - 1] == UInt8(ascii: "0")
                && utf8[utf8.count - 2] == UInt8(ascii: ".")
            unsafe append(isWhole ? UnsafeBufferPointer(rebasing: utf8.dropLast(2)) : utf8)
        }
    }

    /// Writes a value that equals a decimal of up to 15 digits, at most six of them after the point. Such a decimal is
    /// the shortest one for its `Double`. The quotient of two exact values is rounded once, as in reading the decimal.
    private mutating func appendShort(_ value: Double) -> Bool {
        let magnitude = value.magnitude
        guard magnitude >= 1e-4, magnitude < 1e9 else { return false }
        var (power, digits) = (1.0, 0)
        while digits < 6 {
            power *= 10
            digits &+= 1
            let scaled = magnitude * power
            let whole = UInt64(scaled + 0.5)
            // The product may have a rounding error, so the quotient decides.
            guard (Double(whole) - scaled).magnitude <= scaled * 0x1p-51, Double(whole) / power == magnitude else {
                continue
            }
            let unit = UInt64(power)
            appendDigits(whole / unit, isNegative: value < 0)
            reserve(digits &+ 1)
            unsafe bytes[count] = UInt8(ascii: ".")
            var rest = whole % unit
            for index in stride(from: count &+ digits, to: count, by: -1) {
                unsafe bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            count &+= digits &+ 1
            return true
        }
        return false
    }

    /// Writes a string with its quotes.
    @inline(__always)
    mutating func append(string: String, escapesSlashes: Bool) {
        unsafe string.withContiguousUTF8 { unsafe append(content: $0, escapesSlashes: escapesSlashes) }
    }

    /// Writes a member's name with its quotes and colon, after a comma if requested.
    @inline(__always)
    mutating func append(name: UnsafeBufferPointer<UInt8>, afterComma: Bool, escapesSlashes: Bool) {
        let length = name.count
        reserve(length &+ 4)
        var end = unsafe bytes + count
        if afterComma {
            unsafe end[0] = UInt8(ascii: ",")
            unsafe end += 1
        }
        unsafe end[0] = UInt8(ascii: "\"")
        var plain = 0
        if let base = name.baseAddress {
            plain = unsafe Self.copyPlain(base, length, to: end + 1, escapesSlashes: escapesSlashes)
        }
        unsafe end += plain &+ 1
        if plain < length {
            count = unsafe end - bytes
            unsafe appendEscaped(UnsafeBufferPointer(rebasing: name[plain...]), escapesSlashes: escapesSlashes)
            unsafe end = unsafe room(for: 2)
        }
        unsafe end[0] = UInt8(ascii: "\"")
        unsafe end[1] = UInt8(ascii: ":")
        count = unsafe end - bytes &+ 2
    }

    @inline(__always)
    mutating func append(content: UnsafeBufferPointer<UInt8>, escapesSlashes: Bool) {
        let length = content.count
        reserve(length &+ 2)
        unsafe bytes[count] = UInt8(ascii: "\"")
        var plain = 0
        if let base = content.baseAddress {
            plain = unsafe Self.copyPlain(base, length, to: bytes + count + 1, escapesSlashes: escapesSlashes)
        }
        count &+= plain &+ 1
        if plain < length {
            unsafe appendEscaped(UnsafeBufferPointer(rebasing: content[plain...]), escapesSlashes: escapesSlashes)
            reserve(1)
        }
        unsafe bytes[count] = UInt8(ascii: "\"")
        count &+= 1
    }

    /// Copies content up to the first byte that must be escaped, and returns the number of bytes before it. The output
    /// must have room for the whole content.
    @inline(__always)
    private static func copyPlain(
        _ content: UnsafePointer<UInt8>, _ length: Int, to output: UnsafeMutablePointer<UInt8>, escapesSlashes: Bool
    ) -> Int {
        if length < 8 { return unsafe copyShortPlain(content, length, to: output, escapesSlashes: escapesSlashes) }
        let slash = escapesSlashes ? UInt8(ascii: "/") : UInt8(ascii: "\"")
        var index = 0
        while true {
            // The last word ends with the content, and may overlap the word before.
            let start = min(index, length &- 8)
            let word = unsafe SWAR.load(content + start)
            unsafe SWAR.store(word, output + start)
            let stops = SWAR.escapeStops(word, slash: slash)
            if stops != 0 { return start &+ stops.trailingZeroBitCount &>> 3 }
            index &+= 8
            if index >= length { return length }
        }
    }

    /// Copies up to seven bytes as two halves, which may overlap.
    @inline(__always)
    private static func copyShortPlain(
        _ content: UnsafePointer<UInt8>, _ length: Int, to output: UnsafeMutablePointer<UInt8>, escapesSlashes: Bool
    ) -> Int {
        let slash = escapesSlashes ? UInt8(ascii: "/") : UInt8(ascii: "\"")
        let input = unsafe UnsafeRawPointer(content)
        let output = UnsafeMutableRawPointer(output)
        let word: UInt64
        let half: Int
        if length >= 4 {
            half = 4
            let first = unsafe input.loadUnaligned(as: UInt32.self)
            let last = unsafe input.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
            unsafe output.storeBytes(of: first, as: UInt32.self)
            unsafe output.storeBytes(of: last, toByteOffset: length &- 4, as: UInt32.self)
            word = UInt64(UInt32(littleEndian: first)) | UInt64(UInt32(littleEndian: last)) &<< 32
        } else if length >= 2 {
            half = 2
            let first = unsafe input.loadUnaligned(as: UInt16.self)
            let last = unsafe input.loadUnaligned(fromByteOffset: length &- 2, as: UInt16.self)
            unsafe output.storeBytes(of: first, as: UInt16.self)
            unsafe output.storeBytes(of: last, toByteOffset: length &- 2, as: UInt16.self)
            // The rest of the word is filled with spaces, which need no escape.
            word =
                UInt64(UInt16(littleEndian: first)) | UInt64(UInt16(littleEndian: last)) &<< 16
                | 0x2020_2020 &<< 32
        } else if length == 1 {
            unsafe output.storeBytes(of: content[0], as: UInt8.self)
            return unsafe needsEscape(content[0], escapesSlashes) ? 0 : 1
        } else {
            return 0
        }
        let stops = SWAR.escapeStops(word, slash: slash)
        if stops == 0 { return length }
        let index = stops.trailingZeroBitCount &>> 3
        return index < half ? index : length &- 2 &* half &+ index
    }

    /// The number of bytes before the first one that needs an escape.
    @inline(__always)
    static func plainPrefix(_ bytes: UnsafeBufferPointer<UInt8>, escapesSlashes: Bool) -> Int {
        guard let content = bytes.baseAddress else { return 0 }
        let length = bytes.count
        var index = 0
        while length &- index >= 8 {
            let word = unsafe SWAR.load(content + index)
            let stops = SWAR.escapeStops(word, slash: escapesSlashes ? UInt8(ascii: "/") : UInt8(ascii: "\""))
            if stops != 0 { return index &+ stops.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < length, unsafe !needsEscape(content[index], escapesSlashes) { index &+= 1 }
        return index
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8, _ escapesSlashes: Bool) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            || escapesSlashes && byte == UInt8(ascii: "/")
    }

    @inline(never)
    private mutating func appendEscaped(_ content: UnsafeBufferPointer<UInt8>, escapesSlashes: Bool) {
        var rest = unsafe content[...]
        while let first = unsafe rest.first {
            if Self.needsEscape(first, escapesSlashes) {
                appendEscape(first)
                unsafe rest = unsafe rest.dropFirst()
            } else {
                let part = unsafe UnsafeBufferPointer(rebasing: rest)
                let plain = unsafe Self.plainPrefix(part, escapesSlashes: escapesSlashes)
                unsafe append(UnsafeBufferPointer(start: part.baseAddress, count: plain))
                unsafe rest = unsafe rest.dropFirst(plain)
            }
        }
    }

    private mutating func appendEscape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0..<0x20:
            append("u00")
            append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            let digit = byte & 0x0F
            append(digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &+ digit &- 10)
        default: append(byte)
        }
    }
}

extension String {
    /// Calls a function with the string's UTF-8, and copies it only if it is not contiguous.
    @inline(__always)
    func withContiguousUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = unsafe utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }
}
