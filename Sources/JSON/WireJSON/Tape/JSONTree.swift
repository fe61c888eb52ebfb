// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A parsed JSON text: the kind and the position of each of its values.
///
/// Values are numbered in the order of the text. The root is 0. An array is followed by its elements, and an object by
/// its members, each as a name and a value. ``TapeEntry/next`` is the number after a value and its content. Functions
/// trap if a number is not that of a value, which only a bug in this package could cause.
@usableFromInline package final class JSONTree: Sendable {
    /// The bytes of the parsed text.
    @usableFromInline package let bytes: ArraySlice<UInt8>
    /// The values and names.
    @usableFromInline package let entries: [TapeEntry]

    /// Parses a text, and shares its storage.
    ///
    /// - Throws: A ``JSONSyntaxError`` if the bytes are not one JSON value.
    package init(parsing bytes: ArraySlice<UInt8>, limits: JSONLimits) throws(JSONSyntaxError) {
        self.bytes = bytes
        entries = try JSONScanner.read(bytes, limits: limits) { scanner throws(ScanFault) in
            var tape = Tape(capacity: bytes.count / 6 + 64)
            try scanner.readText(into: &tape)
            return tape.entries
        }
    }

    package static let null = JSONTree()

    private init() {
        bytes = Array("null".utf8)[...]
        entries = [TapeEntry(offset: 0, length: 4, next: 1, kind: .null)]
    }

    /// Returns a string or name, or `nil` for other kinds, or if the string escapes half of a surrogate pair.
    package func string(at index: Int) -> String? {
        let entry = entries[index]
        guard entry.kind == .string || entry.kind == .name else { return nil }
        return withText { try? $0.string(entry.content) } ?? nil
    }

    /// Returns whether a string or name has the bytes of a literal. It is `false` if the string has escapes.
    @inlinable @inline(__always)
    package func isText(at index: Int, literal text: StaticString) -> Bool {
        let entry = entries[index]
        guard Int(entry.length) == text.utf8CodeUnitCount, !entry.isEscaped else { return false }
        return unsafe withContent(of: entry) { unsafe SWAR.areEqual($0, text.utf8Start, text.utf8CodeUnitCount) }
    }

    /// Returns whether a string or name has the given bytes.
    package func isText(at index: Int, _ text: borrowing String) -> Bool {
        let entry = entries[index]
        guard !entry.isEscaped else { return string(at: index)?.utf8.elementsEqual(text.utf8) ?? false }
        guard Int(entry.length) == text.utf8.count else { return false }
        return unsafe withContent(of: entry) { start in
            unsafe text.withContiguousUTF8 { other in
                guard let other = other.baseAddress else { return true }
                return unsafe SWAR.areEqual(start, other, Int(entry.length))
            }
        }
    }

    /// Returns whether two strings or names have the same bytes. It is `false` if one of them has escapes.
    package func areEqual(_ left: Int, _ right: Int) -> Bool {
        let (left, right) = (entries[left], entries[right])
        guard left.length == right.length, !left.isEscaped, !right.isEscaped else { return false }
        return unsafe withContent(of: left) { first in
            unsafe withContent(of: right) { unsafe SWAR.areEqual(first, $0, Int(left.length)) }
        }
    }

    /// Hashes the bytes of a string or name without escapes.
    package func hash(_ index: Int, into hasher: inout Hasher) {
        let entry = entries[index]
        unsafe withContent(of: entry) {
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(start: $0, count: Int(entry.length)))
        }
    }

    /// The first byte of a string or name, or `nil` if it is empty.
    @inlinable
    package func firstByte(at index: Int) -> UInt8? {
        let entry = entries[index]
        return entry.length == 0 ? nil : unsafe withContent(of: entry) { unsafe $0.pointee }
    }

    /// Returns whether a string or name contains a byte.
    package func contains(_ byte: UInt8, at index: Int) -> Bool {
        let entry = entries[index]
        return unsafe withContent(of: entry) {
            unsafe UnsafeBufferPointer(start: $0, count: Int(entry.length)).contains(byte)
        }
    }

    /// Returns a value as unparsed bytes that share the storage of the text.
    package func json(at index: Int) -> RawJSON {
        let entry = entries[index]
        let quote = entry.kind == .string ? 1 : 0
        let start = bytes.startIndex + Int(entry.offset) - quote
        return RawJSON(unchecked: bytes[start..<(start + Int(entry.length) + 2 * quote)])
    }

    /// Calls a function with the address of the raw bytes of a string or name.
    @unsafe @inlinable @inline(__always)
    func withContent<Value>(of entry: TapeEntry, _ body: (UnsafePointer<UInt8>) -> Value) -> Value {
        unsafe bytes.withUnsafeBufferPointer { text in
            // A text has at least one byte. A pointer to its end is never read.
            guard let start = text.baseAddress, Int(entry.offset) + Int(entry.length) <= text.count else {
                preconditionFailure("the entry belongs to another text")
            }
            return unsafe body(start + Int(entry.offset))
        }
    }

    @inline(__always)
    private func withText<Value>(_ body: (JSONScanner) -> Value) -> Value? {
        unsafe bytes.withUnsafeBytes { text in unsafe JSONScanner(text, limits: JSONLimits()).map(body) }
    }
}

extension JSONTree {
    /// Decodes a value with the defaults of ``WireJSONDecoder``. Strings, numbers and booleans are read without a
    /// decoder.
    ///
    /// - Throws: The same errors as ``RawJSON/decode(as:)``.
    package func decode<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        let entry = entries[index]
        switch entry.kind {
        case .string:
            if type == String.self, let value = string(at: index) { return same(value, as: type) }
        case .integer, .decimal:
            if type == Int.self {
                if entry.kind == .integer, let value = withText({ $0.integer(entry.range, as: Int.self) }) ?? nil {
                    return same(value, as: type)
                }
            } else if type == Double.self, let value = withText({ $0.double(entry.range) }), value.isFinite {
                return same(value, as: type)
            }
        case .true, .false: if type == Bool.self { return same(entry.kind == .true, as: type) }
        case .null, .array, .object, .name: break
        }
        return try json(at: index).decode(as: type)
    }
}
