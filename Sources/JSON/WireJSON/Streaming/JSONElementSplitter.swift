// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Splits a text that arrives in pieces into values: the elements of one large array, or a sequence of values.
///
/// The splitter only keeps the bytes of the incomplete value. So its memory is bounded by `maximumValueSize` and the
/// size of one piece. Pieces may end anywhere, even inside a character or an escape.
public struct JSONElementSplitter: Sendable {
    /// The arrangement of the values in the text.
    public enum Framing: Sendable, Hashable {
        /// The values are the elements of one array.
        case array
        /// The values follow each other. White space may separate them, and is required after a number or a literal.
        ///
        /// A value may have several lines. Text after an incomplete value is a part of it, up to the first fault.
        case sequence
        /// Each value has its own line (NDJSON). A line feed ends even an incomplete value. Blank lines are skipped.
        case lines
    }

    /// The position relative to the values.
    private enum Phase {
        case beforeArray, beforeFirst, beforeElement, afterElement, afterArray
    }

    private let framing: Framing
    private let limits: JSONLimits
    private let maximumValueSize: Int
    private var phase: Phase
    private var buffer: [UInt8] = []
    /// The number of bytes of the current value that were examined, and the state after them.
    private var seen = 0
    private var depth = 0
    private var isInString = false
    private var isAfterBackslash = false
    /// The size at which an incomplete value is checked for faults again.
    private var nextCheck = 0
    /// The number of bytes before `buffer`.
    private var offset = 0
    /// The line in which `buffer` begins, and the number of bytes of that line before `buffer`.
    private var line = 1
    private var column = 0

    /// Creates a splitter.
    ///
    /// - Parameters:
    ///   - framing: The arrangement of the values in the text.
    ///   - limits: The limits for each value.
    ///   - maximumValueSize: The largest size of one value, in bytes. The default is 64 MiB.
    public init(framing: Framing, limits: JSONLimits = JSONLimits(), maximumValueSize: Int = 64 << 20) {
        self.framing = framing
        self.limits = limits
        self.maximumValueSize = maximumValueSize
        phase = framing == .array ? .beforeArray : .beforeElement
    }

    /// Adds a piece of the text, and calls `body` with each value that the piece completes, in order.
    ///
    /// - Throws: A ``JSONElementSplitter/Failure`` if the text has a fault, or the error that `body` throws. After a
    ///   ``JSONElementSplitter/Failure``, the splitter cannot be used.
    public mutating func append(_ piece: some Sequence<UInt8>, _ body: (RawJSON) throws -> Void) throws {
        buffer.append(contentsOf: piece)
        var start = 0
        defer { dropBytes(start) }
        while try readValue(from: &start, isLast: false, body) {}
        if buffer.count - start > maximumValueSize { throw failure(.valueTooLarge, at: start, in: start) }
    }

    /// Ends the text, and calls `body` with the last value if only the end of the text completes it, such as a number.
    ///
    /// - Throws: A ``JSONElementSplitter/Failure`` if the text is not complete, or the error that `body` throws.
    public mutating func finish(_ body: (RawJSON) throws -> Void) throws {
        var start = 0
        defer { dropBytes(start) }
        while try readValue(from: &start, isLast: true, body) {}
        guard start == buffer.count else { throw unfinished(from: start, to: buffer.count) }
        switch phase {
        case .afterArray: break
        case .beforeElement, .afterElement:
            if framing == .array { throw failure(.syntax(.unexpectedEnd), at: buffer.count) }
        case .beforeArray: throw failure(.syntax(.emptyText), at: buffer.count)
        case .beforeFirst: throw failure(.syntax(.unexpectedEnd), at: buffer.count)
        }
    }

    private mutating func dropBytes(_ count: Int) {
        (line, column) = place(of: count)
        buffer.removeFirst(count)
        offset += count
    }

    /// The line and the column of a byte in `buffer`, counted from 1 and from 0.
    private func place(of index: Int) -> (line: Int, column: Int) {
        var counter = LineCounter()
        unsafe buffer.withUnsafeBytes { unsafe counter.move(to: index, in: $0) }
        guard counter.line > 1 else { return (line, column + index) }
        return (line + counter.line - 1, index - counter.lineStart)
    }

    /// - Parameter value: The start of the faulty value, or `nil` for a fault between values.
    private func failure(_ reason: JSONElementSplitter.Failure.Reason, at index: Int, in value: Int? = nil)
        -> JSONElementSplitter.Failure
    {
        let place = place(of: index)
        return JSONElementSplitter.Failure(
            reason: reason, offset: offset + index, line: place.line, column: place.column + 1,
            valueLine: value.map { self.place(of: $0).line })
    }

    /// Returns the error for a value that does not end before `end`: its first fault, or an unexpected end.
    private func unfinished(from start: Int, to end: Int) -> JSONElementSplitter.Failure {
        do {
            _ = try RawJSON(validating: buffer[start..<end], limits: limits)
            return failure(.syntax(.unexpectedEnd), at: end, in: start)
        } catch {
            return failure(.syntax(error.reason), at: start + error.offset, in: start)
        }
    }
}

