// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A strict reader of RFC 8259 over bytes: the one machinery below the envelope scan, the values and the decoder.
///
/// Every access is below `end`, which the methods check before they read. The bytes must outlive the scanner.
///
/// What is not inlined takes and returns positions, and changes no scanner: so a loop over a scanner of its own keeps
/// that in registers.
package struct JSONScanner {
    let bytes: UnsafePointer<UInt8>
    let end: Int
    var position = 0
    var maximumDepth: Int

    /// Nil when there are no bytes at all.
    package init?(_ buffer: UnsafeRawBufferPointer, limits: JSONLimits) {
        guard let base = buffer.baseAddress, !buffer.isEmpty else { return nil }
        bytes = base.assumingMemoryBound(to: UInt8.self)
        end = buffer.count
        maximumDepth = limits.maximumDepth
    }

    @inline(__always)
    var isAtEnd: Bool { position >= end }

    @inline(__always)
    func fault(_ reason: JSONSyntaxError.Reason.Code) -> ScanFault {
        ScanFault(isAtEnd ? .unexpectedEnd : reason, at: position)
    }

    @inline(__always)
    mutating func skipWhitespace() {
        guard position < end, bytes[position] <= 0x20 else { return }
        if bytes[position] == 0x20, end &- position > 1, bytes[position &+ 1] > 0x20 {
            position &+= 1
        } else {
            position = Self.endOfIndent(bytes, position, end)
        }
    }

    /// Indented text has long runs of spaces: they are skipped by words.
    @inline(never)
    private static func endOfIndent(_ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
        var index = start
        while index < end {
            guard isWhitespace(bytes[index]) else { return index }
            index &+= 1
            while end &- index >= 8 {
                let others = SWAR.load(bytes + index) ^ SWAR.filled(0x20)
                if others != 0 {
                    index &+= others.trailingZeroBitCount &>> 3
                    if bytes[index] > 0x20 { return index }
                    break
                }
                index &+= 8
            }
        }
        return index
    }

    @inline(__always)
    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Reads the byte at the current position if it is `byte`.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard position < end, bytes[position] == byte else { return false }
        position &+= 1
        return true
    }

    /// Moves to the first byte of the text's value.
    @inline(__always)
    mutating func beginText() throws(ScanFault) {
        if end >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { throw ScanFault(.byteOrderMark, at: 0) }
        skipWhitespace()
        if isAtEnd { throw ScanFault(.emptyText, at: 0) }
    }

    /// Checks that nothing follows the text's value.
    @inline(__always)
    mutating func endText() throws(ScanFault) {
        skipWhitespace()
        if !isAtEnd { throw ScanFault(.trailingContent, at: position) }
    }

    /// Reads a member's name and colon, and the white space around; the position is then at the value.
    @inline(__always)
    mutating func scanMemberName() throws(ScanFault) -> ScannedString {
        guard take(UInt8(ascii: "\"")) else { throw fault(.expectedMemberName) }
        let start = position
        let isEscaped = try scanString()
        let name = ScannedString(from: start, quotedTo: position, isEscaped: isEscaped)
        if position < end, bytes[position] == UInt8(ascii: ":") {
            position &+= 1
        } else {
            skipWhitespace()
            guard take(UInt8(ascii: ":")) else { throw fault(.expectedColon) }
        }
        skipWhitespace()
        return name
    }

    /// Reads one value, and validates it whole. The position must be at its first byte.
    ///
    /// - Parameter depth: how many arrays and objects the value lies in.
    @inline(__always)
    mutating func skipValue(depth: Int) throws(ScanFault) {
        position = try endOfValue(at: position, depth: depth)
    }

    private func endOfValue(at start: Int, depth: Int) throws(ScanFault) -> Int {
        var scanner = self
        scanner.position = start
        var nesting = NestingStack()
        while true {
            try scanner.skipValueStart(&nesting, depth: depth)
            // Between values: end containers until another value must follow.
            while true {
                if nesting.depth == 0 { return scanner.position }
                scanner.skipWhitespace()
                if nesting.isInObject {
                    if scanner.take(UInt8(ascii: ",")) {
                        scanner.skipWhitespace()
                        _ = try scanner.scanMemberName()
                        break
                    }
                    guard scanner.take(UInt8(ascii: "}")) else { throw scanner.fault(.expectedCommaOrEnd) }
                } else {
                    if scanner.take(UInt8(ascii: ",")) {
                        scanner.skipWhitespace()
                        break
                    }
                    guard scanner.take(UInt8(ascii: "]")) else { throw scanner.fault(.expectedCommaOrEnd) }
                }
                nesting.pop()
            }
        }
    }

    /// Reads a scalar, an empty container, or containers up to their first scalar or empty container.
    @inline(__always)
    private mutating func skipValueStart(_ nesting: inout NestingStack, depth: Int) throws(ScanFault) {
        while true {
            guard position < end else { throw ScanFault(.unexpectedEnd, at: end) }
            switch bytes[position] {
            case UInt8(ascii: "{"):
                try enter(&nesting, isObject: true, depth: depth)
                if take(UInt8(ascii: "}")) {
                    nesting.pop()
                    return
                }
                _ = try scanMemberName()
            case UInt8(ascii: "["):
                try enter(&nesting, isObject: false, depth: depth)
                if take(UInt8(ascii: "]")) {
                    nesting.pop()
                    return
                }
            default:
                try skipScalar()
                return
            }
        }
    }

    @inline(__always)
    private mutating func enter(_ nesting: inout NestingStack, isObject: Bool, depth: Int) throws(ScanFault) {
        guard depth + nesting.depth < maximumDepth else { throw ScanFault(.nestingTooDeep, at: position) }
        nesting.push(isObject: isObject)
        position &+= 1
        skipWhitespace()
    }

    /// Reads a string, number or literal.
    @inline(__always)
    mutating func skipScalar() throws(ScanFault) {
        guard position < end else { throw ScanFault(.unexpectedEnd, at: end) }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            position &+= 1
            _ = try scanString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            _ = try scanNumber()
        default:
            try scanLiteral()
        }
    }

    /// Reads `true`, `false` or `null`.
    @inline(__always)
    mutating func scanLiteral() throws(ScanFault) {
        if end &- position >= 5 {
            // "alse" begins after the "f".
            let start = UnsafeRawPointer(bytes + position)
            let first = UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
            if first == 0x6C6C_756E || first == 0x6575_7274 {
                position &+= 4
                return
            }
            let second = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
            if second == 0x6573_6C61, bytes[position] == UInt8(ascii: "f") {
                position &+= 5
                return
            }
        }
        position = try endOfLiteral(at: position)
    }

    /// The text's last four bytes, and what is no literal.
    @inline(never)
    private func endOfLiteral(at start: Int) throws(ScanFault) -> Int {
        switch bytes[start] {
        case UInt8(ascii: "t"): return try endOfWord("true", at: start)
        case UInt8(ascii: "f"): return try endOfWord("false", at: start)
        case UInt8(ascii: "n"): return try endOfWord("null", at: start)
        default: throw ScanFault(.expectedValue, at: start)
        }
    }

    private func endOfWord(_ word: StaticString, at start: Int) throws(ScanFault) -> Int {
        for index in 0..<word.utf8CodeUnitCount {
            guard start + index < end else { throw ScanFault(.unexpectedEnd, at: end) }
            guard bytes[start + index] == word.utf8Start[index] else { throw ScanFault(.invalidLiteral, at: start) }
        }
        return start + word.utf8CodeUnitCount
    }
}

