// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TestSupport
import TestTurns
import Testing

/// `batch` over HTTP, from end to end.
@Suite(.inTurn(within: .seconds(60))) struct ToolHTTPBatchTests {
    private let input = (1...200).map { #"{"method":"echo","params":[\#($0)]}"# }.joined(separator: "\n")
    private let answers = (1...200).map { #"{"jsonrpc":"2.0","id":\#($0),"result":[\#($0)]}"# }.sorted()

    /// The number of requests in a body.
    private func members(_ body: String) -> Int { body.split(separator: "\"method\"").count - 1 }

    @Test func eachLineIsAPOST() async throws {
        let bodies = HTTPScripts.Bodies()
        let server = try HTTPScripts.service(bodies: bodies)
        let run = try await ToolRun.run(["batch", server.url], input: input)
        #expect(run.status == 0)
        #expect(run.sortedLines == answers)
        #expect(bodies.elements.count == 200)
        #expect(bodies.elements.allSatisfy { $0.hasPrefix("{") })
    }

    @Test(arguments: [
        (["--as-batch", "7"], 7), (["--as-batch"], 100), (["--as-batch", "--max-batch", "30"], 30),
        (["--max-batch", "64", "--window", "1h"], 64), (["--as-batch", "50", "--max-batch", "20"], 20),
    ])
    func arraysHoldAsManyLinesAsAskedFor(_ options: [String], _ length: Int) async throws {
        let bodies = HTTPScripts.Bodies()
        let server = try HTTPScripts.service(bodies: bodies)
        let run = try await ToolRun.run(["batch"] + options + [server.url], input: input)
        #expect(run.status == 0)
        #expect(run.sortedLines == answers)
        let rest = 200 % length
        let expected = Array(repeating: length, count: 200 / length) + (rest == 0 ? [] : [rest])
        #expect(bodies.elements.map(members).sorted(by: >) == expected)
        #expect(bodies.elements.allSatisfy { $0.hasPrefix("[") })
    }

    @Test func labelsErrorsAndNotificationsAreAsOverWebSocket() async throws {
        let server = try HTTPScripts.service()
        let lines = """
            {"method":"echo","params":[1]}
            {"method":"fail","id":"f"}

            {"method":"log","notification":true}
            not JSON
            """
        let run = try await ToolRun.run(["batch", server.url], input: lines)
        #expect(run.status == 2)
        let output = run.sortedLines
        #expect(output.count == 3)
        #expect(output.contains(#"{"jsonrpc":"2.0","id":1,"result":[1]}"#))
        #expect(output.contains(#"{"jsonrpc":"2.0","id":"f","error":{"code":7,"message":"seven"}}"#))
        let failure = #"{"id":null,"line":5,"failure":{"kind":"invalid","delivery":"not_sent","#
        #expect(output.contains { $0.hasPrefix(failure) })
    }

    @Test(arguments: [[], ["--as-batch", "2"]]) func aStatusWithoutResponsesFailsTheLinesOfItsPOST(
        _ options: [String]
    ) async throws {
        let server = try HTTPScripts.server(answering: HTTPScripts.response("503 Service Unavailable", body: "later"))
        let run = try await ToolRun.run(
            ["batch", server.url] + options, input: "{\"method\":\"a\"}\n{\"method\":\"b\"}\n")
        #expect(run.status == 3)
        #expect(run.sortedLines.count == 2)
        for line in run.sortedLines {
            // A gateway can answer 503 after the server behind it has executed the calls.
            #expect(
                line.contains(
                    #""failure":{"kind":"status","delivery":"outcome_unknown","message":"The server answered"#))
            #expect(line.contains("status 503"))
        }
        #expect(run.diagnostics.contains("leave out --as-batch") == !options.isEmpty)
    }

    @Test func aServerThatAnswersAnyBatchDoesNotCountAsOneWithoutBatches() async throws {
        let server = try HTTPScripts.service()
        let run = try await ToolRun.run(["batch", server.url, "--as-batch", "20"], input: input)
        #expect(run.status == 0)
        #expect(!run.diagnostics.contains("--as-batch"))
    }

    @Test func aMissingResponseFailsItsLineAlone() async throws {
        let empty = try HTTPScripts.server(answering: HTTPScripts.response(""))
        let lines = "{\"method\":\"a\"}\n{\"method\":\"b\"}\n"
        let all = try await ToolRun.run(["batch", empty.url, "--as-batch"], input: lines)
        #expect(all.status == 6)
        #expect(all.sortedLines.count == 2)
        #expect(all.sortedLines.allSatisfy { $0.contains(#""kind":"protocol","delivery":"#) })

        let partial = try HTTPScripts.server(
            answering: HTTPScripts.response(#"[null,{"jsonrpc":"2.0","id":2,"result":"b"}]"#))
        let one = try await ToolRun.run(["batch", partial.url, "--as-batch"], input: lines)
        #expect(one.status == 6)
        #expect(one.sortedLines.count == 2)
        #expect(one.sortedLines.contains(#"{"jsonrpc":"2.0","id":2,"result":"b"}"#))
        #expect(one.sortedLines.contains { $0.hasPrefix(#"{"id":1,"failure":{"kind":"protocol","#) })
    }

    @Test func oneErrorForAnArrayIsTheErrorOfEachLine() async throws {
        let server = try HTTPScripts.server(
            answering: HTTPScripts.response(
                "400 Bad Request", body: #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no arrays"}}"#))
        let run = try await ToolRun.run(
            ["batch", server.url, "--as-batch"], input: "{\"method\":\"a\"}\n{\"method\":\"b\"}\n")
        #expect(run.status == 1)
        #expect(
            run.sortedLines
                == [1, 2].map {
                    #"{"jsonrpc":"2.0","id":\#($0),"error":{"code":-32600,"message":"no arrays"}}"#
                })
    }

    @Test func aServerThatTakesNoArraysGetsTheLinesOneByOne() async throws {
        let bodies = HTTPScripts.Bodies()
        let server = try RawHTTPServer { connection in
            while let head = try connection.readHead() {
                let body = String(decoding: try connection.readBody(of: head), as: UTF8.self)
                bodies.record(body)
                let isArray = body.hasPrefix("[")
                try connection.socket.send(
                    isArray
                        ? HTTPScripts.response("413 Content Too Large", body: "")
                        : HTTPScripts.response(body.replacing(/"method".*/) { _ in #""result":1}"# }))
            }
        }
        let run = try await ToolRun.run(["batch", server.url, "--as-batch", "4"], input: input)
        #expect(run.status == 0)
        #expect(run.sortedLines.count == 200)
        #expect(bodies.elements.filter { $0.hasPrefix("{") }.count == 200)
    }

    @Test func aLostConnectionFailsItsPOSTAlone() async throws {
        let server = try RawHTTPServer { connection in
            while let head = try connection.readHead() {
                let body = String(decoding: try connection.readBody(of: head), as: UTF8.self)
                if body.contains("lose") { return }
                try connection.socket.send(
                    HTTPScripts.response(body.replacing(/"method".*/) { _ in #""result":1}"# }))
            }
        }
        let lines = #"{"method":"a"}"# + "\n" + #"{"method":"lose"}"# + "\n" + #"{"method":"c"}"#
        let run = try await ToolRun.run(["batch", server.url, "--concurrency", "1"], input: lines)
        #expect(run.status == 5)
        #expect(run.sortedLines.filter { $0.contains("\"result\":1") }.count == 2)
        #expect(run.output.contains(#"{"id":2,"failure":{"kind":"lost","delivery":"outcome_unknown","#))
    }

    @Test func postsInFlightStayWithinTheLimit() async throws {
        let posts = Mutex((now: 0, most: 0))
        let server = try RawHTTPServer { connection in
            while let head = try connection.readHead() {
                posts.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                let body = String(decoding: try connection.readBody(of: head), as: UTF8.self)
                posts.withLock { $0.now -= 1 }
                try connection.socket.send(
                    HTTPScripts.response(body.replacing(/"method".*/) { _ in #""result":1}"# }))
            }
        }
        let run = try await ToolRun.run(["batch", server.url, "--concurrency", "3"], input: input)
        #expect(run.status == 0)
        #expect(run.sortedLines.count == 200)
        #expect((1...3).contains(posts.withLock { $0.most }))
    }

    // MARK: While the input stays open

    /// Runs `batch` with a line of input. The rest arrives when the input of this process ends.
    private func batch(_ url: String, _ options: String...) throws -> PeerProcess {
        try PeerProcess(
            "/bin/sh",
            [
                "-c", #"{ echo '{"method":"echo","params":[1]}'; exec cat; } | "$@""#, "sh", ToolRun.program, "batch",
                url,
            ]
                + options)
    }

    @Test func aBatchThatIsNotFullIsSentAfterTheWindow() async throws {
        let server = try HTTPScripts.service()
        let batch = try batch(server.url, "--as-batch", "100", "--window", "10ms")
        _ = try await batch.line(containing: #"{"jsonrpc":"2.0","id":1,"result":[1]}"#)
        batch.closeInput()
        #expect(try await batch.exitStatus() == 0)
    }

    @Test func theWindowWorksOverWebSocketToo() async throws {
        try await ToolRun.withServer { url in
            let batch = try batch(url, "--as-batch", "100", "--window", "10ms")
            _ = try await batch.line(containing: #"{"jsonrpc":"2.0","id":1,"result":[1]}"#)
            batch.closeInput()
            #expect(try await batch.exitStatus() == 0)
        }
    }

    /// The server sends an empty response after each real one, so that each connection serves one request.
    @Test(arguments: [[], ["--concurrency", "1"], ["--as-batch", "7"]])
    func batchGoesOnAfterConnectionsThatEndWithSurplusBytes(_ options: [String]) async throws {
        let server = try RawHTTPServer { connection in
            while let head = try connection.readHead() {
                let body = String(decoding: try connection.readBody(of: head), as: UTF8.self)
                let answer = body.replacing(#""method":"m""#, with: #""result":1"#)
                try connection.socket.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(answer.utf8.count)\r\n\r\n"
                        + answer + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let input = String(repeating: #"{"method":"m"}"# + "\n", count: 300)
        let run = try await ToolRun.run(["batch", server.url] + options, input: input)
        #expect(run.status == 0, "\(run.diagnostics)")
        #expect(run.sortedLines.count == 300)
        #expect(run.sortedLines.allSatisfy { $0.hasSuffix(#""result":1}"#) })
    }

    @Test func batchStopsReadingIfAPOSTCannotConnect() async throws {
        let batch = try batch("http://127.0.0.1:1/")
        let line = try await batch.line(containing: "Standard input")
        #if AsyncHTTPClient
            #expect(line.hasPrefix("jsonrpc: Could not connect to 127.0.0.1:1: Connection refused."))
        #else
            // The rest depends on the version of libcurl.
            #expect(line.hasPrefix("jsonrpc: Could not connect"))
        #endif
        #expect(line.hasSuffix(" Standard input from line 2 on was not read."))
        #expect(batch.log.contains(#"{"id":1,"failure":{"kind":"connect","delivery":"not_sent","#))
        batch.closeInput()
        #expect(try await batch.exitStatus() == 3)
    }
}
