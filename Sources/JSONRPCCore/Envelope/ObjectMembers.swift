// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Walks the members of a JSON object that has been found valid before, without allocation.
///
/// On bytes which are no valid object the walk ends early; it never leaves the range that it was given.
struct ObjectMembers: Sequence, IteratorProtocol {
    /// One member; the ranges are offsets into the walked bytes.
    struct Member {
        /// The name's content, without the quotes.
        var name: Range<Int>
        /// The value, without white space around it.
        var value: Range<Int>
    }

    private let bytes: UnsafeRawBufferPointer
    private var position: Int
    private let end: Int

    /// - Parameter range: where the object lies in `bytes`, from its opening to its closing brace.
    init(of bytes: UnsafeRawBufferPointer, at range: Range<Int>) {
        self.bytes = bytes
        let range = range.clamped(to: 0..<bytes.count)
        position = range.lowerBound
        end = range.upperBound
        skipWhiteSpace()
        if current == UInt8(ascii: "{") { position += 1 } else { position = end }
    }

    mutating func next() -> Member? {
        skipWhiteSpace()
        if current == UInt8(ascii: ",") {
            position += 1
            skipWhiteSpace()
        }
        guard current == UInt8(ascii: "\"") else { return nil }
        let nameStart = position + 1
        skipString()
        let name = nameStart..<Swift.max(nameStart, position - 1)
        skipWhiteSpace()
        guard current == UInt8(ascii: ":") else { return nil }
        position += 1
        skipWhiteSpace()
        let start = position
        skipValue()
        guard position > start else { return nil }
        return Member(name: name, value: start..<position)
    }

    private var current: UInt8? { position < end ? bytes[position] : nil }

    private mutating func skipWhiteSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Goes behind the closing quote.
    private mutating func skipString() {
        position += 1
        while let byte = current {
            position += 1
            if byte == UInt8(ascii: "\"") { return }
            if byte == UInt8(ascii: "\\"), position < end { position += 1 }
        }
    }

    private mutating func skipValue() {
        var depth = 0
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                position += 1
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                position += 1
                depth -= 1
                if depth == 0 { return }
            case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0 { return }
                position += 1
            default: position += 1
            }
        }
    }
}
