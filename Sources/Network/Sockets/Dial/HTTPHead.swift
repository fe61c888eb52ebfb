// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// The head of an HTTP/1.1 message (RFC 9112): its first line and its fields.
package struct HTTPHead: Sendable {
    package var startLine: String
    /// The fields in order. In a head that was read, names are in lower case, and values are trimmed.
    package var fields: [(name: String, value: String)]

    package init(startLine: String, fields: [(name: String, value: String)]) {
        self.startLine = startLine
        self.fields = fields
    }

    package func values(of name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// Returns the elements of a list field (RFC 9110 §5.6.1), from all its lines.
    package func list(_ name: String) -> [String] {
        values(of: name).flatMap { FieldText.elements(of: $0) }
    }

    /// Returns whether a list contains a token, ignoring case.
    package func list(_ name: String, has token: String) -> Bool {
        list(name).contains { $0.lowercased() == token }
    }

    /// The bytes of the head, with the empty line at its end. The caller has excluded line breaks in the content.
    package var bytes: [UInt8] {
        var text = startLine + "\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8)
    }
}

extension HTTPHead {
    /// Parses the lines of a head, without the empty line at its end.
    init(lines: [ArraySlice<UInt8>]) throws(SocketFault) {
        guard let first = lines.first else { throw SocketFault("it has no first line") }
        startLine = String(decoding: first, as: UTF8.self)
        fields = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw SocketFault("a header field has no colon")
            }
            // A continuation line begins with white space, so it is refused here (RFC 9112 §5.2).
            let name = String(decoding: line[..<colon], as: UTF8.self)
            guard FieldText.isToken(name) else { throw SocketFault("a header field's name is not a token") }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            fields.append((name.lowercased(), String(FieldText.trimming(value[...]))))
        }
    }
}

/// The status line of an HTTP/1 response (RFC 9112 §4).
package struct HTTPStatusLine: Sendable, Hashable {
    /// The digit after `HTTP/1.`.
    package var minorVersion: Int
    /// The status, from 100 to 599.
    package var status: Int
    /// The raw reason phrase from the peer. It must be escaped before it is used in a message.
    var phrase: [UInt8]

    /// Parses a status line without its line break. Returns `nil` if the line is not a status line.
    package init?(_ line: [UInt8]) {
        let version = Array("HTTP/1.".utf8)
        let digits = line.dropFirst(version.count + 2).prefix(3)
        let rest = line.dropFirst(version.count + 5)
        guard line.starts(with: version), line.count >= version.count + 5,
            FieldText.isDigit(line[version.count]), line[version.count + 1] == UInt8(ascii: " "),
            digits.allSatisfy(FieldText.isDigit), rest.first ?? UInt8(ascii: " ") == UInt8(ascii: " ")
        else { return nil }
        minorVersion = Int(line[version.count] - UInt8(ascii: "0"))
        status = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard (100...599).contains(status) else { return nil }
        phrase = Array(rest.dropFirst())
    }

    /// Whether another response follows (RFC 9110 §15.2). 101 is the last one: it changes the protocol.
    package var isInterim: Bool { (100...199).contains(status) && status != 101 }
}

/// A reader that assembles the head of an HTTP message from received bytes. It throws at the first byte that cannot be
/// a part of a head.
package struct HTTPHeadReader {
    /// The bytes with which the message must begin.
    private let start: [UInt8]
    private var lineStart = 0
    private var bytes: [UInt8] = []
    private var lines: [Range<Int>] = []

    /// The maximum length of a head, in bytes.
    static let maximumBytes = 16_384

    package init(start: [UInt8] = []) { self.start = start }

    /// Takes received bytes. Returns the head when it is complete, with the number of bytes that belong to it. Throws
    /// `SocketFault` if they are not the head of an HTTP message, or if the head is too long.
    @unsafe package mutating func take(_ input: UnsafeRawBufferPointer) throws(SocketFault) -> (
        head: HTTPHead, consumed: Int
    )? {
        for index in 0..<input.count {
            let byte = unsafe input[index]
            if bytes.count < start.count, byte != start[bytes.count] {
                throw SocketFault("it does not begin with \"\(String(decoding: start, as: UTF8.self))\"")
            }
            guard bytes.count < Self.maximumBytes else {
                throw SocketFault("its head is longer than \(Self.maximumBytes) bytes")
            }
            bytes.append(byte)
            guard byte == 0x0A else {
                try check(byte)
                continue
            }
            let line = endLine()
            guard line.isEmpty else {
                lines.append(line)
                continue
            }
            let head = try HTTPHead(lines: lines.map { bytes[$0] })
            self = HTTPHeadReader(start: start)
            return (head, index + 1)
        }
        return nil
    }

    /// Ends the current line, and returns its range. A bare LF also ends a line (RFC 9112 §2.2).
    private mutating func endLine() -> Range<Int> {
        var end = bytes.count - 1
        if end > lineStart, bytes[end - 1] == 0x0D { end -= 1 }
        defer { lineStart = bytes.count }
        return lineStart..<end
    }

    private func check(_ byte: UInt8) throws(SocketFault) {
        // A CR without an LF could hide a line (RFC 9112 §2.2).
        if bytes.count > 1, bytes[bytes.count - 2] == 0x0D {
            throw SocketFault("its head contains a bare CR")
        }
        guard FieldText.isValueByte(byte) || byte == 0x0D else {
            throw SocketFault("its head contains a control character")
        }
    }
}
