// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import LoadTester
import TestTurns
import Testing
import ToolSupport

@testable import jsonrpc

@Suite(.inTurn) struct TimeOptionTests {
    @Test(arguments: [
        ("5", Duration.seconds(5)), ("0.25", .milliseconds(250)), ("250ms", .milliseconds(250)), ("5s", .seconds(5)),
        ("2m", .seconds(120)), ("1h", .seconds(3600)), ("0", .zero),
        ("0.0004", .microseconds(400)), ("0.1ms", .microseconds(100)), ("0.0000001", .nanoseconds(100)),
        ("1000000000", .seconds(1_000_000_000)),
    ])
    func readsSecondsAndUnits(_ text: String, _ expected: Duration) {
        #expect(TimeOption(argument: text)?.duration == expected)
    }

    @Test(arguments: ["", "s", "-1", "1e9", "0x1", "nan", "inf", "1 s", "5 minutes", "1.2.3", "99999999999h"])
    func refusesTheRest(_ text: String) {
        #expect(TimeOption(argument: text) == nil)
    }

    @Test func noLimitIsNoneOrZero() {
        for text in ["none", "0", "0.000", "0ms"] {
            #expect(TimeLimitOption(argument: text) == TimeLimitOption(duration: nil))
        }
        #expect(TimeLimitOption(argument: "2") == TimeLimitOption(duration: .seconds(2)))
        #expect(TimeLimitOption(argument: "never") == nil)
    }

    @Test(arguments: ["0.0004", "0.0001ms", "0.00000000000001", "0." + String(repeating: "0", count: 400) + "1"])
    func theShortestTimesAreNotZero(_ text: String) throws {
        #expect(try #require(TimeOption(argument: text)).duration > .zero)
        #expect(try #require(TimeLimitOption(argument: text)?.duration) > .zero)
    }

    @Test(arguments: ["60", "0.25", "0.0004", "0.000000001", "1000000000", "0.1", "3600.5"])
    func defaultsAreShownAsTheyAreTyped(_ text: String) throws {
        #expect(try #require(TimeOption(argument: text)).defaultValueDescription == text)
        #expect(try #require(TimeLimitOption(argument: text)).defaultValueDescription == text)
    }

    @Test func noLimitIsShownAsNone() {
        #expect(TimeLimitOption(duration: nil).defaultValueDescription == "none")
    }
}

@Suite(.inTurn) struct HeaderOptionTests {
    @Test func splitsAtTheFirstColon() throws {
        let header = try #require(HeaderOption(argument: "Authorization:  Bearer a:b"))
        #expect(header.name == "Authorization")
        #expect(header.value == "Bearer a:b")
        #expect(HeaderOption(argument: "X-Empty:")?.value == "")
    }

    @Test(arguments: ["", "no colon", ": value", "Bad Name: x"]) func refusesWhatIsNoField(_ text: String) {
        #expect(HeaderOption(argument: text) == nil)
    }
}

@Suite(.inTurn) struct CommandLineTests {
    @Test func callTakesAllItsOptions() throws {
        let command = try #require(
            try JSONRPCCommand.parseAsRoot([
                "call", "wss://host/", "m", "1", "word", "-H", "A: b", "--header", "C: d", "--subprotocol", "mcp",
                "--cacert", "ca.pem", "--cert", "c.pem", "--key", "k.pem", "--connect-timeout", "2",
                "--timeout", "500ms", "--jsonrpc", "none", "--extra", "sessionId=7", "-v", "--compact",
            ]) as? CallCommand)
        #expect(command.url == "wss://host/")
        #expect(command.request.method == "m")
        #expect(try command.request.params()?.text == #"[1,"word"]"#)
        #expect(try command.connection.headerSources.flatMap { try $0.fields() }.map(\.name) == ["A", "C"])
        #expect(command.connection.subprotocols == ["mcp"])
        #expect(command.connection.cacert == "ca.pem")
        #expect(command.connection.connectTimeout.duration == .seconds(2))
        #expect(command.connection.timeout.duration == .milliseconds(500))
        #expect(command.connection.version == VersionOption.none)
        #expect(command.connection.extraMembers.map(\.value) == ["7"])
        #expect(command.connection.verbose)
        #expect(command.formatter == JSONFormatter(style: .compact))
    }

    @Test func dashesBeginParamsBehindADoubleDash() throws {
        let command = try #require(try JSONRPCCommand.parseAsRoot(["call", "ws://h", "m", "--", "-1"]) as? CallCommand)
        #expect(try command.request.params()?.text == "[-1]")
    }

    @Test(
        arguments: [
            ["call"], ["call", "ws://h"], ["nonsense"], ["call", "ws://h", "m", "--nonsense"],
            ["call", "ws://h", "m", "1", "--params", "[2]"], ["call", "ws://h", "m", "--timeout", "soon"],
            ["call", "ws://h", "m", "--cert", "only"], ["call", "ws://h", "m", "-H", "no colon"],
            ["call", "ws://h", "m", "--jsonrpc", "1.0"], ["call", "ws://h", "m", "--extra", "x={"],
            ["call", "ws://h", "m", "--insecure", "--cacert", "x"], ["call", "ws://h", "m", "--get", "version"],
            ["call", "ws://h", "m", "--idempotent"], ["batch", "ws://h", "--retry=-1"],
            ["call", "ws://h", "m", "--retry", "1001"],
            ["batch", "ws://h", "--concurrency", "0"], ["batch", "ws://h", "--as-batch", "0"],
            ["batch", "ws://h", "--max-batch", "0"], ["batch", "ws://h", "--window", "1"],
            ["bench", "http://h", "m", "--requests", "1", "--window", "1"],
            ["bench", "ws://h", "m", "--rate", "fast"], ["bench", "ws://h", "m", "--requests", "0"],
            ["bench", "ws://h", "m", "--requests", "1", "--duration", "1"],
            ["bench", "ws://h", "m", "--requests", "1", "--connections", "2"],
            ["listen", "ws://h", "--count", "0"], ["serve", "--cert", "only"], ["serve", "--port", "65536"],
        ])
    func invalidArgumentsAreUsageErrors(_ arguments: [String]) async {
        #expect(await JSONRPCCommand.run(arguments) == .usage)
    }

    @Test(arguments: [["call", "ws://h", "m", "{bad"], ["call", "ws://h", "m", "--params", "@/nonexistent"]])
    func paramsThatCannotBeReadAreAUsageError(_ arguments: [String]) async {
        #expect(await JSONRPCCommand.run(arguments) == .usage)
    }

    @Test func runsLastTenSecondsByDefault() throws {
        func length(_ options: [String]) throws -> Workload.Limit? {
            let command = try CommandLineWords.parse(["bench", "ws://h", "m"] + options, environmentURL: nil)
            return try (command as? BenchCommand)?.load.workload().limit
        }
        #expect(try length([]) == .duration(.seconds(10)))
        #expect(try length(["--rate", "1..5"]) == .duration(.seconds(10)))
        #expect(try length(["--duration", "3"]) == .duration(.seconds(3)))
        #expect(try length(["--requests", "3"]) == .requests(3))
    }
}

