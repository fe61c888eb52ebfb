// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The status line of an HTTP/1 response (RFC 9112 §4).
struct HTTPStatusLine: Sendable, Hashable {
    /// The digit after `HTTP/1.`.
    var minorVersion: Int
    /// The status, from 100 to 599.
    var status: Int
    /// The raw reason phrase from the peer. It must be escaped before it becomes a part of a message.
    var phrase: [UInt8]

    /// Parses a status line without its line break. Returns `nil` if the line is not a status line.
    init?(_ line: [UInt8]) {
        let version = Array("HTTP/1.".utf8)
        let digits = line.dropFirst(version.count + 2).prefix(3)
        let rest = line.dropFirst(version.count + 5)
        guard line.starts(with: version), line.count >= version.count + 5,
            URLCharacters.isDigit(line[version.count]), line[version.count + 1] == UInt8(ascii: " "),
            digits.allSatisfy(URLCharacters.isDigit), rest.first ?? UInt8(ascii: " ") == UInt8(ascii: " ")
        else { return nil }
        minorVersion = Int(line[version.count] - UInt8(ascii: "0"))
        status = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard (100...599).contains(status) else { return nil }
        phrase = Array(rest.dropFirst())
    }

    /// Whether another response follows (RFC 9110 §15.2). 101 is the last one: it changes the protocol.
    var isInterim: Bool { (100...199).contains(status) && status != 101 }
}
