// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import OpenRPC
import TestSupport
import TestTurns
import Testing

@testable import jsonrpc

/// `discover` and `generate`.
@Suite(.inTurn(within: .seconds(60))) struct DescriptionToolTests {
    @Test func discoverListsTheServersMethods() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["discover", url])
            #expect(run.status == 0)
            #expect(run.diagnostics == "Embedded server 1.0.0\n")
            let lines = run.output.split(separator: "\n")
            #expect(lines.count == 8)
            #expect(
                lines.contains(
                    "subtract(minuend: number, subtrahend: number) -> number  Returns the minuend minus the subtrahend."
                ))
        }
    }

    @Test func theDocumentCanBeGeneratedFrom() async throws {
        try await ToolRun.withServer { url in
            let document = try await ToolRun.run(["discover", url, "--json"])
            #expect(document.status == 0)
            let run = try await ToolRun.run(["generate", "-", "--name", "Server"], input: document.output)
            #expect(run.status == 0)
            #expect(run.diagnostics == "")
            #expect(run.output.contains("protocol Server: Sendable {"))
            #expect(
                run.output.contains("    func subtract(minuend: Double, subtrahend: Double) async throws -> Double\n"))
        }
    }

    @Test func whatIsNoDocumentIsRefused() async throws {
        let run = try await ToolRun.run(["generate", "-"], input: "{}")
        #expect(run.status == 2)
        #expect(run.output == "")
        #expect(
            run.diagnostics
                == "jsonrpc: Could not generate code from standard input. "
                + "Expected a string at openrpc, found nothing.\n")
        #expect(try await ToolRun.run(["generate", "/nonexistent/openrpc.json"]).status == 2)
        #expect(try await ToolRun.run(["generate", "-", "--access", "open"]).status == 2)
    }

    @Test func aServerThatCannotDescribeItselfIsAnError() async throws {
        let listener = try await JSONRPCListener.listen { session in
            session.handle("rpc.discover") { ["no": "document"] }
        }
        #expect(try await ToolRun.run(["discover", listener.url]).status == 6)
        let other = try await JSONRPCListener.listen { _ in }
        #expect(try await ToolRun.run(["discover", other.url]).status == 1)
        await listener.stop()
        await other.stop()
    }
}
