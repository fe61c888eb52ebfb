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
    public var fieldValue: String { "Basic " + Self.base64(Array("\(user):\(password)".utf8)) }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let isPadding = place > group.count
                text.append(isPadding ? UInt8(ascii: "=") : alphabet[Int(bits >> UInt32(18 - 6 * place)) & 63])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension BasicCredentials: CustomStringConvertible {
    /// The user name alone.
    public var description: String { "\(user):…" }
}
