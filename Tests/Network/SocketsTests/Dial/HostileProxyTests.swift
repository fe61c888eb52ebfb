// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

@testable import Sockets

/// Answers of a proxy that are not usable answers to CONNECT.
@Suite(.inTurn(within: .seconds(120))) struct HostileProxyTests {
    /// Dials through a proxy that sends each piece with one write, and then keeps the connection open.
    private func dial(answers pieces: [[UInt8]]) async throws -> ConnectedSocket {
        let proxy = try RawPeer { socket in
            _ = try socket.readHead()
            for piece in pieces { try socket.send(piece) }
            _ = try? socket.readToEnd()
        }
        let route = DialRoute.proxy(
            try HTTPProxy("user:secret@127.0.0.1:\(proxy.port)"), host: .name("h.test"), port: 1)
        // An error before the deadline shows that the bytes caused it.
        return try await SocketDialer().dial(route, tls: nil, until: .now + .seconds(20)).socket
    }

    private func error(_ answer: [UInt8]) async -> SocketError? {
        let error = await #expect(throws: SocketError.self) { _ = try await dial(answers: [answer]) }
        #expect(error?.message.contains("secret") == false)
        return error
    }

    /// Defect 10: the dial waited for these until the connect timeout.
    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2p1\r\n", "220 mail.example ESMTP\r\n", "\0", "\u{15}\u{3}\u{3}\0\u{2}\u{2}\u{28}",
        "HTTP/2 200 OK\r\n", "HTTP/1.1\r\n", "HTTP/1.x 200\r\n", "HTTP/1.1 2x0 OK\r\n", "HTTP/1.1 +20 x\r\n",
        "HTTP/1.1 099 x\r\n", "HTTP/1.1 600 x\r\n", "HTTP/1.1 2000 x\r\n", "HTTP/1.1  200 x\r\n", "HTTP/1.12 200 x\r\n",
        "\r\n", "X", "HTTP/1.1 200 OK\r\nX: a\0", "HTTP/1.1 200 O\0K\r\n", "HTTP/1.1 100 Continue\r\n\r\nSSH-",
    ])
    func answerThatIsNotHTTPIsToldAtOnce(_ answer: String) async {
        let error = await error(Array(answer.utf8))
        #expect(error?.code == .proxyFailed)
        #expect(error?.message.contains("not HTTP") == true)
        #expect(error?.proxyStatus == nil)
    }

    @Test func startOfTheAnswerIsToldEscaped() async {
        let error = await error(Array("SSH-2.0-\u{1B}[31m\u{9B}\r\nmore".utf8))
        #expect(error?.message.contains("\"SSH-2.0-\\u{1B}[31m\\u{009B}\"") == true)
        let long = await self.error([UInt8](repeating: 0x78, count: 100_000))
        #expect((long?.message.utf8.count ?? .max) < 300)
    }

    /// Defect 10.
    @Test func endlessAnswerIsToldAtOnce() async {
        let start = "HTTP/1.1 200 OK\r\nX: "
        let error = await error(Array(start.utf8) + [UInt8](repeating: 0x78, count: 64 * 1024))
        #expect(error?.code == .proxyFailed && error?.message.contains("16384 bytes") == true)
    }

    /// Defect 10.
    @Test func endlessInterimAnswersAreToldAtOnce() async {
        let error = await error(Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1000).utf8))
        #expect(error?.code == .proxyFailed && error?.message.contains("16384 bytes") == true)
    }

    /// Defect 10: the answer was read as 100, a refusal (RFC 9110 §15.2).
    @Test(arguments: [
        "", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.0 102\nA: b\n\nHTTP/1.1 103 Early Hints\r\nB: c\r\n\r\n",
    ])
    func interimAnswerIsSkipped(_ interim: String) async throws {
        let answer = Array((interim + "HTTP/1.1 200 OK\r\n\r\nrest").utf8)
        for pieces in [[answer], answer.map { [$0] }] {
            let socket = try await dial(answers: pieces)
            let stream = try LoopbackSocket(taking: socket.take(), blocking: true)
            var rest: [UInt8] = []
            while rest.count < 4, let bytes = stream.read() { rest += bytes }
            #expect(rest == Array("rest".utf8))
        }
    }

    @Test func anotherProtocolIsARefusal() async {
        let error = await error(Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n".utf8))
        #expect(error?.code == .proxyFailed)
        #expect(error?.proxyStatus == 101)
    }

    /// Defect 22: the phrase reached the terminal unescaped.
    @Test func phraseIsEscapedAndCut() async {
        let phrase = "\u{1B}]0;evil\u{7}\u{9B}31m\u{202E}" + String(repeating: "x", count: 10_000)
        let error = await error(Array("HTTP/1.1 403 \(phrase)\r\n\r\n".utf8))
        #expect(error?.proxyStatus == 403)
        #expect(error?.message.contains("\\u{1B}]0;evil\\u{07}\\u{009B}31m\\u{202E}xx") == true)
        #expect((error?.message.utf8.count ?? .max) < 300)
        let unprintable = error?.message.unicodeScalars.filter { $0.properties.generalCategory == .control }
        #expect(unprintable?.isEmpty == true)
    }

    @Test func answerThatBreaksOffIsTold() async throws {
        for (answer, reason) in [("", "without an answer"), ("HTTP/1.1 200 OK\r\n", "before its answer was complete")] {
            let proxy = try ProxyServer(answer.isEmpty ? .hangUp : .answer([answer]))
            let route = DialRoute.proxy(
                try HTTPProxy("127.0.0.1:\(proxy.port)"), host: .name("h.test"), port: 1)
            let error = await #expect(throws: SocketError.self) {
                _ = try await SocketDialer().dial(route, tls: nil, until: nil).socket
            }
            #expect(error?.code == .proxyFailed)
            #expect(error?.message.contains(reason) == true)
        }
    }
}
