// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
import HTTPTypes

extension HTTPRequest {
    /// Makes the head of a POST to an absolute `http` or `https` URL (RFC 9110 §4.2). A fragment is dropped.
    ///
    /// - Throws: ``JSONRPCHTTPError/invalidURL(_:)`` for any other text, and for a URL with a user name or with
    ///   characters that a URL cannot hold.
    init(postURL url: String, headerFields: HTTPFields = [:]) throws(JSONRPCHTTPError) {
        guard url.utf8.allSatisfy(ASCIISet.url.contains), let colon = url.firstIndex(of: ":") else {
            throw .invalidURL(url)
        }
        let scheme = url[..<colon].lowercased()
        let rest = url[url.index(after: colon)...]
        guard scheme == "http" || scheme == "https", rest.hasPrefix("//") else { throw .invalidURL(url) }
        let target = rest.dropFirst(2).prefix { $0 != "#" }
        let authority = String(target.prefix { $0 != "/" && $0 != "?" })
        guard HTTPAuthority.isValid(authority) else { throw .invalidURL(url) }
        let path = target.dropFirst(authority.count)
        self.init(
            method: .post, scheme: scheme, authority: authority, path: path.hasPrefix("/") ? String(path) : "/" + path,
            headerFields: headerFields)
    }
}
