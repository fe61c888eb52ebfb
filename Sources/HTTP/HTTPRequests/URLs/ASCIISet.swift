// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A set of ASCII bytes. It finds a byte without looking at the others.
struct ASCIISet {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// Makes a set of the ASCII characters of a text.
    init(_ text: String) {
        for byte in text.utf8 where byte < 0x80 {
            if byte < 0x40 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 0x40) }
        }
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        return (byte < 0x40 ? low >> UInt64(byte) : high >> UInt64(byte - 0x40)) & 1 == 1
    }

    private static let digits = "0123456789"
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    /// The characters that mean the same percent-encoded or not (RFC 3986 §2.3).
    static let unreserved = ASCIISet(digits + letters + "-._~")
    /// The characters of a registered name (RFC 3986 §3.2.2), apart from `%`.
    static let name = ASCIISet(digits + letters + "-._~!$&'()*+,;=")
    /// The characters of a path (RFC 3986 §3.3), apart from `%`.
    static let path = ASCIISet(digits + letters + "-._~!$&'()*+,;=:@/")
    /// The characters of a path and its query (RFC 3986 §3.3, §3.4), apart from `%`.
    static let target = ASCIISet(digits + letters + "-._~!$&'()*+,;=:@/?")
    /// The characters of a scheme (RFC 3986 §3.1).
    static let scheme = ASCIISet(digits + letters + "+-.")
    /// The characters that end an authority.
    static let authorityEnd = ASCIISet("/?#")
    /// The printable characters that no URL holds.
    static let notInURLs = ASCIISet(#""<>\^`{|}"#)
}
