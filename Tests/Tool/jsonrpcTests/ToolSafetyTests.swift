// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

/// Texts that must not reach a terminal: escape sequences of a peer, and secrets.
@Suite(.inTurn(within: .seconds(60))) struct ToolSafetyTests {
    /// ESC [, U+009B and a change of direction.
    private let attack = "\u{1B}[2J\u{9B}31m\u{202E}x"

    private func expectHarmless(_ run: ToolRun) {
        for scalar in run.diagnostics.unicodeScalars where scalar != "\n" {
            #expect(!"\u{1B}\u{9B}\u{202E}\u{7F}".unicodeScalars.contains(scalar))
        }
    }

    @Test func theBodyOfARefusalIsEscaped() async throws {
        let peer = try ToolScripts.peer(
            answering: "HTTP/1.1 401 Unauthorized\r\nContent-Length: \(attack.utf8.count)\r\n\r\n\(attack)")
        let run = try await ToolRun.run(["call", peer.url, "m"])
        #expect(run.status == 3)
        #expect(run.diagnostics.contains(#"\x1b[2J\u009b31m\u202ex"#))
        expectHarmless(run)
        _ = try await peer.outcome()
    }

    @Test func theStatusPhraseOfAProxyIsEscaped() async throws {
        let proxy = try ProxyServer(.answer(["HTTP/1.1 502 Bad \(attack)\r\n\r\n"]))
        let run = try await ToolRun.run(
            ["call", "ws://127.0.0.1:1/", "m", "--proxy", "http://127.0.0.1:\(proxy.port)"])
        #expect(run.status == 3)
        #expect(run.diagnostics.contains("502"))
        expectHarmless(run)
        proxy.stop()
    }

    @Test func messagesShownByVerboseAreEscaped() async throws {
        let peer = try RawPeer { [attack] socket in
            try socket.acceptUpgrade()
            _ = try socket.readFrame()
            try socket.send(ToolScripts.text(#"{"jsonrpc":"2.0","id":1,"result":1,"x":"\#(attack.dropFirst(4))"}"#))
            // This is not UTF-8. An 8-bit terminal reads it as U+009B.
            try socket.send(RawFrame(RawFrame.Opcode.binary, [0x9B, 0x33]))
            _ = try? socket.answerClose()
        }
        let run = try await ToolRun.run(["call", peer.url, "m", "-v"])
        #expect(run.status == 0)
        #expect(run.diagnostics.contains(#""x":"\u009b31m\u202ex""#))
        expectHarmless(run)
        _ = try await peer.outcome()
    }

    @Test func anErrorObjectIsEscapedInJSON() async throws {
        let peer = try ToolScripts.peer(
            sending:
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"m\u{9B}\",\"data\":\"\u{202E}\u{7F}\"}}"
        )
        let run = try await ToolRun.run(["call", peer.url, "m", "--compact"])
        #expect(run.status == 1)
        #expect(run.diagnostics == #"{"code":1,"message":"m\u009b","data":"\u202e\u007f"}"# + "\n")
        _ = try await peer.outcome()
    }

    @Test func aResultIsEscapedOnATerminalAndKeptElsewhere() async throws {
        let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\u{9B}2J\"}"
        let peer = try ToolScripts.peer(sending: answer)
        // script(1) gives the program a terminal.
        let terminal = try await ToolRun.run(
            program: "script", ["-qec", "'\(ToolRun.program)' call \(peer.url) m --color never", "/dev/null"])
        #expect(terminal.status == 0)
        #expect(terminal.output.contains(#""\u009b2J""#))
        _ = try await peer.outcome()

        let other = try ToolScripts.peer(sending: answer)
        #expect(try await ToolRun.run(["call", other.url, "m"]).output == "\"\u{9B}2J\"\n")
        _ = try await other.outcome()
    }

    @Test(arguments: [
        ["call", "ws://127.0.0.1:1/", "m", "-H", "Authorization s3cret"],
        ["call", "ws://127.0.0.1:1/", "m", "--header=s3cret"],
        ["call", "ws://127.0.0.1:1/", "m", "-Hs3cret"],
        ["call", "ws://127.0.0.1:1/", "m", "-vHs3cret"],
        ["call", "ws://127.0.0.1:1/", "m", "-H=s3cret"],
        ["call", "ws://127.0.0.1:1/", "m", "--bearer", "s3cret\u{1B}"],
        ["call", "ws://127.0.0.1:1/", "m", "--bearer=s3cret", "--user=me:s3cret"],
        ["call", "ws://127.0.0.1:1/", "m", "--bearer", "s3cret", "--nonsense"],
        ["call", "http://127.0.0.1:1/", "m", "--user", "me:s3cret\r\nX: y"],
        ["demo", "--bearer=s3cret"],
        ["listen", "ws://127.0.0.1:1/", "http://user:s3cret@proxy:8080"],
        ["call", "user:s3cret@host", "m"],
        ["call", "ws://127.0.0.1:1/", "m", "--proxy", "ftp://user:s3cret@proxy"],
        ["call", "ws://127.0.0.1:1/", "m", "--proxy", "http://user:s3cret@pro xy"],
        ["call", "ws://127.0.0.1:1/", "m", "--timeout", "http://user:s3cret@proxy"],
    ])
    func secretsAreNotRepeatedInUsageErrors(_ arguments: [String]) async throws {
        let run = try await ToolRun.run(arguments)
        #expect(run.status == 2)
        #expect(run.diagnostics != "")
        #expect(!run.diagnostics.contains("s3cret"))
    }
}
