// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Where one JSON-RPC message's top-level members lie in its bytes, found in one pass and without allocation.
///
/// The scan records what is there and judges nothing: whether a missing `jsonrpc` or a fractional id is acceptable is
/// for the session to say. All ranges are offsets into the scanned buffer. A member is known by its name's characters,
/// also when they are written as escapes.
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

    /// False when this is a member of an array, or a whole message, that is no JSON object. Only ``range`` says
    /// something then.
    package var isObject = true
    package var version = Version.absent
    package var id = ID.absent
    package var method = Method.absent
    package var params: Range<Int>?
    package var result: Range<Int>?
    package var error: Range<Int>?
    /// True when the object has members other than the six above.
    package var hasExtraMembers = false
    /// True when one of the six members comes more than once; the last one counts.
    package var hasDuplicateMembers = false
    /// True when `id` itself comes more than once, complete or not: such a message belongs to no call for certain.
    package var hasDuplicateID = false
    /// The whole value's range.
    package var range: Range<Int> = 0..<0

    package init() {}
}
