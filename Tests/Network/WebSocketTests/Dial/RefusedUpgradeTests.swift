// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

@testable import WebSocket

/// Answers to the opening handshake that do not upgrade, or upgrade wrongly (RFC 6455 §4.1).
@Suite(.inTurn(within: .seconds(60)))
struct RefusedUpgradeTests {
    /// Dials a peer that sends the result of `answer` for the request.
    private func error(
        closing: Bool = true, subprotocols: [String] = [], _ answer: @escaping @Sendable (String) throws -> String
    ) async throws -> WebSocketError? {
        let peer = try RawPeer { socket in
            try socket.send(answer(try socket.readHead()))
            if !closing { _ = try? socket.readToEnd() }
        }
        let loops = WebSocketEventLoops()
        var configuration = WebSocketConfiguration()
        configuration.proxy = .none
        configuration.subprotocols = subprotocols
        configuration.connectTimeout = .seconds(60)
        let handler = RecordingHandler()
        var caught: WebSocketError?
        do {
            try await WebSocketConnection.connect(
                to: peer.url, configuration: configuration, receiver: handler, on: loops)
        } catch let error as WebSocketError {
            caught = error
        }
        #expect(handler.events.elements.isEmpty)
        await loops.shutDown()
        try await peer.outcome()
        return caught
    }

    @Test(arguments: [200, 400, 401, 403, 404, 426, 429, 500, 502, 503], [true, false])
    func statusHeadersAndBodyReachTheCaller(_ status: Int, _ closing: Bool) async throws {
        let error = try await error(closing: closing) { _ in
            "HTTP/1.1 \(status) Phrase\r\nContent-Type: text/plain\r\nRetry-After: 7\r\n"
                + "WWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 5\r\n\r\nsorry"
        }
        #expect(error?.code == .upgradeRefused)
        #expect(error?.response?.status == status)
        #expect(error?.response?.bodyStart == Array("sorry".utf8))
        let headers = error?.response?.headers ?? []
        #expect(headers.first { $0.name == "www-authenticate" }?.value == "Basic realm=\"x\"")
        #expect(headers.first { $0.name == "content-type" }?.value == "text/plain")
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectIsRefusedWithItsLocation(_ status: Int) async throws {
        let error = try await error { _ in
            "HTTP/1.1 \(status) Moved\r\nLocation: wss://elsewhere.example/path?q\r\nContent-Length: 0\r\n\r\n"
        }
        #expect(error?.code == .redirectRefused)
        #expect(error?.location == "wss://elsewhere.example/path?q")
        #expect(error?.response?.status == status)
    }

    @Test func redirectWithoutLocationIsRefused() async throws {
        let error = try await error { _ in "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n" }
        #expect(error?.code == .redirectRefused)
        #expect(error?.location == nil)
    }

    @Test func bodyWithoutLengthReachesTheCaller() async throws {
        let error = try await error { _ in "HTTP/1.0 403 No\r\n\r\nforbidden" }
        #expect(error?.response?.status == 403)
        #expect(error?.response?.bodyStart == Array("forbidden".utf8))
    }

    @Test func longBodyIsCut() async throws {
        let error = try await error { _ in
            "HTTP/1.1 503 Down\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "x", count: 100_000)
        }
        #expect(error?.code == .upgradeRefused)
        #expect((error?.response?.bodyStart.count ?? .max) <= 4096)
    }

    @Test func hangUpWithoutAnAnswerIsTold() async throws {
        let error = try await error { _ in "" }
        #expect(error?.code == .connectionLost, "\(String(describing: error))")
    }

    @Test func answerThatBreaksOffIsTold() async throws {
        #expect(try await error { _ in "HTTP/1.1 101 Switching Protocols\r\nUpgrade: webso" } != nil)
    }

    @Test(arguments: ["hello\r\n\r\n", "\0\0\0\0\r\n\r\n", "HTTP/1.1\r\n\r\n", "SSH-2.0-OpenSSH_9\r\n"])
    func answerThatIsNotHTTPIsTold(_ answer: String) async throws {
        #expect(try await error { _ in answer } != nil)
    }

    @Test func wrongAcceptKeyIsTold() async throws {
        let error = try await error { try RawSocket.upgradeAnswer(to: $0, key: "AAAAAAAAAAAAAAAAAAAAAA==") }
        #expect(error?.code == .invalidHandshake)
    }

    @Test(arguments: ["Sec-WebSocket-Accept", "Upgrade", "Connection"])
    func missingFieldIsTold(_ name: String) async throws {
        let error = try await error { head in
            let lines = try RawSocket.upgradeAnswer(to: head).components(separatedBy: "\r\n")
            return lines.filter { !$0.hasPrefix(name + ":") }.joined(separator: "\r\n")
        }
        #expect(error?.code == .invalidHandshake)
    }

    @Test(arguments: [[], ["a"]])
    func unaskedSubprotocolIsTold(_ subprotocols: [String]) async throws {
        let error = try await error(subprotocols: subprotocols) {
            try RawSocket.upgradeAnswer(to: $0, adding: ["Sec-WebSocket-Protocol: chat"])
        }
        #expect(error?.code == .invalidHandshake || error?.code == .subprotocolMismatch)
    }

    @Test func unaskedExtensionIsTold() async throws {
        let error = try await error {
            try RawSocket.upgradeAnswer(to: $0, adding: ["Sec-WebSocket-Extensions: permessage-deflate"])
        }
        #expect(error?.code == .invalidHandshake)
    }
}
