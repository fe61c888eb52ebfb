// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The ranges of one JSON-RPC message's top-level members in its bytes.
///
/// The scan records the members and judges nothing: ``MessageReader`` decides whether a missing `jsonrpc` or a
/// fractional id is acceptable. All ranges are offsets into the scanned buffer. Names may be written with escapes.
///
/// An offset takes 32 bits and an envelope 64 bytes, because it is copied for each message.
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

    // The scan sets these.
    /// The id as a number, or the bits of its range.
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

    /// False if the message, or the member of an array, is not a JSON object. Only ``range`` has a meaning then.
    package internal(set) var isObject = true
    /// True if the object has members other than the six of JSON-RPC 2.0.
    package internal(set) var hasExtraMembers = false
    /// True if one of the six members is repeated. The last one wins.
    package private(set) var hasDuplicateMembers = false
    /// True if `id` itself is repeated, complete or not. Nobody can know which call such a message belongs to.
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
    /// The kind of a member's value.
    enum Form: UInt8 {
        case absent, null, number, two, string, escapedString, other
    }

    /// Records that one of the six members is there, before its value is read.
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

/// A range of offsets below 4 GiB. The value of a member never ends at 0, so an end of 0 means that there is none.
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
