// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// The tool from end to end: two processes and a socket between them.
@Suite(.inTurn(within: .seconds(60))) struct ToolTests {
    // MARK: call, notify

    @Test func callPrintsTheResultAndNothingElse() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["call", url, "echo", "42", "word", #"{"a":[]}"#])
            #expect(run.status == 0)
            #expect(run.output == "[\n  42,\n  \"word\",\n  {\n    \"a\": []\n  }\n]\n")
            #expect(run.diagnostics == "")
            let compact = try await ToolRun.run(["call", url, "subtract", "minuend=42", "subtrahend=23", "--compact"])
            #expect(compact.status == 0)
            #expect(compact.output == "19\n")
        }
    }

    @Test func paramsComeFromFilesAndStandardInput() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "params.json")
        try Data(#"{"a": 1.50}"#.utf8).write(to: file)
        let path = file.path(percentEncoded: false)
        try await ToolRun.withServer { url in
            let fromFile = try await ToolRun.run(["call", url, "echo", "--params", "@\(path)", "--compact"])
            #expect(fromFile.output == "{\"a\":1.50}\n")
            let fromInput = try await ToolRun.run(["call", url, "echo", "--params", "-", "--compact"], input: "[7]\n")
            #expect(fromInput.output == "[7]\n")
        }
    }

    @Test func anErrorObjectGoesToStandardErrorAsJSON() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["call", url, "fail", "7", "seven", #"{"x":1}"#, "--compact"])
            #expect(run.status == 1)
            #expect(run.output == "")
            #expect(run.diagnostics == "{\"code\":7,\"message\":\"seven\",\"data\":{\"x\":1}}\n")
        }
    }

    @Test func aCallWithoutAnswerTimesOut() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["call", url, "sleep", "600", "--timeout", "2"])
            #expect(run.status == 4)
            #expect(run.output == "")
            #expect(run.diagnostics.hasPrefix("jsonrpc: "))
            #expect(run.diagnostics.hasSuffix(" Raise --timeout to wait longer.\n"))
            // It is a limit, however short it is.
            #expect(try await ToolRun.run(["call", url, "sleep", "600", "--timeout", "0.0000000001"]).status == 4)
        }
    }

    @Test(arguments: [
        ["call", "ws://127.0.0.1:1/", "m"], ["call", "ws://no-such-host.invalid/", "m"],
        ["call", "ws+unix:/nonexistent/socket", "m"], ["notify", "ws://127.0.0.1:1/", "m"],
        ["batch", "ws://127.0.0.1:1/"], ["listen", "ws://127.0.0.1:1/"],
        ["bench", "ws://127.0.0.1:1/", "m", "--requests", "1"],
    ])
    func withoutAConnectionTheStatusSaysSo(_ arguments: [String]) async throws {
        let run = try await ToolRun.run(arguments)
        #expect(run.status == 3)
        #expect(run.output == "")
        #expect(run.diagnostics.hasPrefix("jsonrpc: Could not "))
    }

    @Test(arguments: [
        ["call", "ftp://127.0.0.1/", "m"], ["call", "ws://127.0.0.1:1/", "m", "{bad"], ["nonsense"], [],
        ["call", "ws://127.0.0.1:1/", "m", "-H", "A: b\r\nC: d"],
    ])
    func invalidArgumentsAreUsageErrors(_ arguments: [String]) async throws {
        let run = try await ToolRun.run(arguments)
        #expect(run.status == 2)
        #expect(run.output == "")
        #expect(run.diagnostics != "")
    }

    @Test func helpAndVersionGoToStandardOutput() async throws {
        let help = try await ToolRun.run(["call", "--help"])
        #expect(help.status == 0)
        #expect(help.output.contains("--connect-timeout"))
        #expect(help.output.contains("(default: 10)"))
        #expect(help.output.contains("(default: 60)"))
        #expect(try await ToolRun.run(["--version"]).status == 0)
    }

    @Test func verboseShowsTheMessagesOnStandardError() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(
                ["call", url, "add", "1", "2", "-v", "--extra", "sessionId=7", "--jsonrpc", "none"])
            #expect(run.status == 0)
            #expect(run.output == "3\n")
            let lines = run.diagnostics.split(separator: "\n")
            #expect(lines.contains(#"--> {"id":1,"method":"add","params":[1,2],"sessionId":7}"#))
            #expect(lines.contains(#"<-- {"jsonrpc":"2.0","id":1,"result":3}"#))
            #expect(lines.last == "* closed from here, code 1000")
        }
    }

    @Test func notifySendsAndCloses() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["notify", url, "log", "a=1", "-v"])
            #expect(run.status == 0)
            #expect(run.output == "")
            #expect(run.diagnostics.contains(#"--> {"jsonrpc":"2.0","method":"log","params":{"a":1}}"#))
        }
    }

    // MARK: batch

    @Test func batchAnswersEachLineUnderItsLabel() async throws {
        let input = """
            {"method":"echo","params":[1]}
            {"method":"fail","params":[5,"five"],"id":"f"}

            {"method":"echo","notification":true}
            {"method":"sleep","params":[600]}
            not JSON
            """
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["batch", url, "--timeout", "2"], input: input)
            #expect(run.status == 2)
            let lines = run.sortedLines
            #expect(lines.count == 4)
            #expect(lines.contains(#"{"jsonrpc":"2.0","id":1,"result":[1]}"#))
            #expect(lines.contains(#"{"jsonrpc":"2.0","id":"f","error":{"code":5,"message":"five"}}"#))
            #expect(
                lines.contains {
                    $0.hasPrefix(#"{"id":5,"failure":{"kind":"timeout","delivery":"outcome_unknown","message":""#)
                })
            #expect(
                lines.contains {
                    $0.hasPrefix(
                        #"{"id":null,"line":6,"failure":{"kind":"invalid","delivery":"not_sent","message":""#)
                })
        }
    }

    @Test(arguments: [
        ["--concurrency", "1"], ["--concurrency", "1000"], ["--as-batch", "7"], ["--as-batch", "1000"],
    ])
    func batchLosesNothing(_ options: [String]) async throws {
        let input = (1...1000).map { #"{"method":"echo","params":[\#($0)]}"# }.joined(separator: "\n")
        let expected = (1...1000).map { #"{"jsonrpc":"2.0","id":\#($0),"result":[\#($0)]}"# }.sorted()
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["batch", url] + options, input: input)
            #expect(run.status == 0)
            #expect(run.sortedLines == expected)
        }
    }

    @Test(arguments: [
        ["--concurrency", "1000"], ["--concurrency", "8"], ["--as-batch", "7", "--concurrency", "1000"],
    ])
    func batchSendsInTheOrderOfTheLines(_ options: [String]) async throws {
        let input = (1...300).map {
            #"{"method":"echo","params":[\#($0)]\#($0.isMultiple(of: 3) ? #","notification":true"# : "")}"#
        }
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["batch", url, "-v"] + options, input: input.joined(separator: "\n"))
            #expect(run.status == 0)
            let sent = run.diagnostics.split(separator: "\n").filter { $0.hasPrefix("--> ") }
            let numbers = sent.flatMap { $0.matches(of: /"params":\[([0-9]+)\]/).compactMap { Int($0.1) } }
            #expect(numbers == Array(1...300))
        }
    }

    // MARK: listen

    @Test func listenPrintsAsManyNotificationsAsAskedFor() async throws {
        let expected = (1...3).map {
            #"{"jsonrpc":"2.0","method":"tick","params":{"subscription":1,"tick":\#($0)}}"# + "\n"
        }
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(
                ["listen", url, "--call", "tick.subscribe", "interval=0.001", "--count", "3"])
            #expect(run.status == 0)
            #expect(run.output == expected.joined())
            #expect(run.diagnostics == "1\n")
            let whole = try await ToolRun.run(["listen", url, "--call", "tick.subscribe", "0", "3", "--count", "3"])
            #expect(whole.output == expected.joined())
        }
    }

    @Test func listenEndsWithTheSubscriptionsError() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["listen", url, "--call", "no.such.method"])
            #expect(run.status == 1)
            #expect(run.output == "")
            #expect(run.diagnostics.contains("-32601"))
        }
    }

    // MARK: bench

    @Test func benchPrintsOneJSONObjectAndWritesItsHistogram() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appending(path: "run.hlog")
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run([
                "bench", url, "echo", "[1]", "--concurrency", "20", "--connections", "2", "--requests", "500", "--json",
                "--histogram", log.path(percentEncoded: false),
            ])
            #expect(run.status == 0)
            #expect(run.diagnostics == "")
            struct Report: Decodable {
                var calls, errors: Int
                var seconds, calls_per_second: Double
                var latency_us: [String: Double]
            }
            let report = try RawJSON(validating: run.output).decode(as: Report.self)
            #expect(report.calls == 500)
            #expect(report.errors == 0)
            #expect(report.seconds > 0)
            #expect(report.calls_per_second > 0)
            #expect(Set(report.latency_us.keys) == ["p50", "p90", "p99", "p999", "max"])
            #expect(report.latency_us["p50"] ?? 0 <= report.latency_us["max"] ?? 0)
        }
        #expect(try String(contentsOf: log, encoding: .utf8).contains(",HISTFAAA"))
    }

    @Test func benchCountsErrorObjects() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["bench", url, "fail", "--requests", "10"])
            #expect(run.status == 1)
            #expect(run.output.contains("errors      10 (error object: 10)\n"))
        }
    }

    // MARK: serve

    @Test func serveSpeaksTLSWithTheCertificateItIsGiven() async throws {
        let certificates = try await Certificates.shared()
        try await ToolRun.withServer(identity: certificates[.server]) { url in
            let known = try await ToolRun.run(["call", url, "add", "1", "2", "--cacert", certificates.authority])
            #expect(known.status == 0)
            #expect(known.output == "3\n")
            let unknown = try await ToolRun.run(["call", url, "add", "1", "2"])
            #expect(unknown.status == 3)
            #expect(unknown.output == "")
            #expect(unknown.diagnostics.contains("certificate"))
            #expect(unknown.diagnostics.contains("--cacert"))
        }
    }

    @Test func serveSaysWhichCertificateCannotBeRead() async throws {
        let key = try await Certificates.shared()[.server].key
        let run = try await ToolRun.run(["serve", "--port", "0", "--cert", "/nonexistent.pem", "--key", key])
        #expect(run.status == 2)
        #expect(run.output == "")
        #expect(run.diagnostics.contains("/nonexistent.pem"))
    }

    // MARK: Signals and streams

    @Test func anInterruptedCallClosesItsConnection() async throws {
        try await ToolRun.withServer { url in
            let call = try PeerProcess(ToolRun.program, ["call", url, "sleep", "600", "-v"])
            _ = try await call.line(containing: "--> ")
            call.signal(SIGINT)
            #expect(try await call.exitStatus() == 130)
            _ = try await call.line(containing: "* closed from here, code 1000")
        }
    }

    @Test func interruptingListenIsItsOrdinaryEnd() async throws {
        try await ToolRun.withServer { url in
            let listen = try PeerProcess(ToolRun.program, ["listen", url, "-v", "--call", "tick.subscribe", "0.001"])
            _ = try await listen.line(containing: #""tick":3"#)
            listen.signal(SIGINT)
            #expect(try await listen.exitStatus() == 0)
            _ = try await listen.line(containing: "* closed from here, code 1000")
        }
    }

    @Test func aReaderWhoGoesAwayEndsListen() async throws {
        try await ToolRun.withServer { url in
            let pipeline = try PeerProcess(
                "/bin/sh",
                [
                    "-c", #"{ "$1" listen "$2" --call tick.subscribe 0.001; echo "status $?" >&2; } | head -n 1"#,
                    "sh", ToolRun.program, url,
                ])
            #expect(try await pipeline.line(containing: "status") == "status 141")
        }
    }

    @Test func aServerThatGoesAwayIsAConnectionLost() async throws {
        let server = try PeerProcess(
            "/bin/sh", ["-c", #"exec "$1" serve --port 0 2>/dev/null"#, "sh", ToolRun.program])
        let port = try #require(Int(try await server.firstLine()))
        let call = try PeerProcess(ToolRun.program, ["call", "ws://127.0.0.1:\(port)/", "sleep", "600", "-v"])
        _ = try await call.line(containing: "--> ")
        await server.stop()
        #expect(try await call.exitStatus() == 5)
    }

    @Test(arguments: [["demo"], ["demo", "--engine", "libwebsockets"]])
    func theDemonstrationEndsWell(_ arguments: [String]) async throws {
        let run = try await ToolRun.run(arguments)
        #expect(run.status == 0)
        #expect(run.diagnostics == "")
        for part in [
            "out of order", "<-- tick 5", "Hello, server!", "CancellationError", "timeout of 150 ms failed",
            ".gap(reconnected)", "waited for the connection: add[20,22] = 42",
        ] {
            #expect(run.output.contains(part))
        }
    }
}
