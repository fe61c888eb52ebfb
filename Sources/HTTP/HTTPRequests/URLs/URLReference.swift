// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
package import HTTPTypes

/// A URI reference (RFC 3986 §4.1), as it is written.
package struct URLReference {
    private var scheme: String?
    private var authority: String?
    private var path = ""
    private var query: String?

    /// Parses a reference. Its fragment is dropped, and bytes that URLs must not hold are percent-encoded.
    package init(_ text: String) {
        let text = String(FieldText.trimming(text[...]))
        var rest = PercentEncoding.encoded(text, keeping: .url)[...]
        if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let colon = rest.firstIndex(of: ":"), URLSyntax.isScheme(rest[..<colon]) {
            scheme = rest[..<colon].lowercased()
            rest = rest[rest.index(after: colon)...]
        }
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
        }
        path = String(rest)
    }

    /// Whether the reference names a scheme or a host, so that it can lead to another origin.
    package var namesOrigin: Bool { scheme != nil || authority != nil }

    /// The head of a request for this reference, relative to the URL of another request (RFC 3986 §5.2.2).
    ///
    /// - Returns: The other head with scheme, authority and path changed; `nil` if the result is not a URL with a host,
    ///   or if the host is misleading.
    package func resolved(against base: HTTPRequest) -> HTTPRequest? {
        let (basePath, baseQuery) = Self.split(base.path ?? "/")
        guard let newScheme = scheme ?? base.scheme?.lowercased(), let newAuthority = authority ?? base.authority,
            scheme == nil || authority != nil
        else { return nil }
        // User information in a redirect is refused: it would become a credential of the client. Programs compare hosts
        // as they are written, so a host with escapes is refused. So is a host other than that of the base whose name
        // the resolver would read as an address.
        let host =
            newAuthority.lastIndex(of: "@").map { String(newAuthority[newAuthority.index(after: $0)...]) }
            ?? newAuthority
        let isOther = base.authority.map { $0 != host } ?? false
        guard let parts = HTTPAuthority(host), !parts.host.utf8.contains(UInt8(ascii: "%")),
            !isOther || URLSyntax.nameFault(in: parts.host) == nil
        else { return nil }
        var target: String
        var newQuery = query
        if authority != nil {
            target = path
        } else if path.isEmpty {
            target = basePath
            newQuery = query ?? baseQuery
        } else if path.hasPrefix("/") {
            target = path
        } else {
            target = String(basePath[...(basePath.lastIndex(of: "/") ?? basePath.startIndex)]) + path
        }
        target = Self.withoutDotSegments(target)
        if !target.hasPrefix("/") { target = "/" + target }
        var request = base
        request.scheme = newScheme
        request.authority = host
        request.path = target + (newQuery.map { "?" + $0 } ?? "")
        return request
    }

    private static func split(_ target: String) -> (path: String, query: String?) {
        let path = target.hasPrefix("/") ? target : "/" + target
        guard let mark = path.firstIndex(of: "?") else { return (path, nil) }
        return (String(path[..<mark]), String(path[path.index(after: mark)...]))
    }

    /// Removes `.` and `..` (RFC 3986 §5.2.4).
    private static func withoutDotSegments(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                if kept.count > 1 { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return kept.joined(separator: "/")
    }
}

/// The origin of a URL (RFC 6454 §4).
package struct URLOrigin: Hashable {
    private let scheme: String
    private let host: String
    private let port: UInt16?

    package init(_ request: HTTPRequest) {
        scheme = (request.scheme ?? "").lowercased()
        let text = (request.authority ?? "").lowercased()
        let authority = HTTPAuthority(text)
        host = authority.map { String($0.host) } ?? text
        port = authority?.port ?? ["http": 80, "https": 443][scheme]
    }
}
