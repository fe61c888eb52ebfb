// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Where one JSON-RPC message's top-level members lie in its bytes, found in one pass and without allocation.
///
/// The scan records what is there and judges nothing: whether a missing `jsonrpc` or a fractional id is acceptable is
/// for the session to say. All ranges are offsets into the scanned buffer. A member is known by its name's characters,
/// also when they are written as escapes.
///
/// Inside, an offset takes 32 bits and an envelope 64 bytes: it is copied for each message.
package struct MessageEnvelope: Sendable, Equatable {
    /// The `id` member.
    package enum ID: Sendable, Equatable {
        /// There is no `id` member.
        case absent
        /// `"id": null`.
        case null
        /// An integer which `Int64` holds, written without fraction or exponent.
        case number(Int64)
        /// A string: the range is its content, without the quotes.
        case string(Range<Int>, isEscaped: Bool)
        /// Anything else (fraction, exponent, integer out of range, boolean, array, object): the value's range.
        case other(Range<Int>)
    }

    /// The `jsonrpc` member.
    package enum Version: Sendable, Equatable {
        case absent
        /// The string "2.0".
        case two
        /// Anything else: the value's range.
        case other(Range<Int>)
    }

    /// The `method` member.
    package enum Method: Sendable, Equatable {
        case absent
        /// A string: the range is its content, without the quotes.
        case string(Range<Int>, isEscaped: Bool)
        /// Not a string: the value's range.
        case other(Range<Int>)
    }

    // What the scan fills in.
    /// The number, or the bits of the range.
    var idBits: UInt64 = 0
    var versionRange = PackedRange()
    var methodRange = PackedRange()
    var paramsRange = PackedRange()
    var resultRange = PackedRange()
    var errorRange = PackedRange()
    var valueRange = PackedRange()
    var idForm = Form.absent
    var versionForm = Form.absent
    var methodForm = Form.absent
    /// The members that were found, one bit each.
    private var found: UInt8 = 0

    /// False when this is a member of an array, or a whole message, that is no JSON object. Only ``range`` says
    /// something then.
    package internal(set) var isObject = true
    /// True when the object has members other than the six above.
    package internal(set) var hasExtraMembers = false
    /// True when one of the six members comes more than once; the last one counts.
    package private(set) var hasDuplicateMembers = false
    /// True when `id` itself comes more than once, complete or not: such a message belongs to no call for certain.
    package private(set) var hasDuplicateID = false

    package init() {}
}

extension MessageEnvelope {
    @inline(__always)
    package var id: ID {
        switch idForm {
        case .absent: .absent
        case .null: .null
        case .number: .number(Int64(bitPattern: idBits))
        case .string: .string(PackedRange(bits: idBits).range, isEscaped: false)
        case .escapedString: .string(PackedRange(bits: idBits).range, isEscaped: true)
        case .two, .other: .other(PackedRange(bits: idBits).range)
        }
    }

    @inline(__always)
    package var version: Version {
        switch versionForm {
        case .absent: .absent
        case .two: .two
        case .null, .number, .string, .escapedString, .other: .other(versionRange.range)
        }
    }

    @inline(__always)
    package var method: Method {
        switch methodForm {
        case .absent: .absent
        case .string: .string(methodRange.range, isEscaped: false)
        case .escapedString: .string(methodRange.range, isEscaped: true)
        case .null, .number, .two, .other: .other(methodRange.range)
        }
    }

    @inline(__always)
    package var params: Range<Int>? { paramsRange.presentRange }
    @inline(__always)
    package var result: Range<Int>? { resultRange.presentRange }
    @inline(__always)
    package var error: Range<Int>? { errorRange.presentRange }
    /// The whole value's range.
    @inline(__always)
    package var range: Range<Int> { valueRange.range }
}

extension MessageEnvelope {
    /// What kind of value a member has.
    enum Form: UInt8 {
        case absent, null, number, two, string, escapedString, other
    }

    /// Notes that one of the six members is there, before its value is read.
    @inline(__always)
    mutating func note(_ name: MemberName) {
        let bit = 1 &<< name.rawValue
        if found & bit != 0 {
            hasDuplicateMembers = true
            if name == .id { hasDuplicateID = true }
        }
        found |= bit
    }
}

/// A range of offsets below 4 GiB. The value of a member never ends at 0: that means that there is none.
struct PackedRange: Sendable, Equatable {
    private var lower: UInt32 = 0
    private var upper: UInt32 = 0

    init() {}

    /// The bounds must be in order, and below 4 GiB.
    @inline(__always)
    init(_ lower: Int, _ upper: Int) {
        self.lower = UInt32(truncatingIfNeeded: lower)
        self.upper = UInt32(truncatingIfNeeded: upper)
    }

    @inline(__always)
    init(bits: UInt64) {
        lower = UInt32(truncatingIfNeeded: bits)
        upper = UInt32(truncatingIfNeeded: bits &>> 32)
    }

    @inline(__always)
    var bits: UInt64 { UInt64(lower) | UInt64(upper) &<< 32 }

    @inline(__always)
    var range: Range<Int> { Range(uncheckedBounds: (Int(lower), Int(upper))) }

    @inline(__always)
    var presentRange: Range<Int>? { upper == 0 ? nil : range }
}
