// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// Calls and notifications of the tool over HTTP.
@Suite(.inTurn(within: .seconds(60))) struct ToolOverHTTPTests {
    @Test func callPrintsTheResultAndNothingElse() async throws {
        let bodies = HTTPScripts.Bodies()
        let server = try HTTPScripts.service(bodies: bodies)
        let run = try await ToolRun.run(["call", server.url, "echo", "42", "word", "--compact"])
        #expect(run.status == 0)
        #expect(run.output == "[42,\"word\"]\n")
        #expect(run.diagnostics == "")
        #expect(bodies.elements == [#"{"jsonrpc":"2.0","id":1,"method":"echo","params":[42,"word"]}"#])
        let head = try #require(server.heads.elements.first)
        #expect(head.hasPrefix("POST /rpc HTTP/1.1\r\n"))
        #expect(RawSocket.field("Content-Type", in: head) == "application/json")
    }

    @Test func theEnvironmentMayHoldTheURL() async throws {
        let server = try HTTPScripts.service()
        let run = try await ToolRun.run(
            ["call", "echo", "1", "--compact"], environment: ["JSONRPC_URL": server.url])
        #expect(run.output == "[1]\n")
    }

    @Test func extraMembersAndTheVersionAreOptions() async throws {
        let bodies = HTTPScripts.Bodies()
        let server = try HTTPScripts.service(bodies: bodies)
        let run = try await ToolRun.run(
            ["call", server.url, "echo", "--extra", "sessionId=7", "--jsonrpc", "none"])
        #expect(run.status == 0)
        #expect(bodies.elements == [#"{"id":1,"method":"echo","sessionId":7}"#])
    }

    @Test func anErrorObjectIsPrintedWhateverTheStatus() async throws {
        for status in ["200 OK", "400 Bad Request", "500 Internal Server Error"] {
            let server = try HTTPScripts.service(status: status)
            let run = try await ToolRun.run(["call", server.url, "fail", "--compact"])
            #expect(run.status == 1)
            #expect(run.output == "")
            #expect(run.diagnostics == "{\"code\":7,\"message\":\"seven\"}\n")
        }
    }

    @Test func notifySucceedsWithTheStatus() async throws {
        let bodies = HTTPScripts.Bodies()
        let server = try HTTPScripts.service(bodies: bodies)
        let run = try await ToolRun.run(["notify", server.url, "log", "a=1"])
        #expect(run.status == 0)
        #expect(run.output + run.diagnostics == "")
        #expect(bodies.elements == [#"{"jsonrpc":"2.0","method":"log","params":{"a":1}}"#])
        let broken = try HTTPScripts.server(answering: HTTPScripts.response("503 Service Unavailable", body: "later"))
        let failed = try await ToolRun.run(["notify", broken.url, "log"])
        #expect(failed.status == 3)
        #expect(failed.diagnostics.contains("status 503"))
    }

    @Test func discoverListsTheMethods() async throws {
        let document =
            #"{"openrpc":"1.3.2","info":{"title":"T","version":"1"},"methods":[{"name":"add","params":[]}]}"#
        let server = try HTTPScripts.server(
            answering: HTTPScripts.response(#"{"jsonrpc":"2.0","id":1,"result":\#(document)}"#))
        let run = try await ToolRun.run(["discover", server.url])
        #expect(run.status == 0)
        #expect(run.output == "add()\n")
        #expect(run.diagnostics == "T 1\n")
    }

    @Test(arguments: [
        ["call", "m"], ["notify", "m"], ["batch"], ["discover"], ["bench", "m", "--requests", "1"],
    ])
    func withoutAServerTheStatusSaysSo(_ words: [String]) async throws {
        var arguments = words
        arguments.insert("http://127.0.0.1:1/", at: 1)
        let run = try await ToolRun.run(arguments, input: #"{"method":"m"}"#)
        #expect(run.status == 3)
        #expect((run.output + run.diagnostics).contains("Could not connect"))
        #expect(!run.output.contains("outcome_unknown"))
    }

    @Test func aCallWithoutAnswerTimesOut() async throws {
        let server = try RawHTTPServer { connection in
            _ = try connection.readHead()
            connection.waitForEnd()
        }
        let run = try await ToolRun.run(["call", server.url, "m", "--timeout", "100ms"])
        #expect(run.status == 4)
        #expect(run.output == "")
        #expect(run.diagnostics.hasSuffix(" Raise --timeout to wait longer.\n"))
    }

    @Test func anInterruptedCallEnds() async throws {
        let server = try RawHTTPServer { connection in
            _ = try connection.readHead()
            connection.waitForEnd()
        }
        let call = try PeerProcess(ToolRun.program, ["call", server.url, "m", "-v"])
        _ = try await call.line(containing: "--> ")
        call.signal(SIGINT)
        #expect(try await call.exitStatus() == 130)
    }

    @Test func verboseShowsHeadsAndBodies() async throws {
        let server = try HTTPScripts.service(status: "201 Created")
        let run = try await ToolRun.run(["call", server.url, "echo", "1", "-v", "--compact"])
        #expect(run.output == "[1]\n")
        let lines = run.diagnostics.split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("* POST \(server.url) (Content-Type: application/json, Accept: application/json"))
        #expect(lines[1] == #"--> {"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}"#)
        #expect(lines[2].hasPrefix("* 201"))
        #expect(lines[2].contains("Content-Type: application/json"))
        #expect(lines[2].contains("Content-Length: 37"))
        #expect(lines[3] == #"<-- {"jsonrpc":"2.0","id":1,"result":[1]}"#)
    }

    @Test func benchReportsAsOverWebSocket() async throws {
        let server = try HTTPScripts.service()
        let run = try await ToolRun.run(["bench", server.url, "echo", "[1]", "--requests", "50", "--concurrency", "4"])
        #expect(run.status == 0)
        #expect(run.output.contains("calls       50\nerrors      0\nin flight   4 in at most 4 POSTs\n"))
        let json = try await ToolRun.run(["bench", server.url, "fail", "--requests", "5", "--json"])
        #expect(json.status == 1)
        #expect(json.output.hasPrefix(#"{"calls":5,"errors":5,"#))
    }

    @Test func benchGathersCalls() async throws {
        let bodies = HTTPScripts.Bodies()
        let server = try HTTPScripts.service(bodies: bodies)
        let run = try await ToolRun.run([
            "bench", server.url, "echo", "[1]", "--requests", "40", "--concurrency", "8", "--as-batch", "8", "--window",
            "1h",
        ])
        #expect(run.status == 0)
        #expect(bodies.elements.count == 5)
        #expect(bodies.elements.allSatisfy { $0.split(separator: "\"method\"").count == 9 })
    }
}
