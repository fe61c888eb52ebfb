// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPTypes
import TestSupport
import Testing

/// The bytes of a server's answer, and the outcome for the caller of each transport.
struct AnswerCase: Sendable, CustomTestStringConvertible {
    /// The bytes that the server sends after the head of the request, before it closes the connection.
    enum Answer: Sendable {
        case bytes([UInt8])
        /// Each byte in a segment of its own.
        case oneByOne([UInt8])
        /// The bytes, and then a reset.
        case reset([UInt8])
    }

    var name: String
    var method = HTTPRequest.Method.get
    var answer: Answer
    var expected: Outcome
    /// The different outcome with `URLSession` on Linux (Swift 6.3.1, libcurl 7.88.1); `nil` if it is the same.
    var observedWithURLSession: [Outcome]?
    /// Whether `URLSession` ends the process instead (Swift 6.3.1: "Transfer completed, but there's no response.").
    var trapsURLSession = false

    var testDescription: String { name }

    init(
        _ name: String, method: HTTPRequest.Method = .get, _ text: String, _ expected: Outcome,
        urlSession: Outcome...
    ) {
        self.init(
            name: name, method: method, answer: .bytes(Array(text.utf8)), expected: expected, observed: urlSession)
    }

    init(
        _ name: String, method: HTTPRequest.Method = .get, head: String, base64: String, dropping count: Int = 0,
        _ expected: Outcome, urlSession: Outcome...
    ) {
        let body = Array(Data(base64Encoded: base64) ?? Data()).dropLast(count)
        let bytes = Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
        self.init(name: name, method: method, answer: .bytes(bytes), expected: expected, observed: urlSession)
    }

    init(
        _ name: String, method: HTTPRequest.Method = .get, answer: Answer, _ expected: Outcome, urlSession: Outcome...
    ) {
        self.init(name: name, method: method, answer: answer, expected: expected, observed: urlSession)
    }

    private init(
        name: String, method: HTTPRequest.Method, answer: Answer, expected: Outcome, observed: [Outcome]
    ) {
        self.name = name
        self.method = method
        self.answer = answer
        self.expected = expected
        observedWithURLSession = observed.isEmpty ? nil : observed
    }

    func expectedOutcomes(of transport: TransportUnderTest) -> [Outcome] {
        transport == .urlSession ? observedWithURLSession ?? [expected] : [expected]
    }

    /// The same case, marked as one with which `URLSession` ends the process.
    func trappingURLSession() -> AnswerCase {
        var copy = self
        copy.trapsURLSession = true
        return copy
    }

    func send(on socket: RawSocket) throws {
        switch answer {
        case .bytes(let bytes): try socket.send(bytes)
        case .oneByOne(let bytes): try socket.sendOneByOne(bytes)
        case .reset(let bytes):
            try socket.send(bytes)
            socket.reset()
        }
    }
}

extension AnswerCase {
    static var all: [AnswerCase] { proper + framing + heads + contentless + informational + coded + redirects }
    static let ok = "HTTP/1.1 200 OK\r\n"
    private static let earlyHints = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"

    /// Correct answers.
    static let proper: [AnswerCase] = [
        AnswerCase("Content-Length", "\(ok)Content-Length: 5\r\n\r\nhello", .response(200, "hello")),
        AnswerCase(
            "chunks", "\(ok)Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
            .response(200, "hello")),
        AnswerCase(
            "chunks with trailers",
            "\(ok)Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5\r\nhello\r\n0\r\nX: 1\r\n\r\n",
            .response(200, "hello")
        ).trappingURLSession(),
        AnswerCase("body until the end of the connection", "\(ok)\r\nhello", .response(200, "hello")),
        AnswerCase("HTTP/1.0", "HTTP/1.0 200 OK\r\nX: 1\r\n\r\nhello", .response(200, "hello")),
        AnswerCase(
            "no reason phrase", "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", .response(200, "hello"),
            urlSession: .failure(.connectionLost)),
        AnswerCase("status 500 with a body", "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno", .response(500, "no")),
        AnswerCase("status 799", "HTTP/1.1 799 ?\r\nContent-Length: 2\r\n\r\nno", .response(799, "no")),
        AnswerCase(
            "401 with a challenge",
            "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno",
            .response(401, "no")),
        AnswerCase(
            "407 with a challenge",
            "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno",
            .response(407, "no")),
        AnswerCase(
            "slow drip", answer: .oneByOne(Array("\(ok)Content-Length: 5\r\n\r\nhello".utf8)), .response(200, "hello")),
        AnswerCase(
            "lines that end with LF alone", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", .failure(.protocolViolation),
            urlSession: .failure(.connectionLost)),
    ]

