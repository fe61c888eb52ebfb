// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

extension JSONScanner {
    /// Reads an array of messages. `current` is the member that is being read. It is empty between members, so an
    /// error leaves each id in exactly one place.
    @inline(never)
    mutating func scanBatch(
        current: inout MessageEnvelope, members: inout [MessageEnvelope], maximum: Int
    ) throws(ScanFault) -> Int {
        var count = 0
        guard maximumDepth > 0 else { throw ScanFault(.nestingTooDeep, at: position) }
        position &+= 1
        skipWhitespace()
        if take(UInt8(ascii: "]")) { return 0 }
        while true {
            if count < maximum {
                try scanMessage(into: &current, depth: 1)
                members.append(current)
                current = MessageEnvelope()
            } else {
                try skipValue(depth: 1)
            }
            count &+= 1
            skipWhitespace()
            if take(UInt8(ascii: "]")) { return count }
            guard take(UInt8(ascii: ",")) else { throw fault(.expectedCommaOrEnd) }
            skipWhitespace()
        }
    }

    @inline(__always)
    mutating func scanMessage(into envelope: inout MessageEnvelope, depth: Int) throws(ScanFault) {
        let start = position
        if position < end, bytes[position] == UInt8(ascii: "{") {
            position = try endOfMessage(at: start, into: &envelope, depth: depth)
        } else {
            envelope.marks.insert(.notAnObject)
            try skipValue(depth: depth)
        }
        envelope.valueRange = PackedRange(start, position)
    }

    private func endOfMessage(
        at start: Int, into envelope: inout MessageEnvelope, depth: Int
    ) throws(ScanFault) -> Int {
        guard depth < maximumDepth else { throw ScanFault(.nestingTooDeep, at: start) }
        var scanner = self
        scanner.position = start &+ 1
        scanner.skipWhitespace()
        if scanner.take(UInt8(ascii: "}")) { return scanner.position }
        while true {
            try scanner.scanMember(scanner.scanEnvelopeName(), into: &envelope, depth: depth + 1)
            scanner.skipWhitespace()
            if scanner.take(UInt8(ascii: ",")) {
                scanner.skipWhitespace()
            } else if scanner.take(UInt8(ascii: "}")) {
                return scanner.position
            } else {
                throw scanner.fault(.expectedCommaOrEnd)
            }
        }
    }

    /// Reads a member's name, its colon and the white space around them. The position is then at the value.
    @inline(__always)
    private mutating func scanEnvelopeName() throws(ScanFault) -> MemberName {
        if end &- position >= MemberName.longestLength, bytes[position] == UInt8(ascii: "\""),
            let (name, length) = MemberName.plain(bytes + position + 1)
        {
            position &+= length
            skipWhitespace()
            return name
        }
        return MemberName(shortWord(try scanMemberName()))
    }

    @inline(__always)
    private mutating func scanMember(
        _ name: MemberName, into envelope: inout MessageEnvelope, depth: Int
    ) throws(ScanFault) {
        switch name {
        case .id:
            envelope.note(.id)
            try scanID(into: &envelope, depth: depth)
        case .jsonrpc:
            envelope.note(.jsonrpc)
            try scanVersion(into: &envelope, depth: depth)
        case .method:
            envelope.note(.method)
            try scanMethod(into: &envelope, depth: depth)
        case .params:
            envelope.note(.params)
            envelope.paramsRange = try scanRange(depth: depth)
        case .result:
            envelope.note(.result)
            envelope.resultRange = try scanRange(depth: depth)
        case .error:
            envelope.note(.error)
            envelope.errorRange = try scanRange(depth: depth)
        case .extra:
            envelope.marks.insert(.extraMembers)
            _ = try scanRange(depth: depth)
        }
    }

    /// Reads a value. For a scalar, open containers need not be tracked.
    @inline(__always)
    private mutating func scanRange(depth: Int) throws(ScanFault) -> PackedRange {
        let start = position
        if position < end, bytes[position] != UInt8(ascii: "{"), bytes[position] != UInt8(ascii: "[") {
            try skipScalar()
        } else {
            try skipValue(depth: depth)
        }
        return PackedRange(start, position)
    }

    @inline(__always)
    private mutating func scanVersion(into envelope: inout MessageEnvelope, depth: Int) throws(ScanFault) {
        // The word is "2.0 with its first quote, first byte lowest.
        if end &- position >= 5, SWAR.loadHalf(bytes + position) == 0x302E_3222,
            bytes[position + 4] == UInt8(ascii: "\"")
        {
            position &+= 5
            envelope.versionForm = .two
        } else {
            position = try endOfUnusualVersion(into: &envelope, depth: depth)
        }
    }

    private func endOfUnusualVersion(
        into envelope: inout MessageEnvelope, depth: Int
    ) throws(ScanFault) -> Int {
        var scanner = self
        let content = try scanner.scanStringValue(depth: depth)
        let isTwo = content.map { scanner.shortWord($0) == 0x30_2E32 } ?? false
        envelope.versionForm = isTwo ? .two : .other
        return scanner.position
    }

