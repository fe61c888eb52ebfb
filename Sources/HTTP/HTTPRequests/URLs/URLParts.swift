// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// The parts of an absolute URL with a host (RFC 3986 §3), as they are written.
struct URLParts {
    var scheme: String
    var authority: String
    /// Empty, or begins with `/`.
    var path: String
    /// `nil` without a `?`.
    var query: String?

    init(parsing text: String) throws(RequestURLError) {
        let bytes = Array(text.utf8)
        guard let colon = Self.endOfScheme(bytes) else { throw RequestURLError(.notAbsolute, text) }
        let scan = Scan(bytes, from: colon + 3)
        // This comes first, so that no other error shows a password.
        if scan.hasUserInformation { throw RequestURLError(.userInformation, text) }
        if scan.hasFragment { throw RequestURLError(.fragment, text) }
        guard scan.authorityEnd > scan.start, bytes[scan.start] != UInt8(ascii: ":") else {
            throw RequestURLError(.notAbsolute, text)
        }
        if scan.hasIllegalCharacter { throw RequestURLError(.illegalCharacter, text) }
        if scan.hasMalformedEscape { throw RequestURLError(.malformedEscape, text) }
        scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        authority = String(decoding: bytes[scan.start..<scan.authorityEnd], as: UTF8.self)
        guard HTTPAuthority.isValid(authority) else { throw RequestURLError(.malformedHost, text) }
        path = String(decoding: bytes[scan.authorityEnd..<scan.pathEnd], as: UTF8.self)
        query =
            scan.pathEnd == bytes.count ? nil : String(decoding: bytes[(scan.pathEnd + 1)...], as: UTF8.self)
    }

    /// Returns the position of the colon before `//`; `nil` if the bytes do not begin with a scheme.
    private static func endOfScheme(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first, FieldText.isLetter(first) else { return nil }
        let (scheme, slash) = (ASCIISet.scheme, UInt8(ascii: "/"))
        var index = 1
        while index < bytes.count, scheme.contains(bytes[index]) { index += 1 }
        guard index + 2 < bytes.count, bytes[index] == UInt8(ascii: ":"), bytes[index + 1] == slash,
            bytes[index + 2] == slash
        else { return nil }
        return index
    }

    /// The positions and the faults behind the `//`. The loop uses indices, because slices are retained and released.
    private struct Scan {
        let start: Int
        var authorityEnd: Int
        var pathEnd: Int
        var hasUserInformation = false
        var hasFragment = false
        var hasIllegalCharacter = false
        var hasMalformedEscape = false

        init(_ bytes: [UInt8], from start: Int) {
            self.start = start
            (authorityEnd, pathEnd) = (bytes.count, bytes.count)
            let (ends, allowed) = (ASCIISet.authorityEnd, ASCIISet.url)
            for index in start..<bytes.count {
                let byte = bytes[index]
                if ends.contains(byte) {
                    if authorityEnd == bytes.count { authorityEnd = index }
                    if byte == UInt8(ascii: "?"), pathEnd == bytes.count { pathEnd = index }
                }
                switch byte {
                case UInt8(ascii: "@") where authorityEnd == bytes.count: hasUserInformation = true
                case UInt8(ascii: "#"): hasFragment = true
                case UInt8(ascii: "%"):
                    if PercentEncoding.decodedByte(at: bytes[index...]) == nil { hasMalformedEscape = true }
                default: if !allowed.contains(byte) { hasIllegalCharacter = true }
                }
            }
        }
    }

    /// The path and the query as they are sent (RFC 9112 §3.2.1). An empty path is sent as `/`.
    var target: String {
        if query == nil, !path.isEmpty { return path }
        return (path.isEmpty ? "/" : path) + querySuffix
    }

    var text: String { "\(scheme)://\(authority)\(path)\(querySuffix)" }

    private var querySuffix: String { query.map { "?" + $0 } ?? "" }
}
