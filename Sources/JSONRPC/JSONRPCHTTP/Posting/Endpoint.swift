// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes

/// The target of the POSTs.
struct Endpoint: Sendable, Hashable {
    var scheme: String
    var authority: String
    var path: String

    /// Parses an absolute `http` or `https` URL (RFC 9110 §4.2). A fragment is dropped.
    ///
    /// - Throws: ``JSONRPCHTTPError/invalidURL(_:)`` for any other text, and for a URL with a user name or with
    ///   characters that a URL cannot hold.
    init(_ url: String) throws(JSONRPCHTTPError) {
        let isPlain = url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !Self.excluded.contains($0) }
        guard isPlain, let colon = url.firstIndex(of: ":") else { throw .invalidURL(url) }
        scheme = url[..<colon].lowercased()
        let rest = url[url.index(after: colon)...]
        guard scheme == "http" || scheme == "https", rest.hasPrefix("//") else { throw .invalidURL(url) }
        let target = rest.dropFirst(2).prefix { $0 != "#" }
        authority = String(target.prefix { $0 != "/" && $0 != "?" })
        guard HTTPAuthority(authority) != nil else { throw .invalidURL(url) }
        path = String(target.dropFirst(authority.count))
        if !path.hasPrefix("/") { path = "/" + path }
    }

    /// `"`, `<`, `>`, `\`, `^`, a grave accent, `{`, `|` and `}`. URLs hold them percent-encoded only (RFC 3986 §2).
    private static let excluded = Set(#""<>\^`{|}"#.utf8)

    /// Returns the head of a POST.
    func head(_ fields: HTTPFields) -> HTTPRequest {
        HTTPRequest(method: .post, scheme: scheme, authority: authority, path: path, headerFields: fields)
    }
}
