// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// `listen --reconnect` against servers that stop and restart.
@Suite(.inTurn(within: .seconds(90))) struct ToolReconnectTests {
    /// A server on a Unix domain socket that can be restarted on the same path.
    private static func server(at path: String) async throws -> PeerProcess {
        try? FileManager.default.removeItem(atPath: path)
        let server = try PeerProcess(ToolRun.program, ["serve", "--unix", path])
        _ = try await server.line(containing: "ws+unix:")
        return server
    }

    private static func lines(_ log: String) -> [String] { log.split(separator: "\n").map(String.init) }

    private static func ticks(_ count: Int) -> [String] {
        (1...count).map { #"{"jsonrpc":"2.0","method":"tick","params":{"subscription":1,"tick":\#($0)}}"# }
    }

    @Test func aServerThatIsKilledAndStartedAgainLeavesAGap() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "socket").path(percentEncoded: false)
        let first = try await Self.server(at: path)
        let listening = try PeerProcess(
            "/bin/sh",
            [
                "-c", #"exec "$@" 2>/dev/null"#, "sh", ToolRun.program, "listen", "ws+unix:\(path)", "--reconnect",
                "--call", "tick.subscribe", "0.01", "3", "--count", "6",
            ])
        _ = try await listening.line(containing: #""tick":3"#)
        first.signal(SIGKILL)
        _ = try await first.exitStatus()
        let second = try await Self.server(at: path)
        #expect(try await listening.exitStatus() == 0)
        let gap = #"{"gap":{"reason":"reconnected","count":null}}"#
        #expect(Self.lines(listening.log) == Self.ticks(3) + [gap] + Self.ticks(3))
        await second.stop()
    }

    @Test func aServerThatDoesNotRunYetIsAwaited() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "socket").path(percentEncoded: false)
        let listening = try PeerProcess(
            ToolRun.program,
            ["listen", "ws+unix:\(path)", "--reconnect", "--call", "tick.subscribe", "0.01", "1", "--count", "1"])
        _ = try await listening.line(containing: "The next attempt begins after")
        let server = try await Self.server(at: path)
        #expect(try await listening.exitStatus() == 0)
        #expect(Self.lines(listening.log).contains(Self.ticks(1)[0]))
        await server.stop()
    }

    /// Texts of the server, and the report of the loss after them.
    @Test(arguments: [
        ("1", "The connection ended without a closing handshake."),
        (
            String(repeating: "1", count: 2000),
            "The peer sent a message larger than 1000 bytes. Raise --max-message-size to accept it."
        ),
    ])
    func aLossIsReportedOnceWithItsReason(text: String, reason: String) async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            try socket.send(ToolScripts.text(text))
        }
        let listening = try PeerProcess(
            ToolRun.program, ["listen", peer.url, "--raw", "--reconnect", "--max-message-size", "1000"])
        let line = try await listening.line(containing: "A new connection follows.")
        #expect(line == "jsonrpc: \(reason) A new connection follows.")
        await listening.stop()
    }

    @Test func aRefusedCallEndsTheCommand() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["listen", url, "--reconnect", "--call", "no.such.method"])
            #expect(run.status == 1)
            #expect(run.output == "")
            #expect(run.diagnostics.contains("-32601"))
        }
    }

    @Test func aRefusedHandshakeIsNotRepeated() async throws {
        let peer = try ToolScripts.peer(answering: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        let run = try await ToolRun.run(["listen", peer.url, "--reconnect"])
        #expect(run.status == 3)
        #expect(run.diagnostics.contains("404"))
        #expect(!run.diagnostics.contains("next attempt"))
        _ = try await peer.outcome()
    }
}
