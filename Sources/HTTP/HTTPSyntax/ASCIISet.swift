// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A set of ASCII bytes with lookup in constant time.
@usableFromInline package struct ASCIISet: Sendable {
    @usableFromInline var low: UInt64 = 0
    @usableFromInline var high: UInt64 = 0

    init(_ text: String) {
        for byte in text.utf8 where byte < 0x80 {
            if byte < 0x40 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 0x40) }
        }
    }

    @inlinable @inline(__always)
    package func contains(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        return (byte < 0x40 ? low >> UInt64(byte) : high >> UInt64(byte - 0x40)) & 1 == 1
    }

    private static let digits = "0123456789"
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    /// The characters that mean the same percent-encoded or not (RFC 3986 §2.3).
    package static let unreserved = ASCIISet(digits + letters + "-._~")
    /// The characters that the path of a Unix domain socket keeps in a URL: unreserved characters and slashes.
    package static let socketPath = ASCIISet(digits + letters + "-._~/")
    /// The characters of a user name with a password (RFC 3986 §3.2.1), apart from `%`.
    package static let userInformation = ASCIISet(digits + letters + "-._~!$&'()*+,;=:")
    /// The characters of a registered name (RFC 3986 §3.2.2), apart from `%`.
    static let name = ASCIISet(digits + letters + "-._~!$&'()*+,;=")
    /// The characters of a path (RFC 3986 §3.3), apart from `%`.
    package static let path = ASCIISet(digits + letters + "-._~!$&'()*+,;=:@/")
    /// The characters of a path and its query (RFC 3986 §3.3, §3.4), apart from `%`.
    package static let target = ASCIISet(digits + letters + "-._~!$&'()*+,;=:@/?")
    /// The characters of a scheme (RFC 3986 §3.1).
    package static let scheme = ASCIISet(digits + letters + "+-.")
    /// The characters that end an authority.
    package static let authorityEnd = ASCIISet("/?#")
    /// The characters of URLs (RFC 3986 §2), and `%`.
    package static let url = ASCIISet(digits + letters + "-._~!$&'()*+,;=:@/?#[]%")
    /// The characters of a query that are not delimiters: `HTTPQueryEncoding.Characters.rfc3986`.
    package static let query = ASCIISet(digits + letters + "-._~/?")
    /// The characters that the URL Standard's serializer of forms does not encode.
    package static let form = ASCIISet(digits + letters + "*-._")
}