/// Where a string's content lies, without its quotes.
struct ScannedString {
    var range: Range<Int>
    var isEscaped: Bool

    @inline(__always)
    init(range: Range<Int>, isEscaped: Bool) {
        self.range = range
        self.isEscaped = isEscaped
    }

    /// A string that was read up to its closing quote's end.
    @inline(__always)
    init(from start: Int, quotedTo end: Int, isEscaped: Bool) {
        // The quote comes after the start.
        range = Range(uncheckedBounds: (start, end &- 1))
        self.isEscaped = isEscaped
    }
}

/// Which containers are open, as one bit each, so that depth needs no recursion and 64 levels need no allocation.
struct NestingStack {
    private(set) var depth = 0
    private var bits: UInt64 = 0
    private var outer: [UInt64] = []

    @inline(__always)
    var isInObject: Bool { bits & 1 == 1 }

    @inline(__always)
    mutating func push(isObject: Bool) {
        if depth & 63 == 0, depth > 0 { outer.append(bits) }
        bits = bits &<< 1 | (isObject ? 1 : 0)
        depth &+= 1
    }

    @inline(__always)
    mutating func pop() {
        depth &-= 1
        bits &>>= 1
        if depth & 63 == 0, depth > 0 { bits = outer.popLast() ?? 0 }
    }
}