@Suite(.inTurn) struct ExitStatusTests {
    @Test func theNumbersAreTheDocumentedOnes() {
        #expect(CommandStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 130, 141, 143])
    }

    @Test func eachKindOfFailureHasItsStatus() {
        let statuses = CallFailure.Kind.allCases.map {
            CallFailure(kind: $0, delivery: .notSent, message: "").status.rawValue
        }
        #expect(statuses == [1, 3, 3, 4, 5, 6, 130, 2])
    }

    @Test func worstIsSymmetricAndKeepsTheGraver() {
        for left in CommandStatus.allCases {
            for right in CommandStatus.allCases {
                #expect(CommandStatus.worst(left, right) == CommandStatus.worst(right, left))
            }
            #expect(CommandStatus.worst(left, .success) == left)
        }
        #expect(CommandStatus.worst(.errorObject, .timeout) == .timeout)
        #expect(CommandStatus.worst(.connectionLost, .timeout) == .connectionLost)
    }
}

@Suite(.inTurn) struct PingAndWriteOptionTests {
    private func call(_ options: String..., url: String = "ws://h") throws -> CallCommand {
        try #require(
            try CommandLineWords.parse(["call", url, "m"] + options, environmentURL: nil) as? CallCommand)
    }

    @Test func thePingTimeoutIsTheIntervalUnlessItIsGiven() throws {
        let defaults = try call().connection.socket.webSocket()
        #expect(defaults.pingInterval == .seconds(20) && defaults.pingTimeout == .seconds(20))
        let short = try call("--ping-interval", "2").connection.socket.webSocket()
        #expect(short.pingInterval == .seconds(2) && short.pingTimeout == .seconds(2))
        let both = try call("--ping-interval", "2", "--ping-timeout", "500ms").connection.socket.webSocket()
        #expect(both.pingInterval == .seconds(2) && both.pingTimeout == .milliseconds(500))
        #expect(try call("--ping-interval", "none").connection.socket.webSocket().pingInterval == nil)
    }

    @Test func aPingTimeoutWithoutPingsOrTimeIsRefused() {
        #expect(throws: (any Error).self) { try call("--ping-interval", "none", "--ping-timeout", "5") }
        #expect(throws: (any Error).self) { try call("--ping-timeout", "0") }
    }

    @Test func messagesAreWrittenTogetherUnlessTheOptionSaysOtherwise() throws {
        #expect(try call().connection.socket.webSocket().coalescesMessages)
        #expect(try !call("--no-coalescing").connection.socket.webSocket().coalescesMessages)
    }

    @Test(arguments: [["--ping-timeout", "5"], ["--no-coalescing"]])
    func theyAreRefusedOverHTTP(_ options: [String]) throws {
        let command = try #require(
            try CommandLineWords.parse(["call", "http://h", "m"] + options, environmentURL: nil) as? CallCommand)
        #expect {
            try command.connection.checkForHTTP()
        } throws: {
            "\($0)".contains(options[0])
        }
    }
}
