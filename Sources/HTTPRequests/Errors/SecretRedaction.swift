// swift-jsonrpc · SPDX-License-Identifier: MIT

package import HTTPTypes

/// Replaces secrets in texts for people.
package struct SecretRedaction: Sendable {
    /// The query items whose values are secret, in lower case.
    package var queryNames: Set<String>
    /// The header fields whose values are secret.
    package var fieldNames: Set<HTTPField.Name>

    package static let mark = "<redacted>"

    package static let standard = SecretRedaction(
        queryNames: [
            "access_token", "api-key", "api_key", "apikey", "appid", "auth", "client_secret", "code", "id_token", "jwt",
            "key", "passwd", "password", "refresh_token", "secret", "session", "sig", "signature", "sign", "token",
            "x-amz-credential", "x-amz-security-token", "x-amz-signature",
        ],
        fieldNames: [.authorization, .proxyAuthorization, .cookie, .setCookie])

    /// Returns the URL of a request, without the values of secret query items.
    package func url(of request: HTTPRequest) -> String {
        let (path, query) = Self.split(request.path ?? "")
        var text = "\(request.scheme ?? "")://\(request.authority.map(Self.withoutUserInformation) ?? "")\(path)"
        if let query { text += "?" + redacted(query) }
        return text
    }

    /// Returns the value of a field, or the mark in place of a secret.
    package func value(of field: HTTPField) -> String { fieldNames.contains(field.name) ? Self.mark : field.value }

    private func redacted(_ query: Substring) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: "=") else { return String(item) }
            let name = item[..<equals]
            return isSecret(name) ? "\(name)=\(Self.mark)" : String(item)
        }.joined(separator: "&")
    }

    private func isSecret(_ name: Substring) -> Bool {
        var bytes: [UInt8] = []
        var rest = name.utf8
        while let byte = rest.first {
            if let decoded = PercentEncoding.decodedByte(at: rest) {
                bytes.append(decoded)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return queryNames.contains(String(decoding: bytes, as: UTF8.self).lowercased())
    }

    private static func split(_ target: String) -> (path: Substring, query: Substring?) {
        guard let mark = target.firstIndex(of: "?") else { return (target[...], nil) }
        return (target[..<mark], target[target.index(after: mark)...])
    }

    private static func withoutUserInformation(_ authority: String) -> Substring {
        authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority[...]
    }
}
