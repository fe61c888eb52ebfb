// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A user name and password for HTTP's Basic scheme (RFC 7617), in UTF-8.
package struct BasicCredentials: Sendable, Hashable {
    package var user: String
    package var password: String

    /// Makes credentials. Returns `nil` if the user name contains a colon, or if either contains a control character,
    /// because the scheme cannot encode these.
    package init?(user: String, password: String) {
        let isControl: (UInt8) -> Bool = { $0 < 0x20 || $0 == 0x7F }
        guard !user.utf8.contains(UInt8(ascii: ":")), !user.utf8.contains(where: isControl),
            !password.utf8.contains(where: isControl)
        else { return nil }
        self.user = user
        self.password = password
    }

    /// The value of the `Authorization` or `Proxy-Authorization` field.
    package var fieldValue: String { "Basic " + Base64.encoded(Array("\(user):\(password)".utf8)) }
}

extension BasicCredentials: CustomStringConvertible {
    /// The user name without the password.
    package var description: String { "\(user):…" }
}
