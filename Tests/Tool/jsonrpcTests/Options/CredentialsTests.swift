// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPTypes
import TestSupport
import TestTurns
import Testing
import ToolSupport
import WebSocket

@testable import jsonrpc

/// `--bearer`, `--user` and header fields whose values are elsewhere.
@Suite(.inTurn) struct CredentialsTests {
    private func socket(_ options: String...) throws -> SocketOptions {
        let words = ["call", "ws://h", "m"] + options
        let command = try CommandLineWords.parse(words, environmentURL: nil)
        return try #require(command as? CallCommand).connection.socket
    }

    /// A file with these bytes, while `body` runs.
    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "secret")
        try Data(bytes).write(to: file)
        try body(file.path(percentEncoded: false))
    }

    @Test func anAtSignIsAFileOrAVariable() {
        #expect(SecretSource("a@b") == .literal("a@b"))
        #expect(SecretSource("@a") == .file("a"))
        #expect(SecretSource("@env:A") == .variable("A"))
        #expect(SecretSource("@./env:A") == .file("./env:A"))
        #expect(HeaderSource(argument: "X-Key=@env:A") == .secret(name: "X-Key", .variable("A")))
        #expect(HeaderSource(argument: "X-Key=@/a b") == .secret(name: "X-Key", .file("/a b")))
        // A value that begins with the mark is a value.
        #expect(HeaderSource(argument: "X-Key: @env:A") == .field(HeaderOption(name: "X-Key", value: "@env:A")))
        #expect(HeaderSource(argument: "X Key=@a") == .invalid)
        #expect(HeaderSource(argument: "=@a") == .invalid)
    }

    @Test func credentialsAreTheFieldAuthorization() throws {
        let bearer = try socket("--bearer", "a.b_c~+/=").credentials()
        #expect(bearer?.fieldValue == "Bearer a.b_c~+/=")
        let user = try socket("--user", "user:p@s:s").credentials()
        #expect(user?.fieldValue == "Basic dXNlcjpwQHM6cw==")
        // An empty password is one.
        #expect(try socket("--user", "user:").credentials()?.fieldValue == "Basic dXNlcjo=")
        #expect(try socket().credentials() == nil)
        let options = try socket("--bearer", "t", "-H", "X-A: b")
        let headers = try options.webSocket().headers
        #expect(headers.map(\.name) == ["X-A", "Authorization"])
        #expect(headers.map(\.value) == ["b", "Bearer t"])
    }

    @Test(arguments: ["s3cret", "s3cret\n", "s3cret\r\n"]) func aFileMayEndWithALineFeed(_ text: String) throws {
        try withFile(Array(text.utf8)) { path in
            #expect(try socket("--bearer", "@\(path)").credentials() == .bearer("s3cret"))
            let fields = try socket("-H", "X-Key=@\(path)").headerFields(nil)
            #expect(fields == [HeaderOption(name: "X-Key", value: "s3cret")])
        }
        try withFile(Array("name:s3cret\n".utf8)) { path in
            let user = try #require(BasicCredentials(user: "name", password: "s3cret"))
            #expect(try socket("--user", "@\(path)").credentials() == .user(user))
        }
    }

    @Test(
        arguments: [
            [], Array("\n".utf8), Array("s3cret\n\n".utf8), Array("s3cret\nX: y".utf8), Array("s3c\u{0}ret".utf8),
            Array("s3c\u{7F}ret".utf8), Array("s3c\u{1B}ret".utf8), Array("s3cret".utf8) + [0xFF],
            [UInt8](repeating: UInt8(ascii: "s"), count: SecretSource.maximumBytes + 1),
        ] as [[UInt8]])
    func aFileThatHoldsNoSecretIsRefused(_ bytes: [UInt8]) throws {
        try withFile(bytes) { path in
            for options in [["--bearer", "@\(path)"], ["--user", "@\(path)"], ["-H", "X-Key=@\(path)"]] {
                #expect {
                    let words = ["call", "ws://h", "m"] + options
                    let command = try CommandLineWords.parse(words, environmentURL: nil) as? CallCommand
                    _ = try command?.connection.socket.webSocket()
                } throws: {
                    let message = "\($0)"
                    return $0 is UsageError && message.contains(path) && !message.contains("s3c")
                }
            }
        }
    }

    @Test(arguments: [
        ["--bearer", ""], ["--bearer", "s3c ret"], ["--bearer", "s3cret\u{7}"], ["--bearer", "s3crét"],
        ["--user", ":s3cret"], ["--user", "name:s3cret\r\nX: y"], ["--user", ""],
        ["--bearer", "@/nonexistent"], ["--bearer", "@"], ["--bearer", "@env:"], ["--bearer", "@/"],
        ["--bearer", "@env:JSONRPC_NO_SUCH_VARIABLE"], ["-H", "X-Key=@env:JSONRPC_NO_SUCH_VARIABLE"],
        ["--bearer", "s3cret", "-H", "authorization: s3cret"], ["--user", "a:s3cret", "-H", "Authorization: s3cret"],
        ["--digest", "--user", "a:s3cret"],
    ])
    func credentialsThatCannotBeSentAreRefused(_ options: [String]) throws {
        let command = try CommandLineWords.parse(["call", "ws://h", "m"] + options, environmentURL: nil)
        let socket = try #require(command as? CallCommand).connection.socket
        #expect {
            _ = try socket.webSocket()
        } throws: {
            $0 is UsageError && !"\($0)".contains("s3c")
        }
    }

    @Test func oneKindOfCredentialsIsEnough() {
        #expect(throws: (any Error).self) { try socket("--bearer", "a", "--user", "b:c") }
    }

    @Test func digestOverHTTPSendsNoPasswordUnasked() throws {
        func target(_ url: String, _ options: String...) throws -> HTTPTarget {
            let command = try CommandLineWords.parse(["call", url, "m"] + options, environmentURL: nil)
            return try HTTPTarget(url, #require(command as? CallCommand).connection)
        }
        let basic = try target("http://h/", "--user", "a:b")
        #expect(basic.fields[.authorization] == "Basic YTpi")
        #expect(basic.user?.password == "b")
        for digest in [
            try target("http://h/", "--user", "a:b", "--digest"), try target("http://a:b@h/", "--digest"),
        ] {
            #expect(digest.fields[.authorization] == nil)
            #expect(digest.user?.password == "b")
        }
        // The option comes before the URL.
        #expect(try target("http://x:y@h/", "--bearer", "t").fields[.authorization] == "Bearer t")
        #expect(try target("http://x:y@h/", "--bearer", "t").user == nil)
        #expect(try target("http://x:y@h/", "--user", "a:b").user?.user == "a")
        #expect(throws: UsageError.self) { try target("http://h/", "--digest") }
        #expect(throws: UsageError.self) { try target("http://h/", "--digest", "--bearer", "t") }
    }
}
