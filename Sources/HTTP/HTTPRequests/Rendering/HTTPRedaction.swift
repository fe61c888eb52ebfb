// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// The secrets that descriptions of requests and responses leave out.
public struct HTTPRedaction: Sendable, Hashable {
    /// The header fields whose values are left out.
    public var fieldNames: Set<HTTPField.Name>
    /// The names in a query whose values are left out, in lower case.
    public var queryNames: Set<String>

    /// Makes a redaction of these header fields and query names.
    public init(fieldNames: Set<HTTPField.Name>, queryNames: Set<String>) {
        self.fieldNames = fieldNames
        self.queryNames = Set(queryNames.map { $0.lowercased() })
    }

    /// The default: `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`, `Api-Key`, `X-API-Key`,
    /// `X-Goog-Api-Key`, `X-Access-Token`, `X-Auth-Token`, `X-Amz-Security-Token` and `Private-Token`, and the usual
    /// names of tokens, keys, passwords and signatures in queries.
    ///
    /// A ``RedirectInterceptor`` removes the same fields if the origin changes.
    public static let standard = Self(
        fieldNames: Set(
            [.authorization, .proxyAuthorization, .cookie, .setCookie]
                + [
                    "Api-Key", "X-API-Key", "X-Goog-Api-Key", "X-Access-Token", "X-Auth-Token", "X-Amz-Security-Token",
                    "Private-Token",
                ].compactMap { HTTPField.Name($0) }),
        queryNames: [
            "access_token", "api-key", "api_key", "apikey", "appid", "auth", "client_secret", "code", "id_token", "jwt",
            "key", "passwd", "password", "refresh_token", "secret", "session", "sig", "sign", "signature", "token",
            "x-amz-credential", "x-amz-security-token", "x-amz-signature",
        ])

    /// Leaves nothing out.
    public static let none = Self(fieldNames: [], queryNames: [])

    /// The text in place of a secret.
    static let mark = "REDACTED"

    package func value(of field: HTTPField) -> String { fieldNames.contains(field.name) ? Self.mark : field.value }

    /// The URL of a request. A user name and a password before the host are left out, except by ``none``.
    package func url(of request: HTTPRequest) -> String {
        var authority = request.authority ?? ""
        if self != .none, let at = authority.lastIndex(of: "@") { authority = Self.mark + authority[at...] }
        let scheme = request.scheme.map { $0 + "://" } ?? ""
        return scheme + authority + target(request.path ?? "")
    }

    private func target(_ target: String) -> String {
        guard let mark = target.firstIndex(of: "?"), !queryNames.isEmpty else { return target }
        let query = target[target.index(after: mark)...]
        let pairs = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard let equals = pair.firstIndex(of: "="),
                let name = FormURLEncoded.items(in: pair[..<equals].utf8).first?.name,
                queryNames.contains(name.lowercased())
            else { return String(pair) }
            return pair[...equals] + Self.mark
        }
        return target[...mark] + pairs.joined(separator: "&")
    }
}
