// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Reads texts that are one scalar or one array of scalars, as most params and results are, without a tape.
enum ScalarText {
    /// Reads a text of a type below. For other types and unusual texts, `otherwise` reads a tape.
    @inline(__always)
    static func value<T>(
        _ type: T.Type, from text: UnsafeRawBufferPointer, limits: JSONLimits, otherwise: () throws -> T
    ) rethrows -> T {
        switch KnownType(scalar: type) {
        case .int: if let value = unsafe read(text, limits, { $0.plainInteger() }) { return same(value, as: type) }
        case .string: if let value = unsafe read(text, limits, { $0.plainString() }) { return same(value, as: type) }
        case .bool: if let value = unsafe read(text, limits, { $0.plainBool() }) { return same(value, as: type) }
        case .double: if let value = unsafe read(text, limits, { $0.plainDouble() }) { return same(value, as: type) }
        case .ints:
            if let value = unsafe read(text, limits, { $0.plainArray { $0.plainInteger() } }) {
                return same(value, as: type)
            }
        case .strings:
            if let value = unsafe read(text, limits, { $0.plainArray { $0.plainString() } }) {
                return same(value, as: type)
            }
        case .doubles:
            if let value = unsafe read(text, limits, { $0.plainArray { $0.plainDouble() } }) {
                return same(value, as: type)
            }
        case .date, .data, .url, .decimal, .raw, .value, .number, .other: break
        }
        return try otherwise()
    }

    @inline(__always)
    private static func read<Value>(
        _ text: UnsafeRawBufferPointer, _ limits: JSONLimits, _ body: (inout JSONScanner) -> Value?
    ) -> Value? {
        guard var scanner = unsafe JSONScanner(text, limits: limits) else { return nil }
        scanner.skipWhitespace()
        guard let value = body(&scanner) else { return nil }
        scanner.skipWhitespace()
        return scanner.isAtEnd ? value : nil
    }
}

/// Fast readers of one value. They return `nil` for anything unusual, and then the position is undefined.
extension JSONScanner {
    @inline(__always)
    fileprivate mutating func plainInteger() -> Int? {
        let start = position
        guard isAtNumber, let isInteger = try? scanNumber(), isInteger else { return nil }
        return integer(start..<position, as: Int.self)
    }

    @inline(__always)
    mutating func plainDouble() -> Double? {
        let start = position
        guard isAtNumber, (try? scanNumber()) != nil else { return nil }
        let value = double(start..<position)
        return value.isFinite ? value : nil
    }

    @inline(__always)
    mutating func plainString() -> String? {
        guard let content = plainContent() else { return nil }
        return try? string(content)
    }

    /// Reads a string with its quotes.
    @inline(__always)
    mutating func plainContent() -> ScannedString? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = position
        guard let isEscaped = try? scanString() else { return nil }
        return ScannedString(from: start, quotedTo: position, isEscaped: isEscaped)
    }

    @inline(__always)
    mutating func plainBool() -> Bool? {
        guard !isAtEnd else { return nil }
        let first = unsafe bytes[position]
        guard first != UInt8(ascii: "n"), (try? scanLiteral()) != nil else { return nil }
        return first == UInt8(ascii: "t")
    }

    @inline(__always)
    fileprivate mutating func plainArray<Element>(_ element: (inout JSONScanner) -> Element?) -> [Element]? {
        guard maximumDepth > 0, take(UInt8(ascii: "[")) else { return nil }
        var elements: [Element] = []
        skipWhitespace()
        if take(UInt8(ascii: "]")) { return elements }
        // An element and the comma or bracket after it take two bytes or more.
        elements.reserveCapacity(min((end - position) / 2, 16))
        while true {
            guard let value = element(&self) else { return nil }
            elements.append(value)
            skipWhitespace()
            if take(UInt8(ascii: "]")) { return elements }
            guard take(UInt8(ascii: ",")) else { return nil }
            skipWhitespace()
        }
    }

    @inline(__always)
    private var isAtNumber: Bool {
        unsafe position < end && (bytes[position] == UInt8(ascii: "-") || bytes[position] &- UInt8(ascii: "0") < 10)
    }
}
