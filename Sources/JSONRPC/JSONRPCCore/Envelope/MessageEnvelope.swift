// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The ranges of one JSON-RPC message's top-level members in its bytes.
///
/// The scan records the members and judges nothing: ``MessageReader`` decides whether a missing `jsonrpc` or a
/// fractional id is acceptable. All ranges are offsets into the scanned buffer. Names may be written with escapes.
///
/// An offset takes 32 bits and an envelope 56 bytes, because it is copied for each message.
@usableFromInline package struct MessageEnvelope: Sendable, Equatable {
    package enum ID: Sendable, Equatable {
        /// There is no `id` member.
        case absent
        /// `"id": null`.
        case null
        /// An integer in the range of `Int64`, written without fraction or exponent.
        case number(Int64)
        /// A string: the range is its content, without the quotes.
        case string(Range<Int>, isEscaped: Bool)
        /// Anything else (fraction, exponent, integer out of range, boolean, array, object): the value's range.
        case other(Range<Int>)
    }

    package enum Version: Sendable, Equatable {
        case absent
        /// The string "2.0".
        case two
        case other
    }

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

    /// The irregularities of the object, apart from the forms of its members. A regular message has none.
    var marks: Marks = []

    package init() {}
}

extension MessageEnvelope {
    struct Marks: OptionSet {
        var rawValue: UInt8

        static var notAnObject: Marks { Marks(rawValue: 1) }
        static var extraMembers: Marks { Marks(rawValue: 2) }
        static var duplicateMembers: Marks { Marks(rawValue: 4) }
        static var duplicateID: Marks { Marks(rawValue: 8) }
    }

    /// False if the message, or the member of an array, is not a JSON object. Only ``range`` is meaningful then.
    package var isObject: Bool { !marks.contains(.notAnObject) }
    /// True if the object has members other than the six of JSON-RPC 2.0.
    package var hasExtraMembers: Bool { marks.contains(.extraMembers) }
    /// True if one of the six members is repeated. The last one wins.
    package var hasDuplicateMembers: Bool { marks.contains(.duplicateMembers) }
    /// True if `id` itself is repeated, complete or not. Such a message cannot be assigned to a call.
    package var hasDuplicateID: Bool { marks.contains(.duplicateID) }
    /// True if a response with this id can belong to a call of this side.
    package var hasUsableID: Bool {
        switch idForm {
        case .number, .string, .escapedString: !hasDuplicateID
        case .absent, .null, .two, .other: false
        }
    }
}

/// A message in the regular form of JSON-RPC 2.0 §4 and §5. A text message in this form is handled without the
/// reader, which would find no irregularity.
package enum RegularMessage: Sendable, Equatable {
    /// A response with a result. Its id is a number.
    case response(id: Int64, result: Range<Int>)
    /// A request. Its id is a number, its method is written without escapes, and its params are an array or an object.
    case request(id: Int64, method: Range<Int>, params: Range<Int>?)
    /// A notification. Its method and params are as in a request.
    case notification(method: Range<Int>, params: Range<Int>?)
}

extension MessageEnvelope {
    /// Returns the message if it is regular. Each irregularity must be a mark, or a condition here.
    @inline(__always)
    package func regular(in bytes: UnsafeRawBufferPointer) -> RegularMessage? {
        guard marks.isEmpty, versionForm == .two else { return nil }
        if found == Self.responseMembers {
            return idForm == .number ? .response(id: Int64(bitPattern: idBits), result: resultRange.range) : nil
        }
        return regularCall(in: bytes)
    }

    private func regularCall(in bytes: UnsafeRawBufferPointer) -> RegularMessage? {
        guard methodForm == .string else { return nil }
        let params = params
        if let params {
            guard let first = bytes[params].first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else {
                return nil
            }
        }
        switch found & ~Self.bit(.params) {
        case Self.bit(.jsonrpc) | Self.bit(.method): return .notification(method: methodRange.range, params: params)
        case Self.bit(.jsonrpc) | Self.bit(.method) | Self.bit(.id):
            guard idForm == .number else { return nil }
            return .request(id: Int64(bitPattern: idBits), method: methodRange.range, params: params)
        default: return nil
        }
    }

    private static var responseMembers: UInt8 { bit(.jsonrpc) | bit(.id) | bit(.result) }

    @inline(__always)
    private static func bit(_ name: MemberName) -> UInt8 { 1 &<< name.rawValue }

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
        case .null, .number, .string, .escapedString, .other: .other
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
    @inline(__always)
    package var range: Range<Int> { valueRange.range }

    /// The kind of a member's value.
    enum Form: UInt8 {
        case absent, null, number, two, string, escapedString, other
    }

    /// Records that one of the six members is there, before its value is read.
    @inline(__always)
    mutating func note(_ name: MemberName) {
        let bit = Self.bit(name)
        if found & bit != 0 {
            marks.insert(.duplicateMembers)
            if name == .id { marks.insert(.duplicateID) }
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
