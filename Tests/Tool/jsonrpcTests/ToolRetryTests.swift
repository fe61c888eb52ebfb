// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// `--retry` and `--idempotent` of `call` and `batch`.
@Suite(.inTurn(within: .seconds(90))) struct ToolRetryTests {
    /// A server of WebSocket that closes its first connections without an answer to the request that it has read, and
    /// answers each request of later connections with the number of the connection.
    private func server(losing count: Int, requests: EventLog<String>) throws -> RawHTTPServer {
        try RawHTTPServer { connection in
            try connection.socket.acceptUpgrade()
            while let frame = try connection.socket.readFrame(), frame.opcode == RawFrame.Opcode.text {
                requests.record(frame.text)
                if connection.number <= count { return }
                let id = frame.text.firstMatch(of: /"id":([0-9]+)/)?.1 ?? "0"
                try connection.socket.send(
                    ToolScripts.text(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(connection.number)}"#))
            }
        }
    }

    private func url(_ server: RawHTTPServer) -> String { "ws://\(server.authority)/" }

    @Test func aServerThatDoesNotRunYetIsAwaited() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "socket").path(percentEncoded: false)
        let calling = try PeerProcess(
            ToolRun.program, ["call", "ws+unix:\(path)", "add", "1", "2", "--retry", "1000"])
        _ = try await calling.line(containing: "The next attempt begins after")
        let server = try PeerProcess(ToolRun.program, ["serve", "--unix", path])
        #expect(try await calling.exitStatus() == 0)
        #expect(calling.log.split(separator: "\n").last == "3")
        await server.stop()
    }

    @Test func theNumberOfAttemptsIsLimited() async throws {
        for command in [["call", "ws://127.0.0.1:1/", "m"], ["batch", "ws://127.0.0.1:1/"]] {
            let run = try await ToolRun.run(command + ["--retry", "2"], input: #"{"method":"m"}"#)
            #expect(run.status == 3)
            #expect(run.output == "")
            #expect(run.diagnostics.matches(of: /The next attempt begins after/).count == 2, "\(run.diagnostics)")
            #expect(run.diagnostics.split(separator: "\n").count == 3)
        }
    }

    @Test func theTimeoutLimitsAllAttempts() async throws {
        let run = try await ToolRun.run(
            ["call", "ws+unix:/nonexistent/socket", "m", "--retry", "1000", "--timeout", "300ms"])
        #expect([3, 4].contains(run.status), "\(run.diagnostics)")
    }

    @Test func aCallThatMayHaveBeenExecutedIsNotSentAgain() async throws {
        let requests = EventLog<String>()
        let server = try server(losing: 1, requests: requests)
        let run = try await ToolRun.run(["call", url(server), "m", "--retry", "3"])
        #expect(run.status == 5)
        #expect(run.output == "")
        #expect(requests.elements.count == 1)
    }

    @Test func anIdempotentCallIsSentAgain() async throws {
        let requests = EventLog<String>()
        let server = try server(losing: 2, requests: requests)
        let run = try await ToolRun.run(["call", url(server), "m", "--retry", "3", "--idempotent"])
        #expect(run.status == 0, "\(run.diagnostics)")
        #expect(run.output == "3\n")
        #expect(requests.elements.count == 3)
        #expect(!run.diagnostics.contains("A new connection follows"))
    }

    @Test func repetitionsAreLimitedToo() async throws {
        let requests = EventLog<String>()
        let server = try server(losing: 100, requests: requests)
        let run = try await ToolRun.run(["call", url(server), "m", "--retry", "2", "--idempotent"])
        #expect(run.status == 5, "\(run.diagnostics)")
        #expect(requests.elements.count == 3)
    }

    @Test(arguments: [[], ["--as-batch", "2"], ["--notifications"]])
    func batchGoesOnInAnotherConnection(_ options: [String]) async throws {
        let requests = EventLog<String>()
        let server = try RawHTTPServer { connection in
            try connection.socket.acceptUpgrade()
            while let frame = try connection.socket.readFrame(), frame.opcode == RawFrame.Opcode.text {
                requests.record(frame.text)
                if connection.number == 1 { return }
                let ids = frame.text.matches(of: /"id":([0-9]+)/).map { $0.1 }
                let responses = ids.map { #"{"jsonrpc":"2.0","id":\#($0),"result":1}"# }
                let isArray = frame.text.hasPrefix("[")
                let text = responses.joined(separator: ",")
                try connection.socket.send(ToolScripts.text(isArray ? "[\(text)]" : text))
            }
        }
        let input = String(repeating: "{\"method\":\"m\"}\n", count: 4)
        let arguments = ["batch", url(server), "--concurrency", "1", "--retry", "2", "--idempotent"]
        let run = try await ToolRun.run(arguments + options, input: input)
        #expect(run.status == 0, "\(run.diagnostics)\(run.output)")
        #expect(run.output.matches(of: /"result":1/).count == 4)
    }

    // MARK: HTTP

    /// A server that answers its first POST with this status, and later ones with 1.
    private func server(beginningWith status: String, posts: EventLog<Int>) throws -> RawHTTPServer {
        try RawHTTPServer { connection in
            guard let head = try connection.readHead() else { return }
            let body = String(decoding: try connection.readBody(of: head), as: UTF8.self)
            posts.record(connection.number)
            if posts.elements.count == 1 {
                return try connection.socket.send(HTTPScripts.response(status, body: ""))
            }
            let id = body.firstMatch(of: /"id":([0-9]+)/)?.1 ?? "0"
            try connection.socket.send(HTTPScripts.response(#"{"jsonrpc":"2.0","id":\#(id),"result":1}"#))
        }
    }

    @Test(
        arguments: [
            ("503 Service Unavailable", [], false), ("503 Service Unavailable", ["--idempotent"], true),
            ("429 Too Many Requests", [], true), ("404 Not Found", ["--idempotent"], false),
        ] as [(String, [String], Bool)])
    func aStatusDecides(_ status: String, _ options: [String], _ isRepeated: Bool) async throws {
        for command in ["call", "batch"] {
            let posts = EventLog<Int>()
            let server = try server(beginningWith: status, posts: posts)
            let arguments = [command, server.url] + (command == "call" ? ["m"] : []) + ["--retry", "2"] + options
            let run = try await ToolRun.run(arguments, input: #"{"method":"m"}"#)
            #expect(run.status == (isRepeated ? 0 : 3), "\(run.diagnostics)")
            #expect(posts.elements.count == (isRepeated ? 2 : 1))
            #expect(run.diagnostics.contains("Attempt 2 begins after") == isRepeated)
            let reason = command == "call" ? "was answered with status \(status.prefix(3))" : "failed"
            #expect(run.diagnostics.contains("jsonrpc: The POST \(reason). Attempt 2") == isRepeated)
        }
    }
}
