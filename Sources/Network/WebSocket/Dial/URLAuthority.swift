// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The part of a URL that names a host: `user:password@host:port` (RFC 3986 §3.2).
struct URLAuthority {
    struct Fault: Error {
        /// Half a sentence, which completes "Could not use the URL: …".
        var reason: String
    }

    var credentials: BasicCredentials?
    var host: URLHost
    var port: UInt16?

    init(_ text: Substring) throws(Fault) {
        var hostAndPort = text
        if let at = text.firstIndex(of: "@") {
            guard text.lastIndex(of: "@") == at else {
                throw Fault(reason: "it contains a second '@' before its host; in a password, write it as %40")
            }
            credentials = try Self.credentials(in: text[..<at])
            hostAndPort = text[text.index(after: at)...]
        }
        let bracket = hostAndPort.lastIndex(of: "]") ?? hostAndPort.startIndex
        guard let colon = hostAndPort[bracket...].firstIndex(of: ":") else {
            host = try URLHost(hostAndPort)
            return
        }
        host = try URLHost(hostAndPort[..<colon])
        port = try Self.port(in: hostAndPort[hostAndPort.index(after: colon)...])
    }

    private static func port(in digits: Substring) throws(Fault) -> UInt16? {
        if digits.isEmpty { return nil }
        guard digits.utf8.allSatisfy(URLCharacters.isDigit), let port = UInt16(digits), port > 0 else {
            throw Fault(reason: "its port is not a number from 1 to 65535")
        }
        return port
    }

    private static func credentials(in text: Substring) throws(Fault) -> BasicCredentials? {
        if text.isEmpty { return nil }
        if let fault = URLCharacters.fault(in: text, as: .userInformation) { throw Fault(reason: fault) }
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        guard let user = String(percentEncoded: text[..<colon]),
            let password = String(percentEncoded: text[colon...].dropFirst())
        else { throw Fault(reason: "its user name or password is not percent-encoded UTF-8") }
        guard let credentials = BasicCredentials(user: user, password: password) else {
            throw Fault(
                reason: "its user name contains a colon, or its user name or password contains a control character")
        }
        return credentials
    }
}

extension String {
    /// Decodes percent-encoded UTF-8 (RFC 3986 §2.1). Returns `nil` if a percent sign is not followed by two
    /// hexadecimal digits, or if the bytes are not UTF-8.
    init?(percentEncoded text: Substring) {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(URLCharacters.hexValue),
                let low = rest.popFirst().flatMap(URLCharacters.hexValue)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        self.init(validating: bytes, as: UTF8.self)
    }
}
