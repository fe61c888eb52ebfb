// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// Credentials of the tool, seen from outside.
@Suite(.inTurn(within: .seconds(90))) struct ToolCredentialTests {
    /// A server that asks for Digest with these fields, until a request answers a challenge. It answers that with the
    /// params, or with another 401 if `refuses`.
    private func digestServer(_ fields: [String], refuses: Bool = false) throws -> RawHTTPServer {
        try RawHTTPServer { connection in
            while let head = try connection.readHead() {
                let body = try connection.readBody(of: head)
                let isAnswer = RawSocket.field("Authorization", in: head)?.hasPrefix("Digest ") ?? false
                let lines = (fields + ["Content-Length: 2"]).map { $0 + "\r\n" }.joined()
                if refuses || !isAnswer {
                    try connection.socket.send("HTTP/1.1 401 Unauthorized\r\n\(lines)\r\nno")
                } else {
                    let id = String(decoding: body, as: UTF8.self).firstMatch(of: /"id":([0-9]+)/)?.1 ?? "0"
                    let answer = #"{"jsonrpc":"2.0","id":\#(id),"result":"\#(id)"}"#
                    try connection.socket.send(
                        "HTTP/1.1 200 OK\r\nContent-Length: \(answer.utf8.count)\r\n\r\n\(answer)")
                }
            }
        }
    }

    private let challenge =
        #"WWW-Authenticate: Digest qop="auth",algorithm=MD5,realm="monero-rpc",nonce="abc",stale=false"#

    @Test func aDigestChallengeIsAnsweredOnce() async throws {
        let server = try digestServer([challenge])
        let run = try await ToolRun.run(["call", server.url, "m", "--user", "me:s3cret", "--digest", "-v"])
        #expect(run.status == 0, "\(run.diagnostics)")
        #expect(run.output == "\"1\"\n")
        #expect(!run.diagnostics.contains("s3cret") && !run.diagnostics.contains("response="))
        let fields = server.heads.elements.map { RawSocket.field("Authorization", in: $0) }
        try #require(fields.count == 2)
        #expect(fields[0] == nil)
        #expect(fields[1]?.hasPrefix(#"Digest username="me", realm="monero-rpc", uri="/rpc", algorithm=MD5, "#) == true)
    }

    @Test func withoutTheFlagBasicComesFirst() async throws {
        let server = try digestServer([challenge])
        let url = "http://me:s3cret@\(server.authority)/rpc"
        for arguments in [["call", url, "m"], ["call", server.url, "m", "--user", "me:s3cret"]] {
            #expect(try await ToolRun.run(arguments).status == 0)
        }
        let fields = server.heads.elements.compactMap { RawSocket.field("Authorization", in: $0) }
        #expect(fields.map { $0.prefix(6) } == ["Basic ", "Digest", "Basic ", "Digest"])
    }

    @Test func laterRequestsAnswerTheSameChallenge() async throws {
        let server = try digestServer([challenge])
        let input = String(repeating: "{\"method\":\"m\"}\n", count: 3)
        let run = try await ToolRun.run(
            ["batch", server.url, "--user", "me:s3cret", "--digest", "--concurrency", "1"], input: input)
        #expect(run.status == 0, "\(run.diagnostics)")
        let fields = server.heads.elements.compactMap { RawSocket.field("Authorization", in: $0) }
        #expect(fields.count == 3)
        for (index, field) in fields.enumerated() { #expect(field.contains("nc=0000000\(index + 1)")) }
    }

    @Test func aRefusedAnswerIsNotRepeated() async throws {
        let server = try digestServer([challenge], refuses: true)
        let run = try await ToolRun.run(["call", server.url, "m", "--user", "me:s3cret"])
        #expect(run.status == 3)
        #expect(run.diagnostics.contains("status 401"))
        #expect(run.diagnostics.contains(" The server refused the credentials of --user."))
        #expect(!run.diagnostics.contains("s3cret"))
        #expect(server.heads.elements.count == 2)
    }

    @Test(arguments: [
        #"Digest realm="r", nonce="n", qop="auth-int""#,
        #"Digest realm="r", nonce="n", algorithm=SHA-512-256, qop=auth"#,
        "Digest \(String(repeating: "x=\"", count: 5000))", "Digest \(String(repeating: "realm=r, ", count: 2000))",
    ])
    func aChallengeThatCannotBeAnsweredIsAnError(_ challenge: String) async throws {
        let server = try digestServer(["WWW-Authenticate: \(challenge)"])
        let run = try await ToolRun.run(["call", server.url, "m", "--user", "me:s3cret", "--digest"])
        #expect(run.status == 3)
        #expect(run.diagnostics.contains("another kind of Digest authentication, which is not supported"))
        #expect(run.diagnostics.utf8.count < 1000)
        #expect(server.heads.elements.count == 1)
    }

    @Test func credentialsComeFromFilesAndTheEnvironment() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "token").path(percentEncoded: false)
        try Data("t0ken\n".utf8).write(to: URL(filePath: path))
        let peer = try RawPeer { socket in
            let head = try socket.acceptUpgrade()
            _ = try socket.readFrame()
            try socket.send(ToolScripts.text(#"{"jsonrpc":"2.0","id":1,"result":1}"#))
            _ = try? socket.answerClose()
            return head
        }
        let environment = ["MY_KEY": "k3y"]
        let options = ["--bearer", "@\(path)", "-H", "X-Key=@env:MY_KEY", "-v"]
        let run = try await ToolRun.run(["call", peer.url, "m"] + options, environment: environment)
        #expect(run.status == 0, "\(run.diagnostics)")
        #expect(!run.diagnostics.contains("t0ken") && !run.diagnostics.contains("k3y"))
        let head = try await peer.outcome()
        #expect(RawSocket.field("Authorization", in: head) == "Bearer t0ken")
        #expect(RawSocket.field("X-Key", in: head) == "k3y")

        let server = try HTTPScripts.service()
        let post = try await ToolRun.run(["call", server.url, "echo"] + options, environment: environment)
        #expect(post.status == 0)
        #expect(!post.diagnostics.contains("t0ken") && !post.diagnostics.contains("k3y"))
        let posted = try #require(server.heads.elements.first)
        #expect(RawSocket.field("Authorization", in: posted) == "Bearer t0ken")
        #expect(RawSocket.field("X-Key", in: posted) == "k3y")
    }

    @Test func theProcessListHasNoSecrets() async throws {
        let peer = try RawPeer { socket in
            let head = try socket.acceptUpgrade()
            // The command lines of all processes.
            let list = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
                .compactMap { try? Data(contentsOf: URL(filePath: "/proc/\($0)/cmdline")) }
            _ = try socket.readFrame()
            try socket.send(ToolScripts.text(#"{"jsonrpc":"2.0","id":1,"result":1}"#))
            _ = try? socket.answerClose()
            return (head: head, list: list.map { String(decoding: $0, as: UTF8.self) })
        }
        let credentials = Data("me:s3cret-w0rd".utf8).base64EncodedString()
        let proxy = try ProxyServer(.tunnel(authorization: "Basic \(credentials)"))
        defer { proxy.stop() }
        let authority = "127.0.0.1:\(peer.port)"
        let options = [
            "--bearer", "s3cret-t0ken", "-vHX-Key: s3cret-k3y", "--proxy=me:s3cret-w0rd@127.0.0.1:\(proxy.port)",
            "--extra", "auth=s3cret-auth",
        ]
        let run = try await ToolRun.run(["call", "ws://\(authority)/?key=s3cret-query", "m"] + options)
        #expect(run.status == 0, "\(run.diagnostics)")
        let (head, list) = try await peer.outcome()
        #expect(proxy.requests.count == 1)
        #expect(RawSocket.field("Authorization", in: head) == "Bearer s3cret-t0ken")
        #expect(RawSocket.field("X-Key", in: head) == "s3cret-k3y")
        #expect(head.hasPrefix("GET /?key=s3cret-query "))
        let tool = list.filter { $0.contains(authority) }
        try #require(tool.count == 1, "\(tool)")
        let words = tool[0].split(separator: "\0").dropFirst().map { $0.reversed().drop { $0 == " " }.reversed() }
        #expect(
            words.map { String($0) } == [
                "call", "ws://\(authority)/?***", "m", "--bearer", "***", "-vHX-Key: ***",
                "--proxy=***@127.0.0.1:\(proxy.port)", "--extra", "auth=***",
            ])
        #expect(!list.contains { $0.contains("s3cret-") })
    }

    @Test func reportsAndRecordingsHaveNoSecrets() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let (page, recording) = (folder.appending(path: "page.html"), folder.appending(path: "session.jsonl"))
        try await ToolRun.withServer { url in
            let bench = try await ToolRun.run([
                "bench", url, "echo", "--requests", "3", "--user=me:s3cret", "--html", page.path(percentEncoded: false),
            ])
            #expect(bench.status == 0, "\(bench.diagnostics)")
            #expect(!(bench.output + bench.diagnostics).contains("s3cret"))
            #expect(try !String(contentsOf: page, encoding: .utf8).contains("s3cret"))
            let record = try PeerProcess(
                "/bin/sh",
                ["-c", #"exec "$@" 2>/dev/null"#, "sh", ToolRun.program, "record", url]
                    + [recording.path(percentEncoded: false), "--port", "0", "--count", "1", "--bearer", "s3cret"])
            let port = try await record.firstLine()
            #expect(try await ToolRun.run(["call", "127.0.0.1:\(port)", "echo", "1"]).status == 0)
            #expect(try await record.exitStatus() == 0)
            let text = try String(contentsOf: recording, encoding: .utf8)
            #expect(text.contains("echo") && !text.contains("s3cret"))
        }
    }

    /// A field of a WebSocket server, options of the tool, and the end of the message.
    @Test(arguments: [
        ("WWW-Authenticate: Bearer", [], " WWW-Authenticate: Bearer Give a token with --bearer @FILE."),
        (
            #"WWW-Authenticate: Basic realm="r""#, [],
            #" WWW-Authenticate: Basic realm="r" Give a user name and a password with --user @FILE."#
        ),
        ("X: y", [], " Give credentials with --user @FILE or --bearer @FILE."),
        ("WWW-Authenticate: Bearer", ["--user", "me:s3cret"], " The server refused the credentials of --user."),
        ("X: y", ["--bearer", "s3cret"], " The server refused the credentials of --bearer."),
        ("X: y", ["-H", "Authorization: s3cret"], " The server refused the credentials of -H."),
        (
            #"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth""#, [],
            " The server asks for Digest authentication, which is not supported for a WebSocket. A user name and a "
                + "password (--user: Basic) and tokens (--bearer) are."
        ),
    ])
    func aServerThatAsksForCredentialsIsAnsweredWithAdvice(
        _ field: String, _ options: [String], _ end: String
    ) async throws {
        let peer = try ToolScripts.peer(
            answering: "HTTP/1.1 401 Unauthorized\r\n\(field)\r\nContent-Length: 0\r\n\r\n")
        let run = try await ToolRun.run(["call", peer.url, "m"] + options)
        #expect(run.status == 3)
        #expect(run.diagnostics.hasSuffix(end + "\n"), "\(run.diagnostics)")
        #expect(!run.diagnostics.contains("s3cret"))
        _ = try await peer.outcome()
    }

    // MARK: Passwords

    @Test func withoutATerminalAPasswordIsMissing() async throws {
        let run = try await ToolRun.run(["call", "http://127.0.0.1:1/", "m", "--user", "me"], input: "s3cret\n")
        #expect(run.status == 2)
        #expect(run.output == "")
        #expect(run.diagnostics.hasPrefix("jsonrpc: --user has no password"))
        #expect(run.diagnostics.contains("--user @FILE"))
    }

    @Test func aPasswordIsTypedUnseen() async throws {
        let server = try HTTPScripts.service()
        try await withTemporaryDirectory { home in
            try await TmuxTerminal.run(["call", server.url, "echo", "done", "--user", "me"], home: home) { terminal in
                try await terminal.wait(for: "Password of me:")
                try await terminal.enter("p@ss:word")
                let screen = try await terminal.wait(for: "[end]")
                #expect(screen.contains("[status 0]"), "\(screen)")
                #expect(!screen.joined().contains("p@ss"))
                try terminal.expectSameModes()
            }
        }
        let head = try #require(server.heads.elements.first)
        let expected = Data("me:p@ss:word".utf8).base64EncodedString()
        #expect(RawSocket.field("Authorization", in: head) == "Basic \(expected)")
    }

    @Test func aSignalWhileThePasswordIsTypedRestoresTheTerminal() async throws {
        try await withTemporaryDirectory { home in
            try await TmuxTerminal.run(["call", "http://127.0.0.1:1/", "m", "--user", "me"], home: home) { terminal in
                try await terminal.wait(for: "Password of me:")
                try await terminal.press("C-c")
                let screen = try await terminal.wait(for: "[end]")
                #expect(screen.contains { $0.contains("[status 130]") }, "\(screen)")
                try terminal.expectSameModes()
            }
        }
    }
}
