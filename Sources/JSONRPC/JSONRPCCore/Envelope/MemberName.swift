// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

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

    /// The longest name with its quotes and colon.
    static var longestLength: Int { 10 }

    /// Returns the name at a pointer, if its closing quote and colon follow at once, and the number of bytes it takes
    /// with these and the opening quote. It is `nil` for a name other than the six.
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
