// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import HTTPSyntax

/// A CONNECT request and its answer (RFC 9110 §9.3.6), over a socket that leads to a proxy.
struct ProxyTunnel {
    let credentials: BasicCredentials?
    /// The host and the port that the proxy is to connect to.
    let authority: String

    /// Sends CONNECT and blocks until the proxy has answered. Returns the same socket. Only the heads of the answer and
    /// of interim answers before it were read.
    func open(through socket: ConnectedSocket, _ abandonment: AbandonmentSignal) throws -> ConnectedSocket {
        let stream = BlockingStream(descriptor: socket.descriptor, abandonment: abandonment)
        try stream.send(request)
        try check(try answer(from: stream))
        return ConnectedSocket(descriptor: socket.take(), peer: "\(authority) by way of \(socket.peer)")
    }

    private var request: [UInt8] {
        var head = HTTPHead(startLine: "CONNECT \(authority) HTTP/1.1", fields: [("Host", authority)])
        if let credentials { head.fields.append(("Proxy-Authorization", credentials.fieldValue)) }
        return head.bytes
    }

    private func answer(from stream: BlockingStream) throws -> HTTPStatusLine {
        var reader = ProxyAnswerReader()
        while true {
            let bytes = try stream.peek()
            guard !bytes.isEmpty else {
                let reason = reader.isEmpty ? "without an answer" : "before its answer was complete"
                throw SocketError(.proxyFailed, "The proxy closed the connection \(reason).", isRetryable: true)
            }
            let (count, answer) = try reader.read(bytes)
            try stream.remove(count)
            if let answer { return answer }
        }
    }

    /// Checks the proxy's answer. Throws ``SocketError`` unless the answer's status is 2xx.
    func check(_ answer: HTTPStatusLine) throws(SocketError) {
        guard (200...299).contains(answer.status) else {
            let phrase = answer.phrase.isEmpty ? "" : " (\(String.printable(answer.phrase, limit: 128)))"
            throw SocketError(
                .proxyFailed, "The proxy refused to connect to \(authority): status \(answer.status)\(phrase).",
                proxyStatus: answer.status)
        }
    }
}

/// A nonblocking socket that a thread reads and writes with blocking calls until it is told to stop.
private struct BlockingStream {
    let descriptor: Int32
    let abandonment: AbandonmentSignal

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 { try recover(from: errno, waitingFor: POLLOUT) } else { rest = rest.dropFirst(count) }
        }
    }

    /// Waits for bytes and returns them, but leaves them in the socket. At the end of the stream there are none.
    func peek() throws -> ArraySlice<UInt8> {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_PEEK))
            if count >= 0 { return buffer[..<count] }
            try recover(from: errno, waitingFor: POLLIN)
        }
    }

    /// Removes bytes from the socket that ``peek()`` returned.
    func remove(_ count: Int) throws {
        var buffer = [UInt8](repeating: 0, count: count)
        guard unsafe recv(descriptor, &buffer, count, 0) == count else {
            throw SocketError(.proxyFailed, "The proxy's answer ended unexpectedly.", isRetryable: true)
        }
    }

    private func recover(from code: Int32, waitingFor event: Int32) throws {
        func failure(_ code: Int32) -> SocketError {
            SocketError(
                .proxyFailed, "The connection to the proxy failed: \(errorText(code)).", systemError: code,
                isRetryable: true)
        }
        guard code == EAGAIN || code == EINTR else { throw failure(code) }
        var polls = [
            pollfd(fd: descriptor, events: Int16(event), revents: 0),
            pollfd(fd: abandonment.readDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&polls, 2, -1) >= 0 else { throw failure(errno) }
        if polls[1].revents != 0 { throw CancellationError() }
    }
}

/// A reader of the heads of a proxy's answers to CONNECT. It throws at the first byte that cannot be a part of a head.
struct ProxyAnswerReader {
    /// The maximum length of the answer, together with the interim answers before it.
    static let maximumBytes = 16 * 1024

    /// The beginning of the current line.
    private var line: [UInt8] = []
    private var answer: HTTPStatusLine?
    private var byteCount = 0

    var isEmpty: Bool { byteCount == 0 }

    /// Reads bytes, up to and including the empty line that ends the last answer's head. Interim answers are skipped.
    /// Returns the number of bytes that were read, and the answer when its head is complete. Throws ``SocketError``
    /// with the code `proxyFailed` if the bytes are not HTTP, or if the head is too long.
    mutating func read(_ bytes: ArraySlice<UInt8>) throws(SocketError) -> (count: Int, answer: HTTPStatusLine?) {
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byteCount < Self.maximumBytes else {
                throw SocketError(.proxyFailed, "The proxy's answer is longer than \(Self.maximumBytes) bytes.")
            }
            byteCount += 1
            line.append(byte)
            guard byte != 0, answer != nil || line.count > Self.start.count || Self.start.starts(with: line) else {
                throw notHTTP(line + rest.prefix(64))
            }
            guard byte == UInt8(ascii: "\n") else { continue }
            // A bare LF also ends a line (RFC 9112 §2.2).
            let ended = Array(line.dropLast(line.suffix(2).first == UInt8(ascii: "\r") ? 2 : 1))
            line = []
            guard let answer else {
                answer = HTTPStatusLine(ended)
                if answer == nil { throw notHTTP(ended) }
                continue
            }
            guard ended.isEmpty else { continue }
            if !answer.isInterim { return (bytes.count - rest.count, answer) }
            self.answer = nil
        }
        return (bytes.count, nil)
    }

    private static let start = Array("HTTP/1.".utf8)

    private func notHTTP(_ bytes: [UInt8]) -> SocketError {
        let start = bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        let reason =
            line.contains(0) && (answer != nil || line.starts(with: Self.start))
            ? "it contains a zero byte" : "it starts with \"\(String.printable(start, limit: 64))\""
        return SocketError(.proxyFailed, "The proxy's answer is not HTTP: \(reason). Check the proxy's port.")
    }
}
