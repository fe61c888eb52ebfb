// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

/// The tool against servers that follow a script, byte by byte.
@Suite(.inTurn(within: .seconds(60))) struct ToolAgainstRawPeerTests {
    /// Accepts, reads one request, sends these frames, and waits until the client closes.
    private func peer(answering frames: RawFrame...) throws -> RawPeer<String> {
        try RawPeer { socket in
            let head = try socket.acceptUpgrade(adding: ["Sec-WebSocket-Protocol: mcp"])
            _ = try socket.readFrame()
            for frame in frames { try socket.send(frame) }
            _ = try? socket.readToEnd()
            return head
        }
    }

    private func text(_ text: String) -> RawFrame { RawFrame(RawFrame.Opcode.text, Array(text.utf8)) }

    private func call(_ url: String, _ options: String...) async throws -> ToolRun {
        try await ToolRun.run(["call", url, "m", "--subprotocol", "mcp"] + options)
    }

    @Test func headersAndSubprotocolsAreSent() async throws {
        let peer = try peer(answering: text(#"{"jsonrpc":"2.0","id":1,"result":1}"#), .close(1000))
        let run = try await call(peer.url, "-H", "Authorization: Bearer a:b", "-H", "X-Two: 2")
        #expect(run.status == 0)
        #expect(run.output == "1\n")
        let head = try await peer.outcome()
        #expect(RawSocket.field("Authorization", in: head) == "Bearer a:b")
        #expect(RawSocket.field("X-Two", in: head) == "2")
        #expect(RawSocket.field("Sec-WebSocket-Protocol", in: head) == "mcp")
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"x"}}"#, #"{"jsonrpc":"2.0","id":1}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"message":"no code"}}"#,
    ])
    func aResponseThatIsNoneIsAProtocolViolation(_ response: String) async throws {
        let peer = try peer(answering: text(response), .close(1000))
        let run = try await call(peer.url)
        #expect(run.status == 6)
        #expect(run.output == "")
        #expect(run.diagnostics.hasPrefix("jsonrpc: "))
        _ = try await peer.outcome()
    }

    @Test func textThatIsNotUTF8DoesNotEndTheCall() async throws {
        let peer = try peer(
            answering: RawFrame(RawFrame.Opcode.text, [0xFF, 0xFE]), text(#"{"jsonrpc":"2.0","id":1,"result":7}"#),
            .close(1000))
        let run = try await call(peer.url)
        #expect(run.status == 0)
        #expect(run.output == "7\n")
        _ = try await peer.outcome()
    }

    @Test func aMessageOverTheLimitIsAProtocolViolation() async throws {
        let result = String(repeating: "x", count: 2000)
        let peer = try peer(answering: text(#"{"jsonrpc":"2.0","id":1,"result":"\#(result)"}"#))
        let run = try await call(peer.url, "--max-message-size", "1000")
        #expect(run.status == 6)
        _ = try await peer.outcome()
    }

    @Test func aPeerThatClosesInsteadOfAnsweringIsAConnectionLost() async throws {
        let peer = try peer(answering: .close(1001, "going away"))
        let run = try await call(peer.url)
        #expect(run.status == 5)
        _ = try await peer.outcome()
    }

    @Test func listenPrintsWhatComesBeforeTheCallIsAnswered() async throws {
        let peer = try RawPeer { socket in
            _ = try socket.acceptUpgrade()
            _ = try socket.readFrame()
            // More notifications than are buffered for a slow reader, and no answer.
            for tick in 1...5000 {
                try socket.send(text(#"{"jsonrpc":"2.0","method":"tick","params":[\#(tick)]}"#))
            }
            _ = try? socket.readToEnd()
        }
        let run = try await ToolRun.run(["listen", peer.url, "--call", "m", "--count", "5000"])
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 5000)
        #expect(lines.last == #"{"jsonrpc":"2.0","method":"tick","params":[5000]}"#)
        _ = try await peer.outcome()
    }

    @Test func listenEndsWithTheCallThatAClosedConnectionLeavesUnanswered() async throws {
        let tick = #"{"jsonrpc":"2.0","method":"tick"}"#
        let peer = try peer(answering: text(tick), .close(1000))
        let run = try await ToolRun.run(["listen", peer.url, "--call", "m", "--subprotocol", "mcp"])
        #expect(run.status == 5)
        #expect(run.output == tick + "\n")
        _ = try await peer.outcome()
    }

    @Test func aRefusedUpgradeShowsStatusAndBody() async throws {
        let peer = try RawPeer { socket in
            _ = try socket.readHead()
            try socket.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 13\r\n\r\nno token\u{1B}[2Jx")
            _ = try? socket.readToEnd()
        }
        let run = try await call(peer.url)
        #expect(run.status == 3)
        #expect(run.diagnostics.contains("401"))
        #expect(run.diagnostics.contains("no token"))
        #expect(!run.diagnostics.contains("\u{1B}"))
        _ = try await peer.outcome()
    }

    @Test func aServerThatNeverSpeaksRunsIntoTheConnectTimeout() async throws {
        let peer = try RawPeer { socket in _ = try? socket.readToEnd() }
        let run = try await call(peer.url, "--connect-timeout", "100ms")
        #expect(run.status == 3)
        #expect(
            run.diagnostics.hasPrefix(
                "jsonrpc: Could not connect to ws://127.0.0.1:\(peer.port). The server did not complete the handshake"))
        #expect(run.diagnostics.contains("Raise --connect-timeout"))
        _ = try await peer.outcome()
    }
}
