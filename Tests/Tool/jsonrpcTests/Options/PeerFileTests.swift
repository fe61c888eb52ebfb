// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import TestSupport
import TestTurns
import Testing
import ToolSupport

@testable import jsonrpc

/// The configuration file with named peers.
@Suite(.inTurn(within: .seconds(60))) struct PeerFileTests {
    /// A file with this text that only its owner can read, while `body` runs.
    @discardableResult
    private func withFile<Value>(
        _ text: String, mode: mode_t = 0o600, _ body: (_ path: String) async throws -> Value
    ) async throws -> Value {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "config.json").path(percentEncoded: false)
        try Data(text.utf8).write(to: URL(filePath: path))
        try #require(chmod(path, mode) == 0)
        return try await body(path)
    }

    private static let work = #"{"peers":{"work":{"url":"ws://h/","bearer":"s3cret","header":["X-A: 1","X-B: 2"]}}}"#

    private func words(_ text: String, _ commandLine: [String]) async throws -> [String] {
        try await withFile(text) { path in
            try #require(try PeerFile(at: path).peer(named: "work")).words(besides: commandLine)
        }
    }

    // MARK: Contents

    @Test func membersAreOptions() async throws {
        let text = #"""
            {"peers": {
              "other": {"url": "127.0.0.1:80"},
              "work": {"cert": "/c.pem", "key": "/k.pem", "url": "wss://h", "connect-timeout": 2.5, "insecure": true,
                       "compression": false, "subprotocol": "mcp", "header": ["X-A: b", "X-C=@env:D"],
                       "max-message-size": 1000, "user": "@env:U"}
            }}
            """#
        try await withFile(text) { path in
            let file = try PeerFile(at: path)
            #expect(file.peers.map(\.name) == ["other", "work"])
            let peer = try #require(file.peer(named: "work"))
            #expect(peer.url == "wss://h")
            #expect(
                peer.words(besides: []) == [
                    "--cert=/c.pem", "--key=/k.pem", "--connect-timeout=2.5", "--insecure", "--subprotocol=mcp",
                    "--header=X-A: b", "--header=X-C=@env:D", "--max-message-size=1000", "--user=@env:U",
                ])
        }
    }

    @Test func relativePathsBeginAtTheFolderOfTheFile() async throws {
        let text =
            #"{"peers":{"work":{"url":"ws://h","cacert":"ca.pem","bearer":"@a/token","header":["@fields","X=@key"]}}}"#
        try await withFile(text) { path in
            let folder = path.dropLast("config.json".count)
            let words = try #require(try PeerFile(at: path).peer(named: "work")).words(besides: [])
            #expect(
                words == [
                    "--cacert=\(folder)ca.pem", "--bearer=@\(folder)a/token", "--header=@\(folder)fields",
                    "--header=X=@\(folder)key",
                ])
        }
    }

    /// The keys are the options that every command with a connection has.
    @Test func eachOptionOfAConnectionIsAKey() {
        let help = SocketOptions.helpMessage(columns: 80)
        let names = help.matches(of: /(?m)^ +(-H, )?--([a-z-]+)/).map { String($0.2) }
        #expect(Set(names).subtracting(["help"]) == Set(PeerFile.optionNames))
    }

    @Test func theCommandLineReplacesOptionsOfTheFile() async throws {
        let text = #"""
            {"peers":{"work":{"url":"ws://h","bearer":"t","header":["X-A: 1","X-B: 2"],"cacert":"/ca",
                              "cert":"/c","key":"/k","ping-interval":"5","ping-timeout":"2","proxy":"none"}}}
            """#
        #expect(try await words(text, ["call", "work", "m"]).count == 9)
        for options in [["call", "work", "m", "--user", "a:b"], ["-H", "authorization: x"]] {
            #expect(try await words(text, options).contains("--bearer=t") == false)
        }
        let header = try await words(text, ["-H", "x-a: 3", "--header=X-C=@env:D"])
        #expect(header.filter { $0.hasPrefix("--header") } == ["--header=X-B: 2"])
        #expect(try await words(text, ["--insecure"]).contains("--cacert=/ca") == false)
        let identity = try await words(text, ["--cert=/x", "--key", "/y"])
        #expect(!identity.contains { $0.hasPrefix("--cert") || $0.hasPrefix("--key") })
        let pings = try await words(text, ["--ping-interval", "none"])
        #expect(!pings.contains { $0.hasPrefix("--ping") })
        #expect(try await words(text, ["--proxy", "http://p"]).contains("--proxy=none") == false)
    }

    @Test(
        arguments: [
            ("", "the text is empty"), ("{", "line 1"), ("[]", "Expected an object at the top level."),
            (#"{"peer":{}}"#, "peer is unknown. Did you mean 'peers'?"),
            (#"{"peers":[]}"#, "Expected an object at peers."),
            (#"{"peers":{},"peers":{}}"#, "twice"), (#"{"peers":{"a":{"url":"ws://h"},"a":{}}}"#, "'a' twice"),
            (#"{"peers":{"ws://h":{}}}"#, "is not a name for a peer"),
            (#"{"peers":{"h:80":{}}}"#, "is not a name for a peer"),
            (#"{"peers":{"":{}}}"#, "is not a name for a peer"), (#"{"peers":{"-v":{}}}"#, "is not a name for a peer"),
            (#"{"peers":{"a\u001b[2J":{}}}"#, "is not a name for a peer"),
            (#"{"peers":{"a":1}}"#, "Expected an object at peers.a."),
            (#"{"peers":{"a":{}}}"#, "peers.a has no url."),
            (#"{"peers":{"a":{"url":"h"}}}"#, "peers.a.url is not a URL."),
            (#"{"peers":{"a":{"url":"ws://h","bearr":"s3cret"}}}"#, "peers.a.bearr is unknown. Did you mean 'bearer'?"),
            (
                #"{"peers":{"a":{"url":"ws://h","timeout":"5"}}}"#,
                "peers.a.timeout is unknown. Known are: url, bearer, cacert"
            ),
            (#"{"peers":{"a":{"url":"ws://h","bearer":["s3cret"]}}}"#, "Expected a string at peers.a.bearer."),
            (#"{"peers":{"a":{"url":"ws://h","bearer":""}}}"#, "peers.a.bearer is empty"),
            (#"{"peers":{"a":{"url":"ws://h","bearer":"s3c\u0000ret"}}}"#, "has a control character"),
            (#"{"peers":{"a":{"url":"ws://h","header":["X: s3c\r\nret"]}}}"#, "peers.a.header is empty, or has a"),
            (#"{"peers":{"a":{"url":"ws://h","header":{"X":"s3cret"}}}}"#, "Expected a string at peers.a.header."),
            (#"{"peers":{"a":{"url":"ws://h","insecure":"yes"}}}"#, "Expected true or false at peers.a.insecure."),
            (#"{"peers":{"a":{"url":"ws://h","bearer":"\ud800"}}}"#, "Expected a string at peers.a.bearer."),
        ] as [(String, String)])
    func aFaultIsNamedWithItsPlace(_ text: String, _ part: String) async throws {
        try await withFile(text) { path in
            #expect {
                _ = try PeerFile(at: path)
            } throws: {
                let message = "\($0)"
                return $0 is UsageError && message.contains(path) && message.contains(part) && !message.contains("s3c")
            }
        }
    }

    @Test func aLargeFileOrAFolderIsRefused() async throws {
        try await withFile(String(repeating: " ", count: 10 << 20)) { path in
            #expect(throws: UsageError.self) { try PeerFile(at: path) }
            let folder = String(path.dropLast("config.json".count))
            #expect {
                _ = try PeerFile(at: folder)
            } throws: {
                "\($0)".contains("Is a directory")
            }
        }
        #expect(throws: UsageError.self) { try PeerFile(at: "/nonexistent/config.json") }
    }

    @Test(arguments: [
        (#""bearer":"s3cret""#, true), (#""user":"me:s3cret""#, true), (#""header":"Authorization: s3cret""#, true),
        (#""header":["X-A: b","X-API-Key: s3cret"]"#, true), (#""proxy":"http://me:s3cret@p""#, true),
        (#""proxy":"me:s3cret@p:3128""#, true), (#""proxy":"http://p:3128""#, false),
        (#""bearer":"@s3cret""#, false), (#""user":"me""#, false), (#""header":"X-A: b""#, false),
        (#""header":"X-API-Key=@env:K""#, false), (#""insecure":true"#, false),
    ])
    func secretsAreForTheOwnerOnly(_ option: String, _ isSecret: Bool) async throws {
        let text = #"{"peers":{"a":{"url":"ws://h",\#(option)}}}"#
        let modes: [(mode_t, Bool)] = [(0o644, isSecret), (0o640, isSecret), (0o604, isSecret), (0o600, false)]
        for (mode, isRefused) in modes {
            try await withFile(text, mode: mode) { path in
                guard isRefused else {
                    _ = try PeerFile(at: path)
                    return
                }
                #expect {
                    _ = try PeerFile(at: path)
                } throws: {
                    "\($0)".contains("chmod 600") && !"\($0)".contains("s3cret")
                }
            }
        }
        try await withFile(#"{"peers":{"a":{"url":"ws://me:s3cret@h"}}}"#, mode: 0o644) { path in
            #expect(throws: UsageError.self) { try PeerFile(at: path) }
        }
    }

    // MARK: Words

    @Test func aNameStandsForTheURLOfEachCommand() async throws {
        try await withFile(Self.work) { path in
            let file = try PeerFile(at: path)
            let commands: [[String]] = [
                ["call", "work", "m"], ["call", "-v", "work", "work"], ["notify", "work", "m", "work"],
                ["batch", "work"], ["listen", "work", "--call", "m", "work"], ["connect", "work"],
                ["bench", "work", "m"], ["record", "work", "file"], ["discover", "work"], ["describe", "work", "m"],
                ["call", "--servername", "work", "work", "m"],
            ]
            for command in commands {
                // A name comes before the URL of the environment.
                let parsed = try CommandLineWords.parse(command, environmentURL: "ws://env") { file }
                #expect((parsed as? any URLCommand)?.url == "ws://h/", "\(command)")
            }
            let call = try #require(
                try CommandLineWords.parse(["call", "work", "m", "-H", "X-A: 3"], environmentURL: nil) { file }
                    as? CallCommand)
            #expect(call.connection.bearer == "s3cret")
            let fields = try call.connection.socket.headerFields(nil)
            #expect(fields.map { "\($0.name): \($0.value)" } == ["X-B: 2", "X-A: 3"])
        }
    }

    @Test func theEnvironmentCanGiveAName() async throws {
        try await withFile(Self.work) { path in
            let file = try PeerFile(at: path)
            for words in [["call", "add", "1", "2"], ["batch"], ["bench", "m", "--requests", "5"]] {
                let parsed = try CommandLineWords.parse(words, environmentURL: "work") { file }
                #expect((parsed as? any URLCommand)?.url == "ws://h/", "\(words)")
            }
            let call = try CommandLineWords.parse(["call", "add", "work"], environmentURL: "work") { file }
            #expect((call as? CallCommand)?.connection.bearer == "s3cret")
            #expect((call as? CallCommand)?.method == "add")
            let unknown = try CommandLineWords.parse(["call", "add", "1"], environmentURL: "wrk") { file }
            #expect((unknown as? CallCommand)?.url == "wrk")
        }
    }

    @Test func anotherWordIsAMethodOrAFault() async throws {
        try await withFile(Self.work) { path in
            let file = try PeerFile(at: path)
            let call = try CommandLineWords.parse(["call", "add", "work"], environmentURL: "ws://env") { file }
            #expect((call as? CallCommand)?.url == "ws://env")
            let unknown = try CommandLineWords.parse(["call", "wrk", "m"], environmentURL: nil) { file }
            #expect((unknown as? CallCommand)?.url == "wrk")
        }
        // A URL needs no file.
        _ = try CommandLineWords.parse(["call", "ws://h", "m"], environmentURL: nil) { throw UsageError("read") }
        _ = try CommandLineWords.parse(["bench", "--merge", "a"], environmentURL: nil) { throw UsageError("read") }
    }

    @Test func optionsThatContradictEachOtherNameTheFile() async throws {
        let text = #"{"peers":{"work":{"url":"ws://h","cert":"/c"}}}"#
        try await withFile(text) { path in
            #expect {
                let file = try PeerFile(at: path)
                _ = try CommandLineWords.parse(["call", "work", "m"], environmentURL: nil) { file }
            } throws: {
                "\($0)".contains("peer 'work' of \(path). --cert needs --key")
            }
        }
    }

    // MARK: The tool

    @Test func aPeerIsCalledByItsName() async throws {
        let server = try HTTPScripts.service()
        let text = #"{"peers":{"work":{"url":"\#(server.url)","bearer":"s3cret","header":"X-A: b"}}}"#
        try await withFile(text) { path in
            let environment = ["JSONRPC_CONFIG": path]
            let run = try await ToolRun.run(["call", "work", "echo", "1", "--compact", "-v"], environment: environment)
            #expect(run.status == 0, "\(run.diagnostics)")
            #expect(run.output == "[1]\n")
            #expect(!run.diagnostics.contains("s3cret"))
            let head = try #require(server.heads.elements.first)
            #expect(RawSocket.field("Authorization", in: head) == "Bearer s3cret")
            #expect(RawSocket.field("X-A", in: head) == "b")
            let other = try await ToolRun.run(["call", "wrk", "echo"], environment: environment)
            #expect(other.status == 2)
            #expect(other.diagnostics.contains("'wrk' is not a URL"))
        }
    }

    @Test func theFileIsFoundInTheFolderOfTheUser() async throws {
        let server = try HTTPScripts.service()
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        for (place, environment) in [
            ("xdg/jsonrpc", ["XDG_CONFIG_HOME": folder.appending(path: "xdg").path(percentEncoded: false)]),
            (
                "home/.config/jsonrpc",
                ["XDG_CONFIG_HOME": "", "HOME": folder.appending(path: "home").path(percentEncoded: false)]
            ),
        ] {
            let environment = environment.merging(["JSONRPC_CONFIG": ""]) { $1 }
            #expect(try await ToolRun.run(["call", "work", "echo"], environment: environment).status == 2)
            let file = folder.appending(path: place).appending(path: "config.json")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(#"{"peers":{"work":{"url":"\#(server.url)"}}}"#.utf8).write(to: file)
            #expect(try await ToolRun.run(["call", "work", "echo"], environment: environment).status == 0)
        }
    }

    @Test func aFileThatCannotBeUsedIsAUsageError() async throws {
        let files: [(String, mode_t)] = [
            ("{", 0o600), (Self.work, 0o644), (String(repeating: "[", count: 10 << 20), 0o600),
        ]
        for (text, mode) in files {
            try await withFile(text, mode: mode) { path in
                let run = try await ToolRun.run(["call", "work", "m"], environment: ["JSONRPC_CONFIG": path])
                #expect(run.status == 2)
                #expect(run.output == "")
                #expect(run.diagnostics.hasPrefix("jsonrpc: ") && run.diagnostics.contains(path))
                #expect(run.diagnostics.utf8.count < 1000 && !run.diagnostics.contains("s3cret"))
            }
        }
        let run = try await ToolRun.run(["call", "work", "m"], environment: ["JSONRPC_CONFIG": "/nonexistent"])
        #expect(run.status == 2)
        #expect(run.diagnostics.contains("/nonexistent"))
    }
}
