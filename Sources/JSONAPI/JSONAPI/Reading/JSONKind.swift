// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A kind of JSON value.
public enum JSONKind: String, Sendable, Hashable {
    /// The value `null`.
    case null = "null"
    /// `true` or `false`.
    case boolean = "a boolean"
    /// A number.
    case number = "a number"
    /// A string.
    case string = "a string"
    /// An array.
    case array = "an array"
    /// An object.
    case object = "an object"
}

extension RawJSON {
    /// The kind of the value, which its first byte tells.
    var kind: JSONKind {
        switch bytes.first {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }
}
