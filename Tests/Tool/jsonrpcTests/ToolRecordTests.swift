// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// `record` and `replay` from end to end.
@Suite(.inTurn(within: .seconds(300))) struct ToolRecordTests {
    /// A process whose standard output is its log. It has printed its port.
    private static func listening(_ arguments: [String]) async throws -> (process: PeerProcess, url: String) {
        let process = try PeerProcess(
            "/bin/sh", ["-c", #"exec "$@" 2>/dev/null"#, "sh", ToolRun.program] + arguments + ["--port", "0"])
        let port = try #require(Int(try await process.firstLine()))
        return (process, "ws://127.0.0.1:\(port)/")
    }

    private static func withFolder(_ body: (_ file: String) async throws -> Void) async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "session.jsonl").path(percentEncoded: false))
    }

    private static func store(_ lines: [String], at file: String) throws {
        let header = #"{"format":"jsonrpc-recording","version":1}"#
        try Data((([header] + lines).joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
    }

    private static let addition = [
        #"{"time":0,"event":"opened"}"#,
        #"{"time":0.1,"event":"sent","message":{"jsonrpc":"2.0","id":"a","method":"add","params":[1,2]}}"#,
        #"{"time":0.2,"event":"received","message":{"jsonrpc":"2.0","id":"a","result":3}}"#,
        #"{"time":0.3,"event":"closed","code":1000,"reason":"","by":"local"}"#,
    ]

    // MARK: A real server

    @Test func aSessionOfAria2IsReplayedAsItsClientAndAsItsServer() async throws {
        let methods = ["aria2.getVersion", "system.listNotifications", "aria2.tellActive", "no.such.method"]
        let input = (1...40).map { #"{"method":"\#(methods[$0 % methods.count])","id":\#($0)}"# }
            .joined(separator: "\n")
        let call = ["system.listMethods"]
        try await Self.withFolder { file in
            try await Aria2.run { aria2, _, _ in
                let (recording, url) = try await Self.listening(["record", aria2, file, "--count", "2"])
                let batch = try await ToolRun.run(["batch", url, "--concurrency", "8"], input: input)
                #expect(batch.status == 1)
                #expect(batch.sortedLines.count == 40)
                let single = try await ToolRun.run(["call", url] + call)
                #expect(single.status == 0)
                #expect(try await recording.exitStatus() == 0)

                let client = try await ToolRun.run(["replay", file, aria2])
                #expect(client.status == 0)
                #expect(client.diagnostics == "jsonrpc: Replayed 2 connections with 82 messages.\n")

                let (replaying, replayed) = try await Self.listening(["replay", file])
                let sameBatch = try await ToolRun.run(["batch", replayed, "--concurrency", "8"], input: input)
                #expect(sameBatch.status == 1)
                #expect(sameBatch.sortedLines == batch.sortedLines)
                let sameCall = try await ToolRun.run(["call", replayed] + call)
                #expect(sameCall.output == single.output)
                #expect(try await replaying.exitStatus() == 0)
            }
        }
    }

    // MARK: Recording

    @Test func messagesPassUnchangedAndTheFileIsComplete() async throws {
        try await Self.withFolder { file in
            try await ToolRun.withServer { server in
                let (recording, url) = try await Self.listening(["record", server, file])
                // More bytes than the recorder queues for one connection.
                let text = String(repeating: "0123456789abcdef", count: 400_000)
                let echo = try await ToolRun.run(["call", url, "echo", "--params", "-"], input: #"["\#(text)"]"#)
                #expect(echo.status == 0)
                #expect(echo.output.contains(text))
                let ticks = try await ToolRun.run([
                    "listen", url, "--call", "tick.subscribe", "0", "100", "--count", "100",
                ])
                #expect(ticks.output.split(separator: "\n").count == 100)
                recording.signal(SIGINT)
                #expect(try await recording.exitStatus() == 0)
            }
            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.count { $0.contains(#""event":"opened""#) } == 2)
            #expect(lines.count { $0.contains(#""event":"closed""#) } == 2)
            #expect(lines.count { $0.contains(#""event":"sent""#) } == 2)
            #expect(lines.count { $0.contains(#""method":"tick""#) } >= 100)
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let listening = try await Self.listening(["replay", file])
            await listening.process.stop()
        }
    }

    @Test func aKilledServerEndsItsClientsInTheSameWay() async throws {
        try await Self.withFolder { file in
            let (server, serverURL) = try await Self.listening(["serve"])
            let (recording, url) = try await Self.listening(["record", serverURL, file, "--count", "1"])
            let client = try PeerProcess(
                ToolRun.program, ["listen", url, "--call", "tick.subscribe", "0.01", "1", "--timeout", "none"])
            _ = try await client.line(containing: "tick")
            server.signal(SIGKILL)
            #expect(try await client.exitStatus() == 5)
            #expect(try await recording.exitStatus() == 0)
            #expect(try String(contentsOfFile: file, encoding: .utf8).contains(#""by":"failure""#))
        }
    }

    /// A client that reconnects only after a loss (`ReconnectPolicy.onLoss`) distinguishes the codes 1000 and 1006.
    @Test func anEndWithoutCloseIsPassedOnWithoutAClose() async throws {
        try await Self.withFolder { file in
            let peer = try RawPeer { socket in
                try socket.acceptUpgrade()
                let frame = try socket.readFrame()
                try socket.send(ToolScripts.text(frame?.text ?? ""))
            }
            let (recording, url) = try await Self.listening(["record", peer.url, file, "--count", "1"])
            let port = try #require(url.split(separator: ":").last.flatMap { Int($0.dropLast()) })
            let frames = try await BlockingThread.value { () -> [RawFrame] in
                let socket = try RawSocket(connectingTo: port)
                defer { socket.close() }
                try socket.requestUpgrade()
                try socket.send(RawFrame(RawFrame.Opcode.text, Array("1".utf8), maskingKey: [1, 2, 3, 4]))
                return try socket.readFrames()
            }
            #expect(frames == [ToolScripts.text("1")])
            #expect(try await recording.exitStatus() == 0)
            #expect(
                try String(contentsOfFile: file, encoding: .utf8).contains(#""code":1006,"reason":"","by":"failure""#))
        }
    }

    @Test func anUnreachableServerIsReported() async throws {
        try await Self.withFolder { file in
            let recording = try PeerProcess(
                ToolRun.program, ["record", "ws+unix:\(file).socket", file, "--port", "0", "--count", "1"])
            let port = try #require(Int(try await recording.firstLine()))
            let run = try await ToolRun.run(["call", "ws://127.0.0.1:\(port)", "add", "1"])
            #expect(run.status == 5)
            #expect(try await recording.exitStatus() == 0)
            #expect(recording.log.contains("Could not connect"))
        }
    }

    /// Texts of the server, and the line of the recorder about the end of the connection.
    @Test(arguments: [
        ("1", "The connection ended without a closing handshake."),
        (
            String(repeating: "1", count: 2000),
            "The peer sent a message larger than 1000 bytes. Raise --max-message-size to accept it."
        ),
    ])
    func aLostConnectionIsReportedWithItsReason(text: String, reason: String) async throws {
        try await Self.withFolder { file in
            let peer = try RawPeer { socket in
                try socket.acceptUpgrade()
                try socket.send(ToolScripts.text(text))
                _ = try socket.readFrame()
            }
            let recording = try PeerProcess(
                ToolRun.program,
                ["record", peer.url, file, "--port", "0", "--count", "1", "--max-message-size", "1000"])
            let port = try #require(Int(try await recording.firstLine()))
            _ = try await ToolRun.run(["call", "ws://127.0.0.1:\(port)", "m"])
            #expect(try await recording.exitStatus() == 0)
            #expect(recording.log.contains("jsonrpc: Connection 1 with the server: \(reason)\n"), "\(recording.log)")
        }
    }

    @Test func anExistingFileIsKept() async throws {
        try await Self.withFolder { file in
            try Data("precious".utf8).write(to: URL(filePath: file))
            let run = try await ToolRun.run(["record", "ws://127.0.0.1:9", file, "--port", "0"])
            #expect(run.status == 2)
            #expect(run.diagnostics.contains("--force"))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
        }
    }

    @Test func aFileThatIsReplacedCanOnlyBeReadByItsOwner() async throws {
        try await Self.withFolder { file in
            try Data("old".utf8).write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
            let (recording, _) = try await Self.listening(["record", "ws://127.0.0.1:9", file, "--force"])
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            recording.signal(SIGINT)
            #expect(try await recording.exitStatus() == 0)
            #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix(#"{"format""#))
        }
    }

    @Test func optionsWithoutEffectAreNotAccepted() async throws {
        for option in [["--extra", "a=1"], ["--answer", "a=1"], ["--jsonrpc", "none"], ["--verbose"]] {
            for command in [["record", "ws://127.0.0.1:9", "/dev/null"], ["replay", "/dev/null"]] {
                let run = try await ToolRun.run(command + option)
                #expect(run.status == 2)
                #expect(run.diagnostics.contains("Unknown option '\(option[0])'"), "\(run.diagnostics)")
            }
        }
    }

    // MARK: Replaying

    @Test func aServerThatSendsABinaryMessageIsReplayed() async throws {
        try await Self.withFolder { file in
            let message = try #require(Self.addition.firstIndex { $0.contains("received") })
            var lines = Self.addition
            let hex = #"{"jsonrpc":"2.0","id":"a","result":3}"#.utf8.map {
                ($0 < 16 ? "0" : "") + String($0, radix: 16)
            }
            lines[message] = #"{"time":0.2,"event":"received","hex":"\#(hex.joined())","binary":true}"#
            try Self.store(lines, at: file)
            let (replaying, url) = try await Self.listening(["replay", file])
            let run = try await ToolRun.run(["call", url, "add", "1", "2"])
            #expect(run.output == "3\n", "\(run.diagnostics)")
            #expect(try await replaying.exitStatus() == 0)
        }
    }

    @Test func aServerThatAnswersDifferentlyFailsTheReplay() async throws {
        try await Self.withFolder { file in
            var lines = Self.addition
            lines[2] = lines[2].replacing("3}}", with: "4}}")
            try Self.store(lines, at: file)
            try await ToolRun.withServer { server in
                // The response has arrived, so nothing waits for it.
                let run = try await ToolRun.run(["replay", file, server, "--timeout", "none"])
                #expect(run.status == 6)
                #expect(
                    run.diagnostics.contains(
                        "\(file), line 4: The first difference is at $.result: expected 4, received 3. Expected {"))
                #expect(run.diagnostics.contains(#""result":3"#))
                let kinds = try await ToolRun.run(["replay", file, server, "--kinds"])
                #expect(kinds.status == 0)
            }
        }
    }

    @Test func aClientThatCallsSomethingElseFailsTheReplay() async throws {
        try await Self.withFolder { file in
            try Self.store(Self.addition, at: file)
            let (replaying, url) = try await Self.listening(["replay", file, "--timeout", "1"])
            let run = try await ToolRun.run(["call", url, "add", "2", "1"])
            #expect(run.status == 5)
            #expect(try await replaying.exitStatus() == 6)
        }
    }

    @Test(arguments: [
        ([], "line 1"), (["{}"], "line 1"), ([#"{"format":"jsonrpc-recording","version":1}"#], "no connections"),
        ([#"{"format":"jsonrpc-recording","version":1}"#, "x"], "line 2"),
    ])
    func aFileThatIsNoRecordingIsRefused(lines: [String], reason: String) async throws {
        try await Self.withFolder { file in
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: file))
            let run = try await ToolRun.run(["replay", file])
            #expect(run.status == 2)
            #expect(run.diagnostics.contains(reason))
        }
    }

    @Test func aServerThatIsNotThereIsAnError() async throws {
        try await Self.withFolder { file in
            try Self.store(Self.addition, at: file)
            let run = try await ToolRun.run(["replay", file, "ws+unix:\(file).socket"])
            #expect(run.status == 3)
        }
    }
}
