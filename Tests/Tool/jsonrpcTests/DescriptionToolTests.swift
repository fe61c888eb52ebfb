// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import OpenRPC
import TestSupport
import TestTurns
import Testing

@testable import jsonrpc

/// `discover`, `describe` and `generate`.
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

    @Test func inputThatIsNotADocumentIsRefused() async throws {
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

    @Test func describeExplainsAMethod() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["describe", url, "subtract"])
            #expect(run.status == 0)
            #expect(
                run.output == """
                    subtract(minuend: number, subtrahend: number) -> number
                      Returns the minuend minus the subtrahend.

                      minuend     number
                      subtrahend  number
                      returns     number

                      jsonrpc call \(url) subtract minuend=0 subtrahend=0

                    """)
            // The call can be pasted.
            let words = run.output.split(separator: "\n").last?.split(separator: " ").dropFirst().map(String.init) ?? []
            #expect(try await ToolRun.run(words).output == "0\n")
            let all = try await ToolRun.run(["describe", url])
            #expect(all.output.split(separator: "\n").filter { $0.hasPrefix("  jsonrpc call ") }.count > 8)
            let environment = try await ToolRun.run(["describe", "echo"], environment: ["JSONRPC_URL": url])
            #expect(environment.output.hasSuffix("\n  jsonrpc call echo\n"))
        }
    }

    @Test func aMethodThatIsNotDescribedHasAStatus() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["describe", url, "substract"])
            #expect(run.status == 8)
            #expect(run.output == "")
            #expect(
                run.diagnostics
                    == "jsonrpc: The server describes no method 'substract'. Did you mean 'subtract'?\n")
        }
        let listener = try await JSONRPCListener.listen { session in
            session.handle("rpc.discover") { ["no": "document"] }
        }
        #expect(try await ToolRun.run(["describe", listener.url, "m"]).status == 6)
        let other = try await JSONRPCListener.listen { _ in }
        let run = try await ToolRun.run(["describe", other.url, "m"])
        #expect(run.status == 1)
        #expect(run.diagnostics.hasPrefix("jsonrpc: The server has no rpc.discover"))
        await listener.stop()
        await other.stop()
    }
}
