// swift-jsonrpc · SPDX-License-Identifier: MIT

/// What one text holds.
package enum MessageScan: Sendable, Equatable {
    /// One value: a message when it is an object.
    case single(MessageEnvelope)
    /// An array of this many members, which may be none.
    case batch(count: Int)
}

/// Why a text is no JSON, and whose it might have been.
package struct MessageScanFailure: Error, Sendable, Equatable {
    package var error: JSONSyntaxError
    /// True when the text holds bytes that are not UTF-8, anywhere: RFC 6455 §8.1 wants the connection failed then.
    package var isInvalidUTF8: Bool
    /// True when the text begins as an array.
    package var isBatch: Bool
    /// The complete top-level ids which had been read before the error: of the object, or of the array's members. A
    /// number at the very end of the text is not complete, and an object in which `id` came twice gives none; neither
    /// does one which has a `method`: its id is the peer's own.
    package var ids: [MessageEnvelope.ID]
}

/// Finds the members of JSON-RPC messages in one pass, which also validates every byte of the text.
package struct EnvelopeScanner: Sendable {
    package var limits: JSONLimits

    package init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
    }

    /// Scans one text.
    ///
    /// Nothing is allocated for an object (unless it is nested deeper than 64 levels), nor for an array when `members`
    /// has room.
    ///
    /// - Parameter members: takes the array's members, after its old content is removed; empty after a single value.
    package func scan(
        _ text: UnsafeRawBufferPointer, members: inout [MessageEnvelope]
    ) throws(MessageScanFailure) -> MessageScan {
        if !members.isEmpty { members.removeAll(keepingCapacity: true) }
        guard var scanner = JSONScanner(text, limits: limits) else {
            throw failure(ScanFault(.emptyText, at: 0), in: text, isBatch: false, read: [])
        }
        var envelope = MessageEnvelope()
        var isBatch = false
        do throws(ScanFault) {
            try scanner.beginText()
            isBatch = scanner.bytes[scanner.position] == UInt8(ascii: "[")
            if isBatch {
                try scanner.scanBatch(current: &envelope, members: &members)
            } else {
                try scanner.scanMessage(into: &envelope, depth: 0)
            }
            try scanner.endText()
        } catch {
            let read = members + CollectionOfOne(envelope)
            members.removeAll(keepingCapacity: true)
            throw failure(error, in: text, isBatch: isBatch, read: read)
        }
        return isBatch ? .batch(count: members.count) : .single(envelope)
    }

    private func failure(
        _ fault: ScanFault, in text: UnsafeRawBufferPointer, isBatch: Bool, read: [MessageEnvelope]
    ) -> MessageScanFailure {
        MessageScanFailure(
            error: JSONSyntaxError(fault, in: text),
            isInvalidUTF8: UTF8Validation.firstFault(in: text) != nil,
            isBatch: isBatch,
            ids: read.compactMap { $0.id == .absent || $0.hasDuplicateID || $0.method != .absent ? nil : $0.id }
        )
    }
}

extension JSONScanner {
    /// Reads an array of messages. `current` holds what is known of the member that is being read, and nothing between
    /// members, so that an error leaves each id in exactly one place.
    fileprivate mutating func scanBatch(
        current: inout MessageEnvelope, members: inout [MessageEnvelope]
    ) throws(ScanFault) {
        guard maximumDepth > 0 else { throw ScanFault(.nestingTooDeep, at: position) }
        position += 1
        skipWhitespace()
        if take(UInt8(ascii: "]")) { return }
        while true {
            try scanMessage(into: &current, depth: 1)
            members.append(current)
            current = MessageEnvelope()
            skipWhitespace()
            if take(UInt8(ascii: "]")) { return }
            guard take(UInt8(ascii: ",")) else { throw fault(.expectedCommaOrEnd) }
            skipWhitespace()
        }
    }

    /// Reads one value.
    @inline(__always)
    fileprivate mutating func scanMessage(into envelope: inout MessageEnvelope, depth: Int) throws(ScanFault) {
        let start = position
        if position < end, bytes[position] == UInt8(ascii: "{") {
            try scanObject(into: &envelope, depth: depth)
        } else {
            envelope.isObject = false
            try skipValue(depth: depth)
        }
        envelope.range = start..<position
    }

