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
        /// They come one after another, with white space between: lines of NDJSON, for one.
        case sequence
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
    /// How many bytes came before `buffer`.
    private var offset = 0

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
        if buffer.count - start > maximumValueSize { throw failure(.valueTooLarge, at: start) }
    }

    /// Ends the text, and hands over its last value if that had no end of its own (a number at the very end).
    ///
    /// - Throws: a ``JSONStreamError`` when the text is not complete, or what `body` throws.
    public mutating func finish(_ body: (RawJSON) throws -> Void) throws {
        var start = 0
        defer { dropBytes(start) }
        while try readValue(from: &start, isLast: true, body) {}
        guard start == buffer.count else { throw failure(.syntax(.unexpectedEnd), at: buffer.count) }
        switch phase {
        case .afterArray: break
        case .beforeElement, .afterElement:
            if framing == .array { throw failure(.syntax(.unexpectedEnd), at: buffer.count) }
        case .beforeArray: throw failure(.syntax(.emptyText), at: 0)
        case .beforeFirst: throw failure(.syntax(.unexpectedEnd), at: buffer.count)
        }
    }

    private mutating func dropBytes(_ count: Int) {
        buffer.removeFirst(count)
        offset += count
    }

    private func failure(_ reason: JSONStreamError.Reason, at index: Int) -> JSONStreamError {
        JSONStreamError(reason: reason, offset: offset + index)
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
        guard let end = endOfValue(from: start, isLast: isLast) else { return false }
        let value: RawJSON
        do {
            value = try RawJSON(validating: Array(buffer[start..<end]), limits: limits)
        } catch {
            throw failure(.syntax(error.reason), at: start + error.offset)
        }
        if end - start > maximumValueSize { throw failure(.valueTooLarge, at: start) }
        start = end
        (seen, depth, isInString, isAfterBackslash) = (0, 0, false, false)
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
        case (.beforeArray, _): throw failure(.syntax(.expectedValue), at: index)
        case (.afterElement, _): throw failure(.syntax(.expectedCommaOrEnd), at: index)
        case (.afterArray, _): throw failure(.syntax(.trailingContent), at: index)
        }
        return true
    }

    /// Looks for the end of the value at `start`; what it is the validating reader then finds out.
    private mutating func endOfValue(from start: Int, isLast: Bool) -> Int? {
        var index = start + seen
        defer { seen = index - start }
        while index < buffer.count {
            let byte = buffer[index]
            if isInString {
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
            default: break
            }
            index += 1
        }
        return isLast && depth == 0 && !isInString && index > start ? index : nil
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
}

extension JSONStreamError: CustomStringConvertible {
    /// One sentence.
    public var description: String {
        switch reason {
        case .syntax(let reason): "Not JSON: \(reason) at byte \(offset)."
        case .valueTooLarge: "The value at byte \(offset) is larger than the limit."
        }
    }
}
