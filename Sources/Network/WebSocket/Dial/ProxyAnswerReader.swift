// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A reader of the heads of a proxy's answers to CONNECT. It throws at the first byte that cannot be a part of a head.
struct ProxyAnswerReader {
    /// The maximum length of the answer, together with the interim answers before it.
    static let maximumBytes = 16 * 1024

    private var head: [UInt8] = []
    private var answer: HTTPStatusLine?
    /// The beginning of the current line.
    private var lineStart = 0
    private var byteCount = 0

    /// Whether nothing was read yet.
    var isEmpty: Bool { byteCount == 0 }

    /// Reads bytes, up to and including the empty line that ends the last answer's head. Interim answers are skipped.
    ///
    /// - Returns: The number of bytes that were read, and the answer when its head is complete.
    /// - Throws: ``WebSocketError`` with the code `proxyFailed` if the bytes are not HTTP, or if the head is too long.
    mutating func read(_ bytes: ArraySlice<UInt8>) throws(WebSocketError) -> (count: Int, answer: HTTPStatusLine?) {
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
                answer = HTTPStatusLine(line)
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
