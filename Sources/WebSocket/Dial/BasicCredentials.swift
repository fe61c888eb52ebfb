// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A user name and password for HTTP's Basic scheme (RFC 7617), in UTF-8.
public struct BasicCredentials: Sendable, Hashable {
    public var user: String
    public var password: String

    /// Nil when the user name has a colon, or either has a control character: the scheme cannot carry these.
    public init?(user: String, password: String) {
        let isControl: (UInt8) -> Bool = { $0 < 0x20 || $0 == 0x7F }
        guard !user.utf8.contains(UInt8(ascii: ":")), !user.utf8.contains(where: isControl),
            !password.utf8.contains(where: isControl)
        else { return nil }
        self.user = user
        self.password = password
    }

    /// The value of the Authorization or Proxy-Authorization field.
    public var fieldValue: String { "Basic " + Base64.encoded(Array("\(user):\(password)".utf8)) }
}

extension BasicCredentials: CustomStringConvertible {
    /// The user name alone.
    public var description: String { "\(user):…" }
}