    private mutating func scanObject(into envelope: inout MessageEnvelope, depth: Int) throws(ScanFault) {
        guard depth < maximumDepth else { throw ScanFault(.nestingTooDeep, at: position) }
        var seen: UInt8 = 0
        position += 1
        skipWhitespace()
        if take(UInt8(ascii: "}")) { return }
        while true {
            let name = MemberName(bytes, try scanMemberName())
            if name == .extra {
                envelope.hasExtraMembers = true
            } else {
                let bit = 1 &<< name.rawValue
                if seen & bit != 0 {
                    envelope.hasDuplicateMembers = true
                    if name == .id { envelope.hasDuplicateID = true }
                }
                seen |= bit
            }
            try scanMember(name, into: &envelope, depth: depth + 1)
            skipWhitespace()
            if take(UInt8(ascii: ",")) {
                skipWhitespace()
            } else if take(UInt8(ascii: "}")) {
                return
            } else {
                throw fault(.expectedCommaOrEnd)
            }
        }
    }

    @inline(__always)
    private mutating func scanMember(
        _ name: MemberName, into envelope: inout MessageEnvelope, depth: Int
    ) throws(ScanFault) {
        let start = position
        switch name {
        case .id:
            envelope.id = try scanID(depth: depth)
        case .jsonrpc:
            if let content = try scanStringValue(depth: depth) {
                let isTwo = StringContent.packed(bytes, content) == 0x30_2E32  // "2.0", first byte lowest
                envelope.version = isTwo ? .two : .other(start..<position)
            } else {
                envelope.version = .other(start..<position)
            }
        case .method:
            // Known to be there even if the text breaks off within it.
            envelope.method = .other(start..<start)
            if let content = try scanStringValue(depth: depth) {
                envelope.method = .string(content.range, isEscaped: content.isEscaped)
            } else {
                envelope.method = .other(start..<position)
            }
        case .params, .result, .error, .extra:
            try skipMember(depth: depth)
            let range = start..<position
            if name == .result {
                envelope.result = range
            } else if name == .params {
                envelope.params = range
            } else if name == .error {
                envelope.error = range
            }
        }
    }

    /// Reads a value: a scalar without what keeps account of containers.
    @inline(__always)
    private mutating func skipMember(depth: Int) throws(ScanFault) {
        if position < end, bytes[position] != UInt8(ascii: "{"), bytes[position] != UInt8(ascii: "[") {
            try skipScalar()
        } else {
            try skipValue(depth: depth)
        }
    }

    /// Reads a value; nil when it is no string.
    @inline(__always)
    private mutating func scanStringValue(depth: Int) throws(ScanFault) -> ScannedString? {
        guard take(UInt8(ascii: "\"")) else {
            try skipValue(depth: depth)
            return nil
        }
        let start = position
        let isEscaped = try scanString()
        return ScannedString(range: start..<(position - 1), isEscaped: isEscaped)
    }

    /// Reads an id. A number or word must be followed by something that ends it: else it may have been cut short.
    @inline(__always)
    private mutating func scanID(depth: Int) throws(ScanFault) -> MessageEnvelope.ID {
        guard position < end else { throw ScanFault(.unexpectedEnd, at: end) }
        let start = position
        switch bytes[position] {
        case UInt8(ascii: "\""):
            position += 1
            let isEscaped = try scanString()
            return .string((start + 1)..<(position - 1), isEscaped: isEscaped)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let isInteger = try scanNumber()
            try expectEndOfWord()
            if isInteger, let number = IntegerText.value(bytes, start..<position, as: Int64.self) {
                return .number(number)
            }
            return .other(start..<position)
        case UInt8(ascii: "n"):
            try scanLiteral()
            try expectEndOfWord()
            return .null
        default:
            try skipValue(depth: depth)
            return .other(start..<position)
        }
    }

    @inline(__always)
    private func expectEndOfWord() throws(ScanFault) {
        guard position < end else { throw ScanFault(.unexpectedEnd, at: end) }
        switch bytes[position] {
        case UInt8(ascii: ","), UInt8(ascii: "}"), 0x20, 0x09, 0x0A, 0x0D: return
        default: throw ScanFault(.expectedCommaOrEnd, at: position)
        }
    }
}

/// The members that JSON-RPC 2.0 names.
private enum MemberName: UInt8 {
    case jsonrpc, id, method, params, result, error, extra

    /// The names are compared as words of their bytes, the first byte lowest.
    @inline(__always)
    init(_ bytes: UnsafePointer<UInt8>, _ content: ScannedString) {
        switch StringContent.packed(bytes, content) {
        case 0x63_7072_6E6F_736A: self = .jsonrpc
        case 0x6469: self = .id
        case 0x646F_6874_656D: self = .method
        case 0x736D_6172_6170: self = .params
        case 0x746C_7573_6572: self = .result
        case 0x72_6F72_7265: self = .error
        default: self = .extra
        }
    }
}
