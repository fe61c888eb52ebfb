// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The status line of a proxy's answer (RFC 9112 §4).
struct ProxyAnswer: Sendable, Hashable {
    var status: Int
    /// The raw reason phrase from the proxy. It must be escaped before it becomes a part of a message.
    var phrase: [UInt8]

    /// Parses a status line without its line break. Returns `nil` if the line is not a status line.
    init?(statusLine line: [UInt8]) {
        let version = Array("HTTP/1.".utf8)
        let digits = line.dropFirst(version.count + 2).prefix(3)
        let rest = line.dropFirst(version.count + 5)
        guard line.starts(with: version), line.count >= version.count + 5,
            URLCharacters.isDigit(line[version.count]), line[version.count + 1] == UInt8(ascii: " "),
            digits.allSatisfy(URLCharacters.isDigit), rest.first ?? UInt8(ascii: " ") == UInt8(ascii: " ")
        else { return nil }
        status = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard (100...599).contains(status) else { return nil }
        phrase = Array(rest.dropFirst())
    }

    /// Whether another answer follows (RFC 9110 §15.2). 101 is not an interim answer here: it changes the protocol,
    /// which the request did not ask for.
    var isInterim: Bool { (100...199).contains(status) && status != 101 }
}

/// A reader of the heads of a proxy's answers to CONNECT. It throws at the first byte that cannot be a part of a head.
struct ProxyAnswerReader {
    /// The maximum length of the answer, together with the interim answers before it.
    static let maximumBytes = 16 * 1024

    private var head: [UInt8] = []
    private var answer: ProxyAnswer?
    /// The beginning of the current line.
    private var lineStart = 0
    private var byteCount = 0

    /// Whether nothing was read yet.
    var isEmpty: Bool { byteCount == 0 }

    /// Reads bytes, up to and including the empty line that ends the last answer's head. Interim answers are skipped.
    ///
    /// - Returns: The number of bytes that were read, and the answer when its head is complete.
    /// - Throws: ``WebSocketError`` with the code `proxyFailed` if the bytes are not HTTP, or if the head is too long.
    mutating func read(_ bytes: ArraySlice<UInt8>) throws(WebSocketError) -> (count: Int, answer: ProxyAnswer?) {
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byteCount < Self.maximumBytes else {
                throw WebSocketError(
                    .proxyFailed, "The proxy's answer is longer than \(Self.maximumBytes) bytes.")
            }
            byteCount += 1
            head.append(byte)
            guard byte != 0, head.count > Self.start.count || Self.start.starts(with: head) else {
                throw notHTTP(followedBy: rest)
            }
            guard byte == UInt8(ascii: "\n") else { continue }
            let line = currentLine
            lineStart = head.count
            guard let answer else {
                answer = ProxyAnswer(statusLine: line)
                if answer == nil { throw notHTTP(followedBy: []) }
                continue
            }
            guard line.isEmpty else { continue }
            if !answer.isInterim { return (bytes.count - rest.count, answer) }
            (head, self.answer, lineStart) = ([], nil, 0)
        }
        return (bytes.count, nil)
    }

    private static let start = Array("HTTP/1.".utf8)

    /// The line that has just ended, without its line break. A bare LF also ends a line (RFC 9112 §2.2).
    private var currentLine: [UInt8] {
        let line = head[lineStart...].dropLast()
        return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }

    private func notHTTP(followedBy rest: ArraySlice<UInt8>) -> WebSocketError {
        let line = (head + rest.prefix(64)).prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        let reason =
            head.contains(0) && head.starts(with: Self.start)
            ? "it contains a zero byte" : "it starts with \"\(String.printable(line, limit: 64))\""
        return WebSocketError(
            .proxyFailed, "The proxy's answer is not HTTP: \(reason). Check the proxy's port.")
    }
}
