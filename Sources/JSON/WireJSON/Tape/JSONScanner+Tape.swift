// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONScanner {
    /// The maximum size of a text, in bytes. Offsets and indices have 32 bits.
    static var maximumEnd: Int { Int(Int32.max) * 2 }

    /// Reads and validates one whole text.
    @inline(__always)
    mutating func readText(into tape: inout Tape) throws(ScanFault) {
        guard end < Self.maximumEnd else { throw ScanFault(.textTooLarge, at: end) }
        try beginText()
        try readValue(into: &tape)
        try endText()
    }

    /// Reads one value without recursion. The entry of an open container holds the index of its parent.
    @inline(__always)
    mutating func readValue(into tape: inout Tape) throws(ScanFault) {
        position = try endOfValue(at: position, into: &tape)
    }

    private func endOfValue(at start: Int, into tape: inout Tape) throws(ScanFault) -> Int {
        var scanner = self
        scanner.position = start
        try scanner.readContainers(into: &tape)
        return scanner.position
    }

    @inline(__always)
    private mutating func readContainers(into tape: inout Tape) throws(ScanFault) {
        var open = Self.none
        var depth = 0
        while true {
            // A value must begin here.
            guard position < end else { throw ScanFault(.unexpectedEnd, at: end) }
            let byte = unsafe bytes[position]
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                guard depth < maximumDepth else { throw ScanFault(.nestingTooDeep, at: position) }
                let kind: TapeEntry.Kind = byte == UInt8(ascii: "{") ? .object : .array
                let index = tape.count
                tape.append(TapeEntry(offset: UInt32(truncatingIfNeeded: position), length: 0, next: open, kind: kind))
                open = UInt32(truncatingIfNeeded: index)
                depth &+= 1
                position &+= 1
                skipWhitespace()
                // In ASCII, both closing brackets are two above their opening ones.
                if unsafe !(position < end && bytes[position] == byte &+ 2) {
                    if kind == .object { try readName(into: &tape) }
                    continue
                }
                position &+= 1
                open = close(open, in: &tape)
                depth &-= 1
            } else {
                try readScalar(byte, into: &tape)
            }
            // A value has ended: end containers until another value must follow.
            while true {
                if open == Self.none { return }
                skipWhitespace()
                guard position < end else { throw ScanFault(.unexpectedEnd, at: end) }
                let byte = unsafe bytes[position]
                let isObject = tape[Int(open)].kind == .object
                position &+= 1
                if byte == UInt8(ascii: ",") {
                    skipWhitespace()
                    if isObject { try readName(into: &tape) }
                    break
                }
                guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw ScanFault(.expectedCommaOrEnd, at: position - 1)
                }
                open = close(open, in: &tape)
                depth &-= 1
            }
        }
    }

    private static var none: UInt32 { .max }

    /// Ends the container before the current position, and returns its parent.
    @inline(__always)
    private func close(_ open: UInt32, in tape: inout Tape) -> UInt32 {
        let index = Int(open)
        let outer = tape[index].next
        tape[index].next = UInt32(truncatingIfNeeded: tape.count)
        tape[index].length = UInt32(truncatingIfNeeded: position) &- tape[index].offset
        return outer
    }

    @inline(__always)
    private mutating func readName(into tape: inout Tape) throws(ScanFault) {
        let name = try scanMemberName()
        append(.name, name.range.lowerBound, name.range.upperBound, isEscaped: name.isEscaped, to: &tape)
    }

    @inline(__always)
    private mutating func readScalar(_ byte: UInt8, into tape: inout Tape) throws(ScanFault) {
        let start = position
        switch byte {
        case UInt8(ascii: "\""):
            position &+= 1
            let isEscaped = try scanString()
            append(.string, start &+ 1, position &- 1, isEscaped: isEscaped, to: &tape)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let isInteger = try scanNumber()
            append(isInteger ? .integer : .decimal, start, position, to: &tape)
        default:
            try scanLiteral()
            let kind: TapeEntry.Kind =
                byte == UInt8(ascii: "n") ? .null : byte == UInt8(ascii: "t") ? .true : .false
            append(kind, start, position, to: &tape)
        }
    }

    /// Appends the entry of a value or name between two positions, in ascending order.
    @inline(__always)
    private func append(
        _ kind: TapeEntry.Kind, _ start: Int, _ end: Int, isEscaped: Bool = false, to tape: inout Tape
    ) {
        tape.append(
            TapeEntry(
                offset: UInt32(truncatingIfNeeded: start), length: UInt32(truncatingIfNeeded: end &- start),
                next: UInt32(truncatingIfNeeded: tape.count &+ 1), kind: kind, flags: isEscaped ? .isEscaped : []))
    }
}
