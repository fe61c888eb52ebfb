// swift-jsonrpc · SPDX-License-Identifier: MIT

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
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, FieldText.isLetter(bytes[0]),
            bytes[..<colon].allSatisfy(ASCIISet.scheme.contains),
            bytes[(colon + 1)...].starts(with: "//".utf8)
        else { throw RequestURLError(.notAbsolute, text) }
        let rest = bytes[(colon + 3)...]
        let authorityEnd = rest.firstIndex(where: ASCIISet.authorityEnd.contains) ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        // First of all: no other error may show a password.
        if authority.contains(UInt8(ascii: "@")) { throw RequestURLError(.userInformation, text) }
        if rest.contains(UInt8(ascii: "#")) { throw RequestURLError(.fragment, text) }
        guard let first = authority.first, first != UInt8(ascii: ":") else { throw RequestURLError(.notAbsolute, text) }
        let notInURLs = ASCIISet.notInURLs
        guard rest.allSatisfy({ 0x21...0x7E ~= $0 && !notInURLs.contains($0) }) else {
            throw RequestURLError(.illegalCharacter, text)
        }
        for index in rest.indices where rest[index] == UInt8(ascii: "%") {
            guard PercentEncoding.decodedByte(at: rest[index...]) != nil else {
                throw RequestURLError(.malformedEscape, text)
            }
        }
        let pathAndQuery = rest[authorityEnd...]
        let pathEnd = pathAndQuery.firstIndex(of: UInt8(ascii: "?")) ?? pathAndQuery.endIndex
        scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        self.authority = String(decoding: authority, as: UTF8.self)
        path = String(decoding: pathAndQuery[..<pathEnd], as: UTF8.self)
        query =
            pathEnd == pathAndQuery.endIndex ? nil : String(decoding: pathAndQuery[(pathEnd + 1)...], as: UTF8.self)
    }

    /// The path and the query as they are sent (RFC 9112 §3.2.1). An empty path is sent as `/`.
    var target: String { (path.isEmpty ? "/" : path) + querySuffix }

    /// The URL as text.
    var text: String { "\(scheme)://\(authority)\(path)\(querySuffix)" }

    private var querySuffix: String { query.map { "?" + $0 } ?? "" }
}
