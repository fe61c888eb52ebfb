// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Finds the values in a text that comes in pieces: the elements of one large array, or values one after another.
///
/// The splitter keeps the bytes of the value that is not complete yet, and nothing else: its memory is bounded by the
/// largest value, for which there is a limit. Pieces may end anywhere, within a character or an escape too.
public struct JSONElementSplitter: Sendable {
    /// How the values lie in the text.
    public enum Framing: Sendable, Hashable {
        /// They are the elements of one array.
        case array
        /// They come one after another, with white space between, or nothing where the end of one is plain. A value may
        /// go on over several lines: where one does not end, what follows is read as part of it, up to the first fault.
        case sequence
        /// Each lies on a line of its own (NDJSON): a line feed ends it, whether it is complete or not. Lines that are
        /// empty, or nothing but white space, are passed over.
        case lines
    }

    /// Where the reader is between values.
    private enum Phase {
        case beforeArray, beforeFirst, beforeElement, afterElement, afterArray
    }

    private let framing: Framing
    private let limits: JSONLimits
    private let maximumValueSize: Int
    private var phase: Phase
    private var buffer: [UInt8] = []
    /// How far into `buffer` the current value was looked at, and what was seen of it.
    private var seen = 0
    private var depth = 0
    private var isInString = false
    private var isAfterBackslash = false
    /// How large an incomplete value must have grown before it is looked through for faults again.
    private var nextCheck = 0
    /// How many bytes came before `buffer`.
    private var offset = 0
    /// The line in which `buffer` begins, and how many bytes before `buffer` that line begins.
    private var line = 1
    private var column = 0

    /// Makes a splitter.
    ///
    /// - Parameters:
    ///   - framing: how the values lie in the text.
    ///   - limits: how deeply they may nest.
    ///   - maximumValueSize: the size in bytes beyond which one value is refused; 64 MiB by default.
    public init(framing: Framing, limits: JSONLimits = JSONLimits(), maximumValueSize: Int = 64 << 20) {
        self.framing = framing
        self.limits = limits
        self.maximumValueSize = maximumValueSize
        phase = framing == .array ? .beforeArray : .beforeElement
    }

    /// Takes a piece of the text, and hands over each value that it completes, in order.
    ///
    /// - Throws: a ``JSONStreamError``, or what `body` throws. The splitter is of no use after a ``JSONStreamError``.
    public mutating func append(
        _ piece: some Sequence<UInt8>, _ body: (RawJSON) throws -> Void
    ) throws {
        buffer.append(contentsOf: piece)
        var start = 0
        defer { dropBytes(start) }
        while try readValue(from: &start, isLast: false, body) {}
        if buffer.count - start > maximumValueSize { throw failure(.valueTooLarge, at: start, in: start) }
    }

    /// Ends the text, and hands over its last value if that had no end of its own (a number at the very end).
    ///
    /// - Throws: a ``JSONStreamError`` when the text is not complete, or what `body` throws.
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

    /// The line of a byte in `buffer`, from 1, and the bytes before it in that line.
    private func place(of index: Int) -> (line: Int, column: Int) {
        var (line, column) = (line, column)
        for byte in buffer.prefix(index) {
            column += 1
            if byte == 0x0A { (line, column) = (line + 1, 0) }
        }
        return (line, column)
    }

    /// - Parameter value: where the value begins which cannot be read; nil for what lies between values.
    private func failure(_ reason: JSONStreamError.Reason, at index: Int, in value: Int? = nil) -> JSONStreamError {
        let place = place(of: index)
        return JSONStreamError(
            reason: reason, offset: offset + index, line: place.line, column: place.column + 1,
            valueLine: value.map { self.place(of: $0).line })
    }

    /// The error for a value that does not end before `end`: its first fault, or else that it does not end.
    private func unfinished(from start: Int, to end: Int) -> JSONStreamError {
        do {
            _ = try RawJSON(validating: buffer[start..<end], limits: limits)
            return failure(.syntax(.unexpectedEnd), at: end, in: start)
        } catch {
            return failure(.syntax(error.reason), at: start + error.offset, in: start)
        }
    }
}

extension JSONElementSplitter {
    /// Reads up to the end of one value; false when more bytes are needed.
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
            value = try RawJSON(validating: Array(buffer[start..<end]), limits: limits)
        } catch {
            // With what follows it, a word or a number that is cut is malformed, instead of too short.
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

    /// Reads a bracket or comma of the outermost array; false when a value begins here.
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

    /// Looks for the end of the line in which the value at `start` is.
    private mutating func endOfLine(from start: Int, isLast: Bool) -> Int? {
        if let end = buffer[(start + seen)...].firstIndex(of: 0x0A) { return end }
        seen = buffer.count - start
        return isLast ? buffer.count : nil
    }

    /// Looks for the end of the value at `start`; what it is the validating reader then finds out.
    private mutating func endOfValue(from start: Int, isLast: Bool) throws -> Int? {
        var index = start + seen
        defer { seen = index - start }
        while index < buffer.count {
            let byte = buffer[index]
            if isInString {
                // No string holds a line feed: the reader says so at once, instead of after all that follows.
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

    /// Looks through the lines of a value that is not complete, each time when it has doubled: a value that lacks its
    /// end must not swallow all those after it.
    private mutating func checkLines(from start: Int, to end: Int) throws {
        guard end - start >= nextCheck else { return }
        nextCheck = 2 * (end - start)
        let error = unfinished(from: start, to: end)
        if error.reason != .syntax(.unexpectedEnd) { throw error }
    }
}

/// Why a text that comes in pieces could not be read on.
public struct JSONStreamError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Reason: Hashable, Sendable {
        /// The text is not JSON, or not framed as it should be.
        case syntax(JSONSyntaxError.Reason)
        /// One value is larger than the limit.
        case valueTooLarge
    }

    public let reason: Reason
    /// Where, in bytes from the start of the whole text.
    public let offset: Int
    /// The line of the whole text, from 1. Lines end with a line feed.
    public let line: Int
    /// The column in that line, from 1, counted in bytes.
    public let column: Int
    /// The line in which the value begins that cannot be read; nil when the fault lies between values.
    public let valueLine: Int?
}

extension JSONStreamError: CustomStringConvertible {
    /// One sentence.
    public var description: String {
        let place = "byte \(offset) (line \(line), column \(column))"
        switch reason {
        case .syntax(let reason):
            guard let valueLine, valueLine != line else { return "Not JSON: \(reason) at \(place)." }
            return "Not JSON: \(reason) at \(place), in the value that begins in line \(valueLine)."
        case .valueTooLarge: return "The value at \(place) is larger than the limit."
        }
    }
}