extension JSONElementSplitter {
    /// Reads to the end of one value. It returns false if it needs more bytes.
    private mutating func readValue(
        from start: inout Int, isLast: Bool, _ body: (RawJSON) throws -> Void
    ) throws -> Bool {
        while seen == 0 {
            while start < buffer.count, [0x20, 0x0A, 0x0D, 0x09].contains(buffer[start]) { start += 1 }
            guard start < buffer.count else { return false }
            if try !readPunctuation(at: start) { break }
            start += 1
        }
        let found =
            try framing == .lines ? endOfLine(from: start, isLast: isLast) : endOfValue(from: start, isLast: isLast)
        guard let end = found else { return false }
        let value: RawJSON
        do {
            // An `Array` of the whole buffer would share it. A short value would then keep the capacity of a long one.
            let bytes = unsafe buffer[start..<end].withUnsafeBytes { unsafe [UInt8]($0) }
            value = try RawJSON(validating: bytes, limits: limits)
        } catch {
            // With the byte after it, a literal or number that is cut is reported as malformed, not as incomplete.
            let isContainer = buffer[start] == UInt8(ascii: "{") || buffer[start] == UInt8(ascii: "[")
            let isCut = error.reason == .unexpectedEnd && !isContainer && end < buffer.count
            throw unfinished(from: start, to: isCut ? end + 1 : end)
        }
        if end - start > maximumValueSize { throw failure(.valueTooLarge, at: start, in: start) }
        start = end
        (seen, depth, isInString, isAfterBackslash, nextCheck) = (0, 0, false, false, 0)
        phase = framing == .array ? .afterElement : .beforeElement
        try body(value)
        return true
    }

    /// Reads a bracket or comma of the outermost array. It returns false if a value begins at the index.
    private mutating func readPunctuation(at index: Int) throws -> Bool {
        guard framing == .array else { return false }
        switch (phase, buffer[index]) {
        case (.beforeArray, UInt8(ascii: "[")): phase = .beforeFirst
        case (.beforeFirst, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")): phase = .afterArray
        case (.afterElement, UInt8(ascii: ",")): phase = .beforeElement
        case (.beforeFirst, _), (.beforeElement, _): return false
        case (.beforeArray, _): throw failure(.syntax(.expectedArray), at: index)
        case (.afterElement, _): throw failure(.syntax(.expectedCommaOrEnd), at: index)
        case (.afterArray, _): throw failure(.syntax(.trailingContent), at: index)
        }
        return true
    }

    /// Finds the end of the line that contains the value at `start`.
    private mutating func endOfLine(from start: Int, isLast: Bool) -> Int? {
        if let end = buffer[(start + seen)...].firstIndex(of: 0x0A) { return end }
        seen = buffer.count - start
        return isLast ? buffer.count : nil
    }

    /// Finds the end of the value at `start`. The validating reader checks the value afterwards.
    private mutating func endOfValue(from start: Int, isLast: Bool) throws -> Int? {
        var index = start + seen
        defer { seen = index - start }
        while index < buffer.count {
            let byte = buffer[index]
            if isInString {
                // A string cannot contain a line feed. Ending here reports the fault before more text arrives.
                if byte == 0x0A { return index + 1 }
                if isAfterBackslash {
                    isAfterBackslash = false
                } else if byte == UInt8(ascii: "\\") {
                    isAfterBackslash = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 { return index + 1 }
                }
                index += 1
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                if depth == 0, index > start { return index }
                isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if depth == 0, index > start { return index }
                depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return max(index, start + 1) }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0 { return max(index, start + 1) }
                if byte == 0x0A, framing == .sequence { try checkLines(from: start, to: index + 1) }
            default: break
            }
            index += 1
        }
        return isLast && depth == 0 && !isInString && index > start ? index : nil
    }

    /// Checks the lines of an incomplete value for faults each time its size has doubled. So a value without its end
    /// does not swallow all values after it.
    private mutating func checkLines(from start: Int, to end: Int) throws {
        guard end - start >= nextCheck else { return }
        nextCheck = 2 * (end - start)
        let error = unfinished(from: start, to: end)
        if error.reason != .syntax(.unexpectedEnd) { throw error }
    }
}

extension JSONElementSplitter {
    /// The reason why a ``JSONElementSplitter`` cannot continue, and the position of the fault.
    public struct Failure: Error, Hashable, Sendable {
        /// A kind of fault.
        public enum Reason: Hashable, Sendable {
            /// The text is not JSON, or its framing is not the expected one.
            case syntax(JSONSyntaxError.Reason)
            /// One value is larger than the splitter's `maximumValueSize`.
            case valueTooLarge
        }

        /// The kind of fault.
        public let reason: Reason
        /// The offset of the fault, in bytes from the start of the whole text.
        public let offset: Int
        /// The line of the fault in the whole text, counted from 1. Lines end with a line feed.
        public let line: Int
        /// The column of the fault, counted in bytes from 1.
        public let column: Int
        /// The line in which the faulty value begins, or `nil` if the fault lies between values.
        public let valueLine: Int?
    }
}

extension JSONElementSplitter.Failure: CustomStringConvertible {
    /// The fault and its position, as one sentence.
    public var description: String {
        let place = "line \(line), column \(column) (byte \(offset))"
        switch reason {
        case .syntax(let reason):
            guard let valueLine, valueLine != line else {
                return "The text is not valid JSON: \(reason) at \(place)."
            }
            return "The text is not valid JSON: \(reason) at \(place), in the value that begins in line \(valueLine)."
        case .valueTooLarge: return "The value at \(place) is larger than maximumValueSize."
        }
    }
}
