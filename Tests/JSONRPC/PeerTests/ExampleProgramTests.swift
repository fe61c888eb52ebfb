// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// The programs in `Examples`, each in a process of its own, with real servers.
@Suite(.serialized, .inTurn(within: .seconds(240)))
struct ExampleProgramTests {
    private func expectEnd(of program: PeerProcess, after signal: Int32) async throws {
        program.signal(signal)
        #expect(try await program.exitStatus() == 0, "\(program.log)")
    }

    /// Lets aria2 download a file, and waits until the dashboard shows that the file is there.
    private func download(_ name: String, from files: String, at url: String, _ dashboard: PeerProcess) async throws {
        try await withClient(to: url) { client in
            _ = try await client.call("aria2.addUri", params: [[files + name]], as: String.self)
            _ = try await dashboard.line(containing: "100 % complete: \(name)")
        }
    }

    @Test func theDashboardShowsDownloadsAlsoAfterAria2WasKilled() async throws {
        let files = ["first.bin": Data(count: 100_000), "second.bin": Data(count: 100_000)]
        try await FileServer.run(files: files) { files in
            try await withTemporaryDirectory { downloads in
                let port = try LoopbackPort.reserve()
                let url = "ws://127.0.0.1:\(port)/jsonrpc"
                var aria2 = try await Aria2.start(port: port, downloads: downloads)
                let dashboard = try PeerProcess(Checkout.program("Aria2Dashboard"), [url])
                _ = try await dashboard.line(containing: "Connected to aria2 1.")
                try await download("first.bin", from: files, at: url, dashboard)

                aria2.signal(SIGKILL)
                #expect(try await aria2.exitStatus() == -SIGKILL)
                _ = try await dashboard.line(containing: "The connection was lost")
                _ = try await dashboard.line(containing: "The next attempt begins")
                aria2 = try await Aria2.start(port: port, downloads: downloads)
                try await download("second.bin", from: files, at: url, dashboard)
                #expect(!dashboard.log.contains("\u{1B}"), "this is no terminal")
                try await expectEnd(of: dashboard, after: SIGTERM)
                await aria2.stop()
            }
        }
    }

    @Test func theDashboardEndsBeforeAria2IsThere() async throws {
        let url = "ws://127.0.0.1:\(try LoopbackPort.reserve())/jsonrpc"
        let dashboard = try PeerProcess(Checkout.program("Aria2Dashboard"), [url])
        _ = try await dashboard.line(containing: "The next attempt begins")
        try await expectEnd(of: dashboard, after: SIGINT)
    }

    @Test func theLanguageServerClientFollowsAFileAlsoAfterTheServerWasKilled() async throws {
        try await withTemporaryDirectory { folder in
            let file = URL(filePath: folder).appending(path: "module.py")
            try Data("import os\nprint(1)\n".utf8).write(to: file)
            let port = try LoopbackPort.reserve()
            var server = try await PythonPeer.start(PythonPeer.languageServer, ["\(port)"])
            let client = try PeerProcess(
                Checkout.program("LanguageServerClient"),
                [file.path(percentEncoded: false), "ws://127.0.0.1:\(port)/"])
            _ = try await client.line(containing: "module.py:1: 'os' imported but unused")
            try Data("print(1)\n".utf8).write(to: file)
            _ = try await client.line(containing: "module.py: no diagnostics")

            server.signal(SIGKILL)
            #expect(try await server.exitStatus() == -SIGKILL)
            server = try await PythonPeer.start(PythonPeer.languageServer, ["\(port)"])
            _ = try await client.line(containing: "module.py: connected again")
            try Data("print(2)\nvalue\n".utf8).write(to: file, options: .atomic)
            _ = try await client.line(containing: "module.py:2: undefined name 'value'")
            try await expectEnd(of: client, after: SIGINT)
            await server.stop()
        }
    }

    @Test func membersOfTheChatHearEachOtherAlsoAfterTheServerWasKilled() async throws {
        let port = try LoopbackPort.reserve()
        var server = try await chatServer(port)
        let url = "ws://127.0.0.1:\(port)/"
        let ann = try PeerProcess(Checkout.program("ChatClient"), [url, "Ann"])
        _ = try await ann.line(containing: "In the room: Ann")
        #expect(try await say("Good morning", as: "Bob", url) == 0)
        _ = try await ann.line(containing: "Bob: Good morning")
        _ = try await ann.line(containing: "Bob: (left)")

        server.signal(SIGKILL)
        #expect(try await server.exitStatus() == -SIGKILL)
        server = try await chatServer(port)
        // Carol is told of Ann, whoever of them joins first.
        let carol = try PeerProcess(Checkout.program("ChatClient"), [url, "Carol"])
        _ = try await carol.line(containing: "Ann")
        #expect(try await say("Good evening", as: "Bob", url) == 0)
        _ = try await ann.line(containing: "(The connection was lost.")
        _ = try await ann.line(containing: "Bob: Good evening")
        _ = try await carol.line(containing: "Bob: Good evening")
        #expect(try await say("", as: "Ann", url) == 1, "the name is in use")
        try await expectEnd(of: ann, after: SIGINT)
        _ = try await carol.line(containing: "Ann: (left)")
        try await expectEnd(of: carol, after: SIGTERM)
        try await expectEnd(of: server, after: SIGTERM)
    }

    private func chatServer(_ port: Int) async throws -> PeerProcess {
        let server = try PeerProcess(Checkout.program("ChatServer"), ["\(port)"])
        _ = try await server.line(containing: "Serving on ws://127.0.0.1:\(port)/")
        return server
    }

    /// Runs a client that says one line and leaves. Returns its exit status.
    private func say(_ line: String, as name: String, _ url: String) async throws -> Int32 {
        let script = #"printf '%s\n' "$1" | "$0" "$2" "$3""#
        return try await PeerProcess("/bin/sh", ["-c", script, Checkout.program("ChatClient"), line, url, name])
            .exitStatus()
    }
}
