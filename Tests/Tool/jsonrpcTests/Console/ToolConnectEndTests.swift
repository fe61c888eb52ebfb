// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// `connect` in a real terminal, with signals, ending connections, and hostile peers.
@Suite(.inTurn(within: .seconds(180))) struct ToolConnectEndTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalClosesTheConnectionAndRestoresTheTerminal(_ signal: Int32) async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            // This call stays in flight.
            _ = try socket.readFrame()
            return try socket.answerClose()
        }
        try await withTemporaryDirectory { home in
            try await TmuxTerminal.run(["connect", peer.url, "--no-discover"], home: home) { terminal in
                try await terminal.wait("the prompt") { $0.last?.hasSuffix(">") == true }
                try await terminal.enter("hang")
                try await terminal.enter(":pending")
                try await terminal.wait(for: "[1] hang  for")
                try await terminal.type("half")
                try terminal.signalTool(signal)
                try await terminal.wait(for: "[end]")
                try await terminal.wait(for: signal == SIGTERM ? "[status 143]" : "[status 130]")
                try await terminal.wait(for: "1 call in flight is given up.")
                try terminal.expectSameModes()
            }
        }
        _ = try await peer.outcome()
    }

    @Test func theSecondSignalRestoresTheTerminalToo() async throws {
        let (closes, close) = AsyncStream.makeStream(of: Void.self)
        // The peer does not answer the closing handshake, so the first signal does not end the tool at once.
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            _ = try socket.readClose()
            close.yield()
            _ = try? socket.readToEnd()
        }
        try await withTemporaryDirectory { home in
            try await TmuxTerminal.run(["connect", peer.url, "--no-discover"], home: home) { terminal in
                try await terminal.wait("the prompt") { $0.last?.hasSuffix(">") == true }
                try terminal.signalTool(SIGTERM)
                for await _ in closes { break }
                try terminal.signalTool(SIGTERM)
                try await terminal.wait(for: "[end]")
                try await terminal.wait(for: "[status 143]")
                try terminal.expectSameModes()
            }
        }
        _ = try await peer.outcome()
    }

    @Test func aLostConnectionTellsWhatIsKnownOfTheCalls() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            _ = try socket.readFrame()
            try socket.send(RawFrame(RawFrame.Opcode.close, [0x03, 0xE9]))
            _ = try? socket.readToEnd()
        }
        try await withTemporaryDirectory { home in
            try await TmuxTerminal.run(["connect", peer.url, "--no-discover"], home: home) { terminal in
                try await terminal.wait("the prompt") { $0.last?.hasSuffix(">") == true }
                try await terminal.enter("first")
                let screen = try await terminal.wait(for: "[end]").joined()
                #expect(screen.contains("[1] ") && screen.contains("The peer may have received the request."))
                #expect(screen.contains("jsonrpc: The peer closed the connection with code 1001. With --reconnect, "))
                #expect(screen.contains("[status 5]"))
                try terminal.expectSameModes()
            }
        }
        _ = try await peer.outcome()
    }

    @Test func textOfThePeerCannotControlTheTerminal() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            let document = #"{"methods":[{"name":"x\u001b[2J"},{"name":"xyz"}]}"#
            _ = try socket.readFrame()
            try socket.send(ToolScripts.text(#"{"jsonrpc":"2.0","id":1,"result":\#(document)}"#))
            try socket.send(
                ToolScripts.text("{\"jsonrpc\":\"2.0\",\"method\":\"n\\u001b[2J\\n\",\"params\":[\"\u{9B}2J\"]}"))
            try socket.send(ToolScripts.text(#"{"jsonrpc":"2.0","id":7,"method":"c\u001b]0;x\u0007"}"#))
            let answer = try socket.readFrame()
            try socket.answerClose()
            return answer?.text
        }
        try await withTemporaryDirectory { home in
            try await TmuxTerminal.run(["connect", peer.url], home: home) { terminal in
                // Notifications and calls of the peer are shown by two tasks.
                try await terminal.wait("the notification") { $0.contains(#"<- n\x1b[2J ["\u009b2J"]"#) }
                let screen = try await terminal.wait(for: "Answer with :answer 1 JSON")
                #expect(screen.first?.hasPrefix("Connected") == true)
                #expect(screen.contains(#"<- call #1 c\x1b]0;x\x07"#))
                try await terminal.enter(":methods y")
                try await terminal.wait("the method") { $0.contains("xyz") }
                try await terminal.type("x")
                try await terminal.press("Tab")
                try await terminal.type(".")
                try await terminal.wait("the completion") { $0.last?.hasSuffix("> xyz .") == true }
                try await terminal.press("C-c")
                try await terminal.press("C-d")
                try await terminal.wait(for: "[status 0]")
                try await terminal.wait(for: "1 call of the peer is refused.")
            }
        }
        // The peer gets an answer before the closing handshake.
        #expect(try await peer.outcome()?.contains(#""id":7,"error":{"code":-32000,"#) == true)
    }

    @Test func aServerThatIsStartedAgainLeavesAGap() async throws {
        try await withTemporaryDirectory { home in
            let path = home + "/socket"
            let first = try PeerProcess(ToolRun.program, ["serve", "--unix", path])
            _ = try await first.line(containing: "ws+unix:")
            try await TmuxTerminal.run(["connect", "ws+unix:\(path)", "--reconnect"], home: home) { terminal in
                try await terminal.wait(forEnd: "socket>")
                try await terminal.enter("add 1 2")
                try await terminal.wait(for: "[1] 3  (")
                try await terminal.type("add 3 4")
                first.signal(SIGKILL)
                _ = try await first.exitStatus()
                try? FileManager.default.removeItem(atPath: path)
                let second = try PeerProcess(ToolRun.program, ["serve", "--unix", path])
                _ = try await second.line(containing: "ws+unix:")
                let screen = try await terminal.wait(for: #"{"gap":{"reason":"reconnected","count":null}}"#)
                #expect(screen.last == "socket> add 3 4")
                try await terminal.press("Enter")
                try await terminal.wait(for: "[2] 7  (")
                await second.stop()
            }
        }
    }
}
