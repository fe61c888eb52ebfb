// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The rule for member names (JSON:API 1.1, "Member Names"), the same as `MemberName.isLegal` in `JSONAPI`. Names that
/// begin with `@` are refused, because the specification ignores such members.
package enum MemberNameRule {
    /// Returns whether a field or a type may have the name.
    package static func allows(_ name: String) -> Bool {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return isLegal(name[...]) }
        return !parts[0].isEmpty && parts[0].utf8.allSatisfy(isAlphanumeric) && isLegal(parts[1])
    }

    private static func isLegal(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last else { return false }
        let isInner = { (byte: UInt8) in isOuter(byte) || byte == 0x20 || byte == 0x2D || byte == 0x5F }
        return isOuter(first) && isOuter(last) && text.utf8.allSatisfy(isInner)
    }

    private static func isOuter(_ byte: UInt8) -> Bool { byte >= 0x80 || isAlphanumeric(byte) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case _: false
        }
    }
}
