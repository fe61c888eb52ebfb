// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// Answers to a client's opening handshake that break a rule (numbers 1, 3 and 10).
@Suite(.inTurn(within: .seconds(60)))
struct AnswerFaultTests {
    /// Dials a peer that answers, sends nothing more, and waits for the client to close. The connect timeout is longer
    /// than the test's time limit, so the test fails if the client waits for more.
    private func error(
        subprotocols: [String] = [], compression: Bool = false,
        answer: @escaping @Sendable (String) throws -> [UInt8]
    ) async throws -> WebSocketError? {
        let peer = try RawPeer { socket in
            try socket.send(answer(socket.readHead()))
            try socket.waitForEnd()
        }
        var configuration = WebSocketConfiguration()
        configuration.proxy = .none
        configuration.connectTimeout = .seconds(1000)
        configuration.subprotocols = subprotocols
        configuration.compression = compression
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        var caught: WebSocketError?
        do {
            try await WebSocketConnection.connect(
                to: peer.url, configuration: configuration, receiver: handler, on: loops)
            handler.connection?.close()
        } catch let error as WebSocketError {
            caught = error
            #expect(handler.events.elements.isEmpty)
        }
        try await peer.outcome()
        await loops.shutDown()
        return caught
    }

    // MARK: Number 3

    @Test(arguments: [
        ["a, b"], ["a,b"], ["a", "b"], ["a", "a"], ["c"], ["A"], [""], ["a", ""], ["a;b"],
    ])
    func aSubprotocolThatWasNotOfferedIsRefused(fields: [String]) async throws {
        let error = try await error(subprotocols: ["a", "b"]) {
            Array(
                try RawSocket.upgradeAnswer(to: $0, adding: fields.map { "Sec-WebSocket-Protocol: \($0)" }).utf8)
        }
        #expect(error?.code == .invalidHandshake)
    }

    // MARK: Number 1

    /// A frame with RSV1 follows in the same segment.
    @Test(arguments: [
        ["permessage-deflate, permessage-deflate"], ["permessage-deflate", "permessage-deflate"],
        ["permessage-deflate; server_no_context_takeover, permessage-deflate"], ["permessage-deflate", "x-other"],
        ["permessage-deflate; server_no_context_takeover; server_no_context_takeover"],
        ["permessage-deflate; client_max_window_bits"], ["permessage-deflate; server_max_window_bits=7"],
        ["permessage-deflate; server_max_window_bits=16"], ["permessage-deflate; unknown"], ["x-webkit-deflate-frame"],
    ])
    func extensionsThatWereNotOfferedAreRefused(fields: [String]) async throws {
        let error = try await error(compression: true) { head in
            let answer = try RawSocket.upgradeAnswer(
                to: head, adding: fields.map { "Sec-WebSocket-Extensions: \($0)" })
            return Array(answer.utf8) + [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        }
        #expect(error?.code == .invalidHandshake)
    }

    // MARK: Number 10

    private static let noise: [String: [UInt8]] = [
        "SSH banner": Array("SSH-2.0-OpenSSH_9.2p1\r\n".utf8),
        "zero bytes": [UInt8](repeating: 0, count: 4),
        "TLS alert": [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28],
        "SMTP greeting": Array("220 mail.example ESMTP\r\n".utf8),
        "HTTP/2": [0, 0, 18, 4, 0, 0, 0, 0, 0],
        "another version": Array("HTTP/2.0 101 Yes\r\n".utf8),
        "a status that is no number": Array("HTTP/1.1 1O1 Yes\r\n\r\n".utf8),
        "zero byte in a field": Array("HTTP/1.1 101 Yes\r\nX-A: a\0".utf8),
        "bare CR": Array("HTTP/1.1 101 Yes\r\nX-A: a\rb".utf8),
        "field without a colon": Array("HTTP/1.1 101 Yes\r\nwhatever\r\n\r\n".utf8),
        "one endless field": Array(("HTTP/1.1 101 Yes\r\nX-A: " + String(repeating: "a", count: 17_000)).utf8),
        "endless fields":
            Array(("HTTP/1.1 200 Yes\r\n" + String(repeating: "X-A: aaaaaaaaaa\r\n", count: 1200)).utf8),
        "an endless first line": Array(("HTTP/1.1 200 " + String(repeating: "a", count: 17_000)).utf8),
        "a hundred interim answers": Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 100).utf8),
    ]

    @Test(arguments: noise.keys.sorted()) func anAnswerThatCannotBecomeOneIsRefusedAtOnce(name: String) async throws {
        let bytes = try #require(Self.noise[name])
        #expect(try await error { _ in bytes }?.code == .invalidHandshake)
    }

    /// Connects to a peer whose answer begins with `prefix`, and has changed lines.
    private func connects(
        after prefix: String = "", changing change: @escaping @Sendable (String) -> String = { $0 }
    ) async throws {
        let peer = try RawPeer { socket in
            let head = try socket.readHead()
            try socket.send(prefix)
            try socket.send(change(try RawSocket.upgradeAnswer(to: head)))
            try socket.send(RawFrame(RawFrame.Opcode.text, Array("here".utf8)))
            try socket.answerClose()
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let connection = try await connect(to: peer.url, handler: handler, on: loops)
        #expect(await handler.events.first { $0.text != nil }?.text == "here")
        connection.close()
        _ = try await peer.outcome()
        await loops.shutDown()
    }

    @Test func interimAnswersAreSkipped() async throws {
        try await connects(
            after: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nUpgrade: h2c\r\n\r\n")
    }

    @Test func blanksAroundAnAcceptValueAreSkipped() async throws {
        try await connects { answer in
            let lines = answer.split(separator: "\r\n", omittingEmptySubsequences: false).map { line in
                line.hasPrefix("Sec-WebSocket-Accept: ")
                    ? "Sec-WebSocket-Accept: \t " + line.dropFirst(22) + " \t  " : String(line)
            }
            return lines.joined(separator: "\r\n")
        }
    }
}
