// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// `connect` in a real terminal.
@Suite(.inTurn(within: .seconds(180))) struct ToolConnectTerminalTests {
    /// Runs `connect` against the embedded server. `prompt` is what capture-pane shows of an empty line.
    private func connect(
        _ options: [String] = [], home: String? = nil,
        _ body: (_ terminal: TmuxTerminal, _ prompt: String) async throws -> Void
    ) async throws {
        try await ToolRun.withServer { url in
            let prompt = "127.0.0.1:\(url.dropLast().split(separator: ":").last ?? "")>"
            func run(_ home: String) async throws {
                try await TmuxTerminal.run(["connect", url] + options, home: home) { terminal in
                    try await terminal.wait(forEnd: prompt)
                    try await body(terminal, prompt)
                }
            }
            if let home { try await run(home) } else { try await withTemporaryDirectory { try await run($0) } }
        }
    }

    @Test func aCallShowsItsResultAboveTheNextPrompt() async throws {
        try await connect { terminal, prompt in
            #expect(
                try await terminal.screen().first
                    == "Connected (no TLS, no subprotocol). :help lists the commands, Ctrl-D quits.")
            try await terminal.enter("subtract 42 23")
            let screen = try await terminal.wait("the result") { $0.count == 4 && $0[3] == prompt }
            #expect(screen[1] == "\(prompt) subtract 42 23")
            #expect(screen[2].hasPrefix("[1] 19  ("))
            try await terminal.enter("no.such")
            try await terminal.wait(for: #"[2] error {"code":-32601"#)
            try await terminal.enter(":cancl 3")
            try await terminal.wait(for: "Did you mean ':cancel'?")
        }
    }

    @Test func notificationsLeaveTheLineThatIsTyped() async throws {
        try await connect { terminal, prompt in
            try await terminal.enter("tick.subscribe 0.4 8")
            try await terminal.wait(for: #""tick":1}"#)
            try await terminal.type("add größe 漢字")
            try await terminal.press("Left")
            try await terminal.press("Left")
            let screen = try await terminal.wait("all ticks") { $0.contains { $0.contains(#""tick":8}"#) } }
            #expect(screen.last == "\(prompt) add größe 漢字")
            #expect(screen.filter { $0.hasPrefix(#"<- tick {"subscription":1,"#) }.count == 8)
            // The cursor is where it was.
            try await terminal.type("X")
            try await terminal.wait(forEnd: "\(prompt) add größe X漢字")
        }
    }

    @Test func aLineOfSeveralRowsStaysWhole() async throws {
        try await connect { terminal, prompt in
            let long = String(repeating: "0123456789", count: 24)
            try await terminal.enter("tick.subscribe 0.4 6")
            try await terminal.wait(for: #""tick":1}"#)
            try await terminal.type(long)
            let screen = try await terminal.wait("all ticks") { $0.contains { $0.contains(#""tick":6}"#) } }
            #expect(screen.suffix(3).joined() == "\(prompt) \(long)")
            #expect(screen.filter { $0.contains("0123456789") }.count == 3)
            try await terminal.press("C-c")
            try await terminal.wait("the prompt") { $0.last == prompt && $0.dropLast().last?.hasSuffix("^C") == true }
        }
    }

    @Test func tabCompletesMethodsAndCommands() async throws {
        try await connect { terminal, prompt in
            // The document arrives a little after the prompt.
            try await terminal.enter(":methods tick")
            try await terminal.wait(for: "tick.unsubscribe(subscription: integer) -> boolean")
            try await terminal.type("su")
            try await terminal.press("Tab")
            try await terminal.wait(forEnd: "\(prompt) subtract")
            try await terminal.type("5 2")
            try await terminal.press("Enter")
            try await terminal.wait(for: "[1] 3  (")
            try await terminal.type("tick.")
            try await terminal.press("Tab")
            try await terminal.wait(forEnd: "\(prompt) tick.", "tick.subscribe    tick.unsubscribe", "\(prompt) tick.")
            try await terminal.press("C-c")
            try await terminal.wait(forEnd: "\(prompt) tick.^C", prompt)
            try await terminal.type(":pen")
            try await terminal.press("Tab")
            try await terminal.wait(forEnd: "\(prompt) :pending")
        }
    }

    @Test func historyOutlivesTheRun() async throws {
        try await withTemporaryDirectory { home in
            try await connect(home: home) { terminal, prompt in
                try await terminal.enter("add 1 2")
                try await terminal.wait(for: "[1] 3  (")
                try await terminal.enter(" add 20 30")
                try await terminal.wait(for: "[2] 50  (")
                try await terminal.press("Up")
                try await terminal.wait(forEnd: "\(prompt) add 1 2")
                try await terminal.press("Enter")
                try await terminal.wait(for: "[3] 3  (")
                try await terminal.press("C-d")
                try await terminal.wait(for: "[status 0]")
            }
            let file = home + "/.local/state/jsonrpc/history"
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "add 1 2\n")
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try await connect(["--no-discover"], home: home) { terminal, prompt in
                try await terminal.press("Up")
                try await terminal.wait(forEnd: "\(prompt) add 1 2")
                try await terminal.press("C-c")
                // Methods of the history are completed where the peer is not asked.
                try await terminal.type("a")
                try await terminal.press("Tab")
                try await terminal.type("7")
                try await terminal.wait(forEnd: "\(prompt) add 7")
            }
        }
    }

    @Test func thePeersCallsAreAnsweredByHandAndByRule() async throws {
        try await connect(["--answer", "confirm=true"]) { terminal, prompt in
            try await terminal.enter("callback confirm")
            try await terminal.wait(for: "-> result true by rule")
            try await terminal.wait(for: "[1] true  (")
            try await terminal.enter("callback ask [1]")
            try await terminal.wait(for: "Answer with :answer 1 JSON or :error 1 CODE MESSAGE.")
            try await terminal.enter("callback other")
            try await terminal.wait(for: "Answer with :answer 2 JSON")
            // Our calls and the peer's wait side by side.
            try await terminal.enter(":pending")
            try await terminal.wait(for: "#1 ask [1]  waits for your answer")
            try await terminal.enter(#":error 2 -7 "not now""#)
            try await terminal.wait(for: "[3] error {")
            try await terminal.enter(#":answer 1 {"yes": [true]}"#)
            try await terminal.wait(for: #"[2] {"yes":[true]}  ("#)
            try await terminal.enter(":rule ask 5")
            try await terminal.enter("callback ask")
            try await terminal.wait(for: "[4] 5  (")
            try await terminal.enter(":answer 9 1")
            try await terminal.wait(for: "No call #9 waits for an answer.")
        }
    }

    @Test func ctrlCCancelsACallAndNotTheTool() async throws {
        try await connect { terminal, prompt in
            try await terminal.enter("sleep 600")
            try await terminal.enter("sleep 500")
            try await terminal.enter("sleep 400")
            try await terminal.enter(":pending")
            try await terminal.wait(for: "[3] sleep  for")
            try await terminal.type("half a line")
            try await terminal.press("C-c")
            try await terminal.wait(forEnd: "\(prompt) half a line^C", prompt)
            try await terminal.press("C-c")
            try await terminal.wait(for: "[3] sleep was cancelled. The peer may still perform it.")
            try await terminal.enter(":cancel 1")
            try await terminal.wait(for: "[1] sleep was cancelled.")
            try await terminal.press("C-d")
            let screen = try await terminal.wait(for: "[end]")
            #expect(screen.contains("1 call in flight is given up."))
            #expect(screen.contains { $0.hasPrefix("[2] sleep was cancelled.") })
            #expect(screen.contains("[status 0]"))
            try expectSameModes(terminal)
        }
    }

    @Test func ctrlZStopsTheToolInTheTerminalsOwnMode() async throws {
        try await connect { terminal, prompt in
            try await terminal.type("add 1 2")
            try await terminal.press("C-z")
            // The shell repeats the command that goes on.
            try await terminal.wait(forLine: "sh -c", thenEnd: "\(prompt) add 1 2")
            try await terminal.press("Enter")
            try await terminal.wait(for: "[1] 3  (")
            try expectSameModes(terminal, "stopped")
        }
    }

    @Test func ctrlCAtAnEmptyLineTellsHowToQuit() async throws {
        try await connect { terminal, prompt in
            try await terminal.press("C-c")
            try await terminal.wait(forEnd: "Press Ctrl-D or enter :quit to quit.", prompt)
            try await terminal.enter(":quit")
            try await terminal.wait(for: "[status 0]")
        }
    }

    @Test func theLineIsDrawnAgainInAnotherSize() async throws {
        try await connect { terminal, prompt in
            try await terminal.type(String(repeating: "abcdefgh", count: 5))
            try await terminal.resize(columns: 40, rows: 20)
            let line = "\(prompt) \(String(repeating: "abcdefgh", count: 5))"
            try await terminal.wait(forEnd: String(line.prefix(40)), String(line.dropFirst(40)))
            try await terminal.resize(columns: 90, rows: 20)
            try await terminal.wait(forEnd: line)
            try await terminal.type("X")
            try await terminal.wait(forEnd: line + "X")
        }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalClosesTheConnectionAndRestoresTheTerminal(_ signal: Int32) async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            // The call that stays in flight.
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
                try expectSameModes(terminal)
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
                try expectSameModes(terminal)
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
                #expect(screen.contains("jsonrpc: The peer closed the connection with code 1001."))
                #expect(screen.contains("[status 5]"))
                try expectSameModes(terminal)
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
                let screen = try await terminal.wait(for: "Answer with :answer 1 JSON")
                #expect(screen.first?.hasPrefix("Connected") == true)
                #expect(screen.contains(#"<- n\x1b[2J ["\u009b2J"]"#))
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

    /// Checks that the tool has restored the mode of the terminal.
    private func expectSameModes(_ terminal: TmuxTerminal, _ file: String = "after") throws {
        let modes = try ["before", file].map {
            try String(contentsOfFile: terminal.home + "/" + $0, encoding: .utf8)
        }
        #expect(modes[0] == modes[1])
        #expect(modes[0].contains("icanon"))
    }
}
