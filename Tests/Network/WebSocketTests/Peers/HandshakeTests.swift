// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// The opening handshake of a client (RFC 6455 §4.1), valid and invalid.
@Suite(.serialized, .inTurn(within: .seconds(60)))
struct HandshakeTests {
    /// Connects to a peer with this script, and returns the error.
    private func failure(
        configuration: WebSocketConfiguration = WebSocketConfiguration(),
        script: @escaping @Sendable (RawSocket) throws -> Void
    ) async throws -> WebSocketError {
        let peer = try RawPeer(script: script)
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let error = await #expect(throws: WebSocketError.self) {
            try await WebSocketConnection.connect(
                to: peer.url, configuration: configuration, receiver: handler, on: loops)
        }
        try await peer.outcome()
        await loops.shutDown()
        #expect(handler.events.elements.isEmpty)
        return try #require(error)
    }

    @Test func theRequestIsWhatWasConfigured() async throws {
        let peer = try RawPeer { socket -> String in
            let head = try socket.acceptUpgrade(adding: ["Sec-WebSocket-Protocol: second"])
            try socket.answerClose()
            return head
        }
        var configuration = WebSocketConfiguration()
        configuration.subprotocols = ["first", "second"]
        configuration.requiresSubprotocol = true
        configuration.origin = "https://example.org"
        configuration.headers = [("Authorization", "Bearer token"), ("X-Other", "value")]
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let connection = try await WebSocketConnection.connect(
            to: peer.url + "path?query=1", configuration: configuration, receiver: handler, on: loops)
        #expect(connection.subprotocol == "second")
        connection.close()
        let head = try await peer.outcome()
        #expect(head.hasPrefix("GET /path?query=1 HTTP/1.1\r\n"))
        #expect(RawSocket.field("Host", in: head) == "127.0.0.1:\(peer.port)")
        #expect(RawSocket.field("Origin", in: head) == "https://example.org")
        #expect(RawSocket.field("Authorization", in: head) == "Bearer token")
        #expect(RawSocket.field("X-Other", in: head) == "value")
        #expect(RawSocket.field("Sec-WebSocket-Protocol", in: head) == "first, second")
        #expect(RawSocket.field("Sec-WebSocket-Version", in: head) == "13")
        #expect(RawSocket.field("Sec-WebSocket-Extensions", in: head) == nil)
        await loops.shutDown()
    }

    @Test(arguments: [200, 401, 403, 404, 426, 503])
    func aRefusedUpgradeTellsStatusHeadersAndBody(status: Int) async throws {
        let error = try await failure { socket in
            _ = try socket.readHead()
            try socket.send(
                "HTTP/1.1 \(status) Because\r\nWWW-Authenticate: Bearer realm=\"x\"\r\nContent-Type: text/plain\r\n"
                    + "Content-Length: 12\r\n\r\nnot like you")
            _ = try? socket.readToEnd()
        }
        #expect(error.code == .upgradeRefused)
        #expect(error.response?.status == status)
        let headers = try #require(error.response?.headers)
        #expect(headers.contains { $0.name == "www-authenticate" && $0.value == "Bearer realm=\"x\"" })
        #expect(headers.contains { $0.name == "content-type" && $0.value == "text/plain" })
        #expect(error.response.map { String(decoding: $0.bodyStart, as: UTF8.self) } == "not like you")
    }

    @Test func aBodyIsKeptUpTo4KiB() async throws {
        let error = try await failure { socket in
            _ = try socket.readHead()
            try socket.send(
                "HTTP/1.1 500 Oh\r\nContent-Length: 9000\r\n\r\n" + String(repeating: "x", count: 9000))
            _ = try? socket.readToEnd()
        }
        let count = try #require(error.response?.bodyStart.count)
        #expect(count > 0 && count <= 4096)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func aRedirectIsRefusedWithItsLocation(status: Int) async throws {
        let error = try await failure { socket in
            _ = try socket.readHead()
            try socket.send("HTTP/1.1 \(status) Over there\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
            _ = try? socket.readToEnd()
        }
        #expect(error.code == .redirectRefused)
        #expect(error.location == "ws://127.0.0.1:1/")
        #expect(error.response?.status == status)
    }

    @Test func aWrongAcceptFieldIsAnError() async throws {
        let error = try await failure { socket in
            try socket.acceptUpgrade(key: "AAAAAAAAAAAAAAAAAAAAAA==")
            _ = try? socket.readToEnd()
        }
        #expect(error.code == .invalidHandshake)
    }

    @Test(arguments: [
        "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        "HTTP/1.1 101 Yes\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
        "HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
        "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n",
    ])
    func anAnswerThatIsNoUpgradeIsAnError(answer: String) async throws {
        let error = try await failure { socket in
            _ = try socket.readHead()
            try socket.send(answer)
            _ = try? socket.readToEnd()
        }
        #expect(error.code == .invalidHandshake)
    }

    @Test(arguments: ["Sec-WebSocket-Protocol: unasked", "Sec-WebSocket-Extensions: x-unasked"])
    func unofferedProtocolsAndExtensionsAreRefused(field: String) async throws {
        let error = try await failure { socket in
            try socket.acceptUpgrade(adding: [field])
            _ = try? socket.readToEnd()
        }
        #expect(error.code == .invalidHandshake)
    }

    @Test func aSubprotocolCanBeRequired() async throws {
        var configuration = WebSocketConfiguration()
        configuration.subprotocols = ["wanted"]
        configuration.requiresSubprotocol = true
        let error = try await failure(configuration: configuration) { socket in
            try socket.acceptUpgrade()
            _ = try? socket.readToEnd()
        }
        #expect(error.code == .subprotocolMismatch)
    }

    @Test func aPeerThatAcceptsAndNeverSpeaksIsLeftInTime() async throws {
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .milliseconds(300)
        let error = try await failure(configuration: configuration) { socket in
            _ = try? socket.readToEnd()
        }
        #expect(error.code == .connectTimeout)
    }

    @Test func noOtherLimitEndsADialBeforeTheConnectTimeout() async throws {
        // libwebsockets has a limit of five seconds for handshakes of its own.
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .milliseconds(6500)
        let error = try await failure(configuration: configuration) { socket in
            _ = try? socket.readToEnd()
        }
        #expect(error.code == .connectTimeout)
    }

    @Test func aResetInsteadOfAnAnswerIsAnError() async throws {
        let error = try await failure { socket in
            _ = try socket.readHead()
            socket.reset()
        }
        #expect(error.code == .connectionLost)
    }

    @Test func anEndInTheMiddleOfTheAnswerIsAnError() async throws {
        let error = try await failure { socket in
            _ = try socket.readHead()
            try socket.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: web")
            socket.close()
        }
        #expect(error.code == .connectionLost)
    }

    @Test func aResetAtConnectIsAnError() async throws {
        let error = try await failure { $0.reset() }
        #expect([.connectionLost, .connectFailed].contains(error.code))
    }

    @Test func answersThatAreNotHTTPAreErrors() async throws {
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(2)
        let error = try await failure(configuration: configuration) { socket in
            _ = try socket.readHead()
            try socket.send("SSH-2.0-OpenSSH_9.2p1\r\n\r\n")
            _ = try? socket.readToEnd()
        }
        #expect(error.code == .invalidHandshake)
    }

    @Test func messagesThatComeWithTheAnswerAreDelivered() async throws {
        let peer = try RawPeer { socket in
            let answer = try RawSocket.upgradeAnswer(to: socket.readHead())
            try socket.send(Array(answer.utf8) + RawFrame(RawFrame.Opcode.text, Array("early".utf8)).bytes)
            try socket.answerClose()
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let connection = try await connect(to: peer.url, handler: handler, on: loops)
        #expect(await handler.events.first { $0.text != nil }?.text == "early")
        connection.close()
        try await peer.outcome()
        await loops.shutDown()
    }

    @Test func cancellingTheTaskGivesTheDialUp() async throws {
        let gate = Gate()
        let peer = try RawPeer { socket in
            _ = try socket.readHead()
            gate.open()
            _ = try? socket.readToEnd()
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(60)
        let task = Task { [configuration] in
            try await WebSocketConnection.connect(
                to: peer.url, configuration: configuration, receiver: handler, on: loops)
        }
        try await BlockingThread.value { try gate.wait() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // The socket is closed, too.
        try await peer.outcome()
        #expect(handler.events.elements.isEmpty)
        await loops.shutDown()
    }

    @Test func theHeadersOfEachDialAreMadeAfresh() async throws {
        let calls = EventLog<Int>()
        var configuration = WebSocketConfiguration()
        configuration.dynamicHeaders = {
            calls.record(1)
            return [("X-Dial", "\(calls.elements.count)")]
        }
        let loops = WebSocketEventLoops()
        for dial in 1...2 {
            let peer = try RawPeer { socket -> String in
                let head = try socket.acceptUpgrade()
                try socket.answerClose()
                return head
            }
            let handler = RecordingHandler()
            let connection = try await WebSocketConnection.connect(
                to: peer.url, configuration: configuration, receiver: handler, on: loops)
            connection.close()
            #expect(RawSocket.field("X-Dial", in: try await peer.outcome()) == "\(dial)")
        }
        await loops.shutDown()
    }

    /// RFC 7692 §7.2.3.1: "Hello", compressed.
    @Test func compressedMessagesAreInflatedWhereThatIsAskedFor() async throws {
        let peer = try RawPeer { socket -> (String, RawFrame?) in
            let head = try socket.acceptUpgrade(adding: ["Sec-WebSocket-Extensions: permessage-deflate"])
            let compressed: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
            try socket.send(RawFrame(RawFrame.Opcode.text, compressed, reserved: 4))
            let frame = try socket.readFrame()
            try socket.send(RawFrame(RawFrame.Opcode.text, Array("plain".utf8)))
            try socket.answerClose()
            return (head, frame)
        }
        var configuration = WebSocketConfiguration()
        configuration.compression = true
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let connection = try await WebSocketConnection.connect(
            to: peer.url, configuration: configuration, receiver: handler, on: loops)
        #expect(await handler.events.first { $0.text != nil }?.text == "Hello")
        try connection.send(text: "uncompressed")
        #expect(await handler.events.first { $0.text == "plain" } != nil)
        connection.close()
        let (head, frame) = try await peer.outcome()
        #expect(RawSocket.field("Sec-WebSocket-Extensions", in: head)?.hasPrefix("permessage-deflate") == true)
        #expect(frame?.reserved == 0)
        #expect(frame?.text == "uncompressed")
        await loops.shutDown()
    }
}