    @inline(__always)
    private mutating func scanMethod(into envelope: inout MessageEnvelope, depth: Int) throws(ScanFault) {
        // The member counts as present even if the text ends within it.
        let start = position
        envelope.methodForm = .other
        envelope.methodRange = PackedRange(start, start)
        if let content = try scanStringValue(depth: depth) {
            envelope.methodForm = content.isEscaped ? .escapedString : .string
            envelope.methodRange = PackedRange(start &+ 1, position &- 1)
        } else {
            envelope.methodRange = PackedRange(start, position)
        }
    }

    /// Reads a value, and returns `nil` if it is not a string.
    @inline(__always)
    private mutating func scanStringValue(depth: Int) throws(ScanFault) -> ScannedString? {
        guard take(UInt8(ascii: "\"")) else {
            try skipValue(depth: depth)
            return nil
        }
        let start = position
        let isEscaped = try scanString()
        return ScannedString(from: start, quotedTo: position, isEscaped: isEscaped)
    }

    /// Reads an id. Most are numbers of a few digits.
    @inline(__always)
    private mutating func scanID(into envelope: inout MessageEnvelope, depth: Int) throws(ScanFault) {
        var index = position
        var number: UInt64 = 0
        while index < end, bytes[index] &- UInt8(ascii: "0") < 10 {
            number = number &* 10 &+ UInt64(bytes[index] &- UInt8(ascii: "0"))
            index &+= 1
        }
        let length = index &- position
        if length > 0, length <= 18, bytes[position] != UInt8(ascii: "0"), index < end,
            bytes[index] == UInt8(ascii: ",") || bytes[index] == UInt8(ascii: "}")
        {
            position = index
            envelope.idForm = .number
            envelope.idBits = number
        } else {
            position = try endOfUnusualID(into: &envelope, depth: depth)
        }
    }

    /// Returns the end of an unusual id. A delimiter must follow a number or a word, because it may be incomplete
    /// without one.
    private func endOfUnusualID(into envelope: inout MessageEnvelope, depth: Int) throws(ScanFault) -> Int {
        var scanner = self
        guard position < end else { throw ScanFault(.unexpectedEnd, at: end) }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            scanner.position &+= 1
            let isEscaped = try scanner.scanString()
            envelope.idForm = isEscaped ? .escapedString : .string
            envelope.idBits = PackedRange(position &+ 1, scanner.position &- 1).bits
            return scanner.position
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let isInteger = try scanner.scanNumber()
            try scanner.expectEndOfWord()
            if isInteger, let number = scanner.integer(in: position..<scanner.position) {
                envelope.idForm = .number
                envelope.idBits = UInt64(bitPattern: number)
                return scanner.position
            }
        case UInt8(ascii: "n"):
            try scanner.skipScalar()
            try scanner.expectEndOfWord()
            envelope.idForm = .null
            return scanner.position
        default:
            try scanner.skipValue(depth: depth)
        }
        envelope.idForm = .other
        envelope.idBits = PackedRange(position, scanner.position).bits
        return scanner.position
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

/// The members that JSON-RPC 2.0 names. Names are compared as words of their bytes, the first byte lowest.
enum MemberName: UInt8 {
    case jsonrpc, id, method, params, result, error, extra

    /// The member with a name of up to seven bytes, given as one word.
    init(_ word: UInt64?) {
        switch word {
        case 0x63_7072_6E6F_736A: self = .jsonrpc
        case 0x6469: self = .id
        case 0x646F_6874_656D: self = .method
        case 0x736D_6172_6170: self = .params
        case 0x746C_7573_6572: self = .result
        case 0x72_6F72_7265: self = .error
        default: self = .extra
        }
    }

    /// The length of the longest name, with its quotes and colon.
    static var longestLength: Int { 10 }

    /// Returns the name at a pointer, and its length with both quotes and the colon. Returns `nil` if the name is not
    /// one of the six, or the colon does not follow immediately.
    @inline(__always)
    static func plain(_ start: UnsafePointer<UInt8>) -> (name: MemberName, length: Int)? {
        let word = SWAR.load(start)
        if word == 0x2263_7072_6E6F_736A, start[8] == UInt8(ascii: ":") { return (.jsonrpc, 10) }
        if word & 0xFFFF_FFFF == 0x3A22_6469 { return (.id, 5) }
        if word == 0x3A22_746C_7573_6572 { return (.result, 9) }
        if word == 0x3A22_646F_6874_656D { return (.method, 9) }
        if word == 0x3A22_736D_6172_6170 { return (.params, 9) }
        if word & 0xFF_FFFF_FFFF_FFFF == 0x3A_2272_6F72_7265 { return (.error, 8) }
        return nil
    }
}
