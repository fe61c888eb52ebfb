// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import TestTurns
import Testing
import ToolSupport

@testable import jsonrpc

@Suite(.inTurn) struct CommandLineWordsTests {
    private func call(_ words: String..., environmentURL: String? = nil) throws -> CallCommand {
        try #require(try CommandLineWords.parse(["call"] + words, environmentURL: environmentURL) as? CallCommand)
    }

    @Test func negativeNumbersAreParams() throws {
        #expect(try call("ws://h", "m", "-1", "--compact", "-0.5").request.params()?.text == "[-1,-0.5]")
        #expect(try call("ws://h", "m", "--", "-x", "-1").request.params()?.text == #"["-x",-1]"#)
        #expect(try call("ws://h", "m", "-1x").request.params()?.text == #"["-1x"]"#)
    }

    @Test func asBatchMayHaveNoNumber() throws {
        func length(_ words: String..., environmentURL: String? = nil) throws -> Int? {
            let command = try CommandLineWords.parse(["batch"] + words, environmentURL: environmentURL)
            return try #require(command as? BatchCommand).batching.length
        }
        #expect(try length("ws://h") == nil)
        #expect(try length("ws://h", "--as-batch") == 100)
        #expect(try length("--as-batch", "ws://h", "--max-batch", "7") == 7)
        #expect(try length("--as-batch", environmentURL: "http://h") == 100)
        #expect(try length("--as-batch", "20", "ws://h") == 20)
        #expect(try length("ws://h", "--as-batch=20", "--max-batch", "30") == 20)
        #expect(try length("ws://h", "--max-batch", "30") == 30)
        #expect(throws: (any Error).self) { try length("ws://h", "--as-batch=x") }
    }

    @Test func theURLMayBeLeftOutWhereTheEnvironmentHasIt() throws {
        let short = try call("-v", "add", "1", environmentURL: "localhost:8080")
        #expect(short.url == "localhost:8080")
        #expect(short.request.method == "add")
        let whole = try call("ws://h", "add", "1", environmentURL: "localhost:8080")
        #expect(whole.url == "ws://h")
        // The method is missing, not the URL.
        #expect(throws: (any Error).self) { try call("ws://h", environmentURL: "localhost:8080") }
    }

    @Test(arguments: [
        ("localhost:8080", "ws://localhost:8080"), ("127.0.0.1:80/path?q", "ws://127.0.0.1:80/path?q"),
        ("[::1]:8080", "ws://[::1]:8080"), ("wss://host", "wss://host"), ("ws+unix:/socket", "ws+unix:/socket"),
        ("http://host", "http://host"), ("HTTPS://host", "HTTPS://host"),
    ])
    func addressesAreURLs(_ word: String, _ url: String) throws {
        #expect(try TargetURL.complete(word) == url)
    }

    @Test(arguments: [
        "subtract", "system.listMethods", "host:", "host:http", ":80", "a b:80", "host:123456", "a:b:80", "ftp://host",
    ])
    func otherWordsAreNot(_ word: String) {
        #expect(throws: UsageError.self) { try TargetURL.complete(word) }
    }

    @Test func eachCallOptionIsACall() throws {
        let listen = try #require(
            try CommandLineWords.parse(
                [
                    "listen", "ws://h", "--call", "a", "1", "-2", "--call=b", "--count", "3", "--call", "c", "{}",
                    "--call", "d", "--params", "{}",
                ], environmentURL: nil) as? ListenCommand)
        #expect(listen.call.map(\.method) == ["a", "b", "c", "d"])
        #expect(try listen.call.map { try $0.params()?.text } == ["[1,-2]", nil, "[{}]", "{}"])
        #expect(throws: (any Error).self) {
            try CommandLineWords.parse(["listen", "ws://h", "--call"], environmentURL: nil)
        }
    }

    @Test func everyCommandThatConnectsHasTheseOptions() throws {
        let options = ["--ping-interval", "none", "--compression", "--answer", "m=1", "--answer", "n=x", "-H", "@file"]
        let commands: [[String]] = [
            ["call", "ws://h", "m"], ["notify", "ws://h", "m"], ["batch", "ws://h"], ["listen", "ws://h"],
            ["bench", "ws://h", "m", "--requests", "1"], ["discover", "ws://h"],
            ["describe", "ws://h", "m"],
        ]
        for command in commands {
            _ = try JSONRPCCommand.parseAsRoot(command + options)
        }
        let connection = try call("ws://h", "m", "--ping-interval", "none", "--answer", "m={}").connection
        #expect(connection.pingInterval.duration == nil)
        #expect(connection.answers.map(\.name) == ["m"])
        #expect(try call("ws://h", "m").connection.pingInterval.duration == .seconds(20))
        #expect(throws: (any Error).self) { try call("ws://h", "m", "--answer", "m={") }
        #expect(throws: (any Error).self) { try call("ws://h", "m", "--answer", "m=1", "--answer", "m=2") }
    }

    @Test func serveHasALimitForCalls() throws {
        let standard = try #require(try JSONRPCCommand.parseAsRoot(["serve"]) as? ServeCommand)
        #expect(standard.maxCalls == 16_384)
        let command = try #require(try JSONRPCCommand.parseAsRoot(["serve", "--max-calls", "3"]) as? ServeCommand)
        #expect(command.maxCalls == 3)
        #expect(throws: (any Error).self) { try JSONRPCCommand.parseAsRoot(["serve", "--max-calls", "0"]) }
    }
}

@Suite(.inTurn) struct UsageTextTests {
    @Test(arguments: [
        ("no URL", "no URL"), ("'http://user:pass@host/x'", "'http://***@host/x'"),
        ("ws://bob:it's-\"secret@h", "ws://***@h"),
        ("a ws://a@b and ws://c:d@e@f.", "a ws://***@b and ws://***@f."), ("ws://host/@path", "ws://host/@path"),
    ])
    func secretsOfURLsAreLeftOut(_ text: String, _ expected: String) {
        #expect(UsageText.withoutSecrets(text) == expected)
    }

    @Test(arguments: [("cal", "call"), ("batsh", "batch"), ("sevre", "serve")])
    func similarWordsAreFound(_ word: String, _ expected: String) {
        #expect(SimilarWord.find(word, among: ["call", "batch", "serve", "bench"]) == expected)
    }

    @Test func otherWordsAreNot() {
        #expect(SimilarWord.find("x", among: ["call", "batch"]) == nil)
        #expect(SimilarWord.distance("kitten", "sitting") == 3)
    }
}
