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

    @Test func commandsWithoutTheirColonAreNotSent() async throws {
        try await connect { terminal, prompt in
            try await terminal.enter("help")
            try await terminal.wait(for: "To call the method 'help', enter :call help.")
            try await terminal.wait(for: ":timeout TIME|none")
            try await terminal.enter("exit")
            try await terminal.wait(for: "Commands begin with a colon: :quit.")
            try await terminal.enter(":call help")
            // The first call of the prompt.
            try await terminal.wait(for: #"[1] error {"code":-32601"#)
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
            // The cursor has not moved.
            try await terminal.type("X")
            try await terminal.wait(forEnd: "\(prompt) add größe X漢字")
        }
    }

    @Test func aFloodOfNotificationsLeavesTheLineAndLosesNone() async throws {
        try await connect { terminal, prompt in
            try await terminal.enter("tick.subscribe 0 5000")
            try await terminal.type("half")
            try await terminal.wait("the last tick") {
                $0.dropLast().last?.contains(#""tick":5000}"#) == true && $0.last == "\(prompt) half"
            }
            let ticks = try await terminal.screen().compactMap { line in
                line.firstRange(of: #""tick":"#).flatMap { Int(line[$0.upperBound...].prefix { $0.isNumber }) }
            }
            #expect(ticks.count >= TmuxTerminal.rows - 2)
            #expect(ticks == Array((5001 - ticks.count)...5000))
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
            // The document arrives shortly after the prompt.
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
                // If the peer is not asked, methods of the history are completed.
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
            // Our calls and those of the peer are listed together.
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
            try terminal.expectSameModes()
        }
    }

    @Test func ctrlZStopsTheToolInTheTerminalsOwnMode() async throws {
        try await connect { terminal, prompt in
            try await terminal.type("add 1 2")
            try await terminal.press("C-z")
            // The shell repeats the continued command.
            try await terminal.wait(forLine: "sh -c", thenEnd: "\(prompt) add 1 2")
            try await terminal.press("Enter")
            try await terminal.wait(for: "[1] 3  (")
            try terminal.expectSameModes("stopped")
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
}