    /// Bodies with wrong framing, or cut ones.
    static let framing: [AnswerCase] = [
        AnswerCase("cut body", "\(ok)Content-Length: 10\r\n\r\nhello", .bodyFailure(200, .connectionLost)),
        AnswerCase(
            "body reset", answer: .reset(Array("\(ok)Content-Length: 10\r\n\r\nhello".utf8)),
            .bodyFailure(200, .connectionLost)),
        AnswerCase(
            "bytes after the body", "\(ok)Content-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n", .response(200, "ok")),
        AnswerCase(
            "negative length", "\(ok)Content-Length: -1\r\n\r\nhello", .failure(.protocolViolation),
            urlSession: .failure(.connectionLost)),
        AnswerCase(
            "length that is no number", "\(ok)Content-Length: five\r\n\r\nhello", .failure(.protocolViolation),
            urlSession: .failure(.connectionLost)),
        AnswerCase(
            "length beyond 64 bits", "\(ok)Content-Length: 99999999999999999999\r\n\r\nhello",
            .failure(.protocolViolation), urlSession: .response(200, "hello")),
        AnswerCase(
            "two lengths", "\(ok)Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", .failure(.protocolViolation),
            urlSession: .bodyFailure(200, .connectionLost)),
        AnswerCase(
            "length and chunks", "\(ok)Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            .failure(.protocolViolation), urlSession: .response(200, "hello")),
        AnswerCase(
            "chunk size that is no number", "\(ok)Transfer-Encoding: chunked\r\n\r\nzz\r\nhello",
            .bodyFailure(200, .protocolViolation), urlSession: .bodyFailure(200, .connectionLost)),
        AnswerCase(
            "chunk size beyond 64 bits", "\(ok)Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nhello",
            .bodyFailure(200, .protocolViolation), urlSession: .bodyFailure(200, .connectionLost)),
        AnswerCase(
            "negative chunk size", "\(ok)Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
            .bodyFailure(200, .protocolViolation), urlSession: .bodyFailure(200, .connectionLost)),
        AnswerCase("cut chunk", "\(ok)Transfer-Encoding: chunked\r\n\r\n5\r\nhel", .bodyFailure(200, .connectionLost)),
        AnswerCase(
            "no last chunk", "\(ok)Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .bodyFailure(200, .connectionLost)
        ),
        AnswerCase(
            "chunk without its end of line", "\(ok)Transfer-Encoding: chunked\r\n\r\n5\r\nhelloXX0\r\n\r\n",
            .bodyFailure(200, .protocolViolation), urlSession: .bodyFailure(200, .connectionLost)),
    ]

    /// Heads that are malformed, or not HTTP.
    static let heads: [AnswerCase] = [
        AnswerCase("nothing", "", .failure(.connectionLost)),
        AnswerCase("reset", answer: .reset([]), .failure(.connectionLost)),
        AnswerCase("cut head", "\(ok)Content-Le", .failure(.connectionLost)).trappingURLSession(),
        AnswerCase("another protocol", "SSH-2.0-OpenSSH_9.2\r\n", .failure(.protocolViolation)),
        AnswerCase("a TLS alert", answer: .bytes([21, 3, 1, 0, 2, 2, 70]), .failure(.protocolViolation)),
        AnswerCase("zeros", answer: .bytes([UInt8](repeating: 0, count: 4096)), .failure(.protocolViolation)),
        AnswerCase("HTTP/9.9", "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n", .failure(.protocolViolation)),
        AnswerCase("status that is no number", "HTTP/1.1 abc OK\r\n\r\n", .failure(.protocolViolation)),
        AnswerCase(
            "status of five digits", "HTTP/1.1 20000 OK\r\nContent-Length: 0\r\n\r\n", .failure(.protocolViolation)),
        AnswerCase("status 0", "HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n", .failure(.protocolViolation)),
        AnswerCase(
            "field without a colon", "\(ok)nonsense\r\nContent-Length: 0\r\n\r\n", .failure(.protocolViolation),
            urlSession: .failure(.connectionLost)),
        AnswerCase(
            "space in a name", "\(ok)Bad Name: 1\r\nContent-Length: 0\r\n\r\n", .failure(.protocolViolation),
            urlSession: .failure(.connectionLost)),
        AnswerCase(
            "NUL in a value", "\(ok)X: a\0b\r\nContent-Length: 0\r\n\r\n", .failure(.protocolViolation),
            urlSession: .failure(.connectionLost)),
        AnswerCase(
            "bare CR in a value", "\(ok)X: a\rEvil: b\r\nContent-Length: 0\r\n\r\n", .failure(.protocolViolation),
            urlSession: .response(200, "")),
        AnswerCase(
            "folded field", "\(ok)X: a\r\n b\r\nContent-Length: 0\r\n\r\n", .failure(.protocolViolation),
            urlSession: .response(200, "")),
        AnswerCase(
            "bytes that are not UTF-8",
            answer: .bytes(Array("\(ok)X: ".utf8) + [0xFF, 0xFE] + Array("\r\nContent-Length: 0\r\n\r\n".utf8)),
            .response(200, ""), urlSession: .failure(.connectionLost)),
        AnswerCase(
            "a field of 1 MiB", "\(ok)X: \(String(repeating: "x", count: 1 << 20))\r\nContent-Length: 0\r\n\r\n",
            .failure(.protocolViolation), urlSession: .failure(.connectionLost)),
        AnswerCase(
            "20 000 fields",
            "\(ok)\(String(repeating: "X-Y: 12345678901234567890\r\n", count: 20_000))Content-Length: 0\r\n\r\n",
            .failure(.protocolViolation), urlSession: .failure(.connectionLost)),
    ]

    /// Responses that never have content, whatever their fields are (RFC 9110 §6.4.1).
    static let contentless: [AnswerCase] = [
        AnswerCase("204", "HTTP/1.1 204 No Content\r\n\r\n", .response(204, "")),
        AnswerCase("204 with a body", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", .response(204, "")),
        AnswerCase("304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", .response(304, "")),
        AnswerCase(
            "304 with a body", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello", .response(304, "")),
        AnswerCase("HEAD", method: .head, "\(ok)Content-Length: 5\r\n\r\n", .response(200, "")),
        AnswerCase("HEAD with a body", method: .head, "\(ok)Content-Length: 5\r\n\r\nhello", .response(200, "")),
        AnswerCase("HEAD of chunks", method: .head, "\(ok)Transfer-Encoding: chunked\r\n\r\n", .response(200, "")),
        AnswerCase(
            "HEAD of gzip", method: .head, "\(ok)Content-Encoding: gzip\r\nContent-Length: 50\r\n\r\n",
            .response(200, "")),
        AnswerCase("304 of gzip", "HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n", .response(304, "")),
        AnswerCase("nothing in gzip", "\(ok)Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", .response(200, "")),
    ]

    /// Informational responses (RFC 9110 §15.2).
    static let informational: [AnswerCase] = [
        AnswerCase(
            "100 and then 200", "HTTP/1.1 100 Continue\r\n\r\n\(ok)Content-Length: 2\r\n\r\nok", .response(200, "ok")),
        AnswerCase(
            "100 of 103",
            "\(String(repeating: earlyHints, count: 100))\(ok)Content-Length: 2\r\n\r\nok",
            .response(200, "ok")),
        AnswerCase(
            "256 of 103", "\(String(repeating: earlyHints, count: 256))\(ok)Content-Length: 2\r\n\r\nok",
            .response(200, "ok")),
        AnswerCase(
            "257 of 103", "\(String(repeating: earlyHints, count: 257))\(ok)Content-Length: 2\r\n\r\nok",
            .failure(.protocolViolation)),
        AnswerCase("100 alone", "HTTP/1.1 100 Continue\r\n\r\n", .failure(.connectionLost)),
        AnswerCase(
            "101 that was not asked for",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello",
            .failure(.protocolViolation)),
    ]
}
