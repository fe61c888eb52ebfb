// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

/// The tool with aria2, which supports JSON-RPC over WebSocket and HTTP on one port.
@Suite(.inTurn(within: .seconds(300))) struct ToolAria2Tests {
    @Test func callsAndErrorsAreAsOverWebSocket() async throws {
        try await Aria2.run { url, _, _ in
            let http = "http" + url.dropFirst("ws".count)
            for arguments in [
                ["aria2.getVersion"], ["system.listMethods"], ["aria2.tellStatus", "nothing"], ["no.such.method"],
            ] {
                let overHTTP = try await ToolRun.run(["call", http] + arguments)
                let overWebSocket = try await ToolRun.run(["call", url] + arguments)
                #expect(overHTTP.status == overWebSocket.status)
                #expect(overHTTP.output == overWebSocket.output)
                #expect(overHTTP.diagnostics == overWebSocket.diagnostics)
            }
        }
    }

    @Test func tenThousandLinesGiveTheSameAnswersOverHTTPAndWebSocket() async throws {
        let methods = ["aria2.getVersion", "system.listNotifications", "aria2.tellActive", "no.such.method"]
        let input = (1...10_000).map { #"{"method":"\#(methods[$0 % methods.count])","id":\#($0)}"# }
            .joined(separator: "\n")
        try await Aria2.run { url, _, _ in
            let http = "http" + url.dropFirst("ws".count)
            let expected = try await ToolRun.run(["batch", url, "--concurrency", "64"], input: input)
            #expect(expected.status == 1)
            #expect(expected.sortedLines.count == 10_000)
            for options in [["--concurrency", "16"], ["--as-batch", "100", "--window", "1s"]] {
                let run = try await ToolRun.run(["batch", http] + options, input: input)
                #expect(run.status == 1)
                #expect(run.sortedLines == expected.sortedLines)
                #expect(run.diagnostics == "")
            }
        }
    }
}
