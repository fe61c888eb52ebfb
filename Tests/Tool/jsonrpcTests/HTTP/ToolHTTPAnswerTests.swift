// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// HTTP answers that are not JSON-RPC responses, and unusual ones.
@Suite(.inTurn(within: .seconds(60))) struct ToolHTTPAnswerTests {
    private static let page = "<html><style>p {}</style><h1>Bad Gateway</h1>nginx</html>"

    /// A response, the exit status, and parts of the message.
    private static let answers: [(response: String, status: Int32, parts: [String])] = [
        (
            HTTPScripts.response("502 Bad Gateway", ["Content-Type: text/html"], body: page), 3,
            ["status 502", "Response body: Bad Gateway nginx"]
        ),
        (
            HTTPScripts.response("401 Unauthorized", ["WWW-Authenticate: Bearer realm=\"r\""], body: "no token"), 3,
            ["status 401", "WWW-Authenticate: Bearer realm=\"r\"", "Response body: no token"]
        ),
        (
            HTTPScripts.response(
                "401 Unauthorized", [#"WWW-Authenticate: Digest realm="r", qop="auth", nonce="0123456789abcdef""#],
                body: ""), 3,
            ["status 401", #"WWW-Authenticate: Digest realm="r" Give a user name and a password with --user @FILE."#]
        ),
        (
            HTTPScripts.response("401 Unauthorized", ["WWW-Authenticate: Negotiate"], body: ""), 3,
            ["status 401", "asks for Negotiate authentication, which is not supported", "--bearer"]
        ),
        (
            HTTPScripts.response("403 Forbidden", body: #"{"error":"project blocked"}"#), 3,
            ["status 403", #"{"error":"project blocked"}"#]
        ),
        (
            HTTPScripts.response(#"{"message":"no Route matched"}"#), 6,
            ["no response to the call", "no Route matched"]
        ),
        (
            HTTPScripts.response("429 Too Many Requests", ["Retry-After: 3"], body: "{}"), 3,
            ["status 429", "Retry-After: 3"]
        ),
        (
            HTTPScripts.response("307 Temporary Redirect", ["Location: http://elsewhere.example/"], body: ""), 3,
            ["307", "Location: http://elsewhere.example/", "Redirects are not followed."]
        ),
        (HTTPScripts.response("404 Not Found", ["Content-Type: application/json"], body: "[1]"), 3, ["status 404"]),
        (HTTPScripts.response(""), 6, ["status 200", "no response to the call"]),
        ("HTTP/1.1 204 No Content\r\n\r\n", 6, ["status 204"]),
        (
            HTTPScripts.response("200 OK", ["Content-Type: text/html"], body: "<p>login</p>"), 6,
            ["status 200", "content type 'text/html'", "Response body: login"]
        ),
        (HTTPScripts.response("not JSON"), 6, []),
        (HTTPScripts.response(#"{"jsonrpc":"2.0","id":1}"#), 6, []),
        (HTTPScripts.response(#"{"jsonrpc":"2.0","id":99,"result":1}"#), 6, ["no response to the call"]),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", 5, ["The connection was lost"]),
        ("nonsense\r\n\r\n", 6, []),
    ]

    @Test(arguments: answers.indices) func unusableAnswersHaveAStatusAndAReason(_ index: Int) async throws {
        let answer = Self.answers[index]
        let server = try HTTPScripts.server(answering: answer.response)
        let run = try await ToolRun.run(["call", server.url, "m"])
        #expect(run.status == answer.status, "\(answer.response)\n\(run.diagnostics)")
        #expect(run.output == "")
        #expect(run.diagnostics.hasPrefix("jsonrpc: "))
        #expect(run.diagnostics.split(separator: "\n").count == 1)
        for part in answer.parts { #expect(run.diagnostics.contains(part), "\(run.diagnostics)") }
    }

    @Test func aLongBodyIsCut() async throws {
        let server = try HTTPScripts.server(
            answering: HTTPScripts.response("500 Oops", body: String(repeating: "very long ", count: 10_000)))
        let run = try await ToolRun.run(["call", server.url, "m"])
        #expect(run.status == 3)
        #expect(run.diagnostics.utf8.count < 400)
    }

    @Test func aConnectionThatEndsBeforeTheAnswerIsLost() async throws {
        #if AsyncHTTPClient
            // URLSession ends the process: see `jsonrpc --help` of such a build.
            for start in ["", "HTTP/1.1 200 OK\r\nContent-"] {
                let server = try HTTPScripts.server(answering: start)
                let run = try await ToolRun.run(["call", server.url, "m"])
                #expect(run.status == 5)
                #expect(run.diagnostics.contains("The connection was lost"))
            }
        #endif
    }

    /// URLSession has no phrases, and reports a malformed chunk as a lost connection.
    @Test func phrasesAndMalformedChunksAreReported() async throws {
        #if AsyncHTTPClient
            // The phrase is that of RFC 9110, whatever the server sends.
            let phrase = try HTTPScripts.server(answering: HTTPScripts.response("502 Bad", body: "x"))
            let run = try await ToolRun.run(["call", phrase.url, "m"])
            #expect(run.diagnostics.contains("status 502 Bad Gateway and"))
            let chunk = try HTTPScripts.server(
                answering: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
            #expect(try await ToolRun.run(["call", chunk.url, "m"]).status == 6)
        #endif
    }

    @Test func trailersAreRead() async throws {
        #if AsyncHTTPClient
            let body = #"{"jsonrpc":"2.0","id":1,"result":1}"#
            let server = try HTTPScripts.server(
                answering: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
                    + "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\nX-Sum: 1\r\n\r\n")
            #expect(try await ToolRun.run(["call", server.url, "m"]).output == "1\n")
        #endif
    }

    @Test func compressedAnswersAreRead() async throws {
        let text = "H4sIAAAAAAACA6tWyirOzysqSFayUjLSM1DSUcpMUbIy1FEqSi0uzSkBinqk5uTkK9UCAMLOZ2UpAAAA"
        let body = try #require(Data(base64Encoded: text))
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        let server = try HTTPScripts.server(answering: Array(head.utf8) + body)
        #expect(try await ToolRun.run(["call", server.url, "m"]).output == "\"Hello\"\n")
        // The limit is that of the decompressed answer.
        let limited = try await ToolRun.run(["call", server.url, "m", "--max-message-size", "40"])
        #expect(limited.status == 6)
        #expect(limited.diagnostics.contains("Raise --max-message-size to accept it."))
    }

    @Test func tenMegabytesAreReadUnlessTheLimitIsLower() async throws {
        let size = 10_000_000
        let server = try HTTPScripts.server(
            answering: HTTPScripts.response(
                #"{"jsonrpc":"2.0","id":1,"result":"\#(String(repeating: "x", count: size))"}"#))
        let run = try await ToolRun.run(["call", server.url, "m"])
        #expect(run.status == 0)
        #expect(run.output.utf8.count == size + 3)
        let limited = try await ToolRun.run(["call", server.url, "m", "--max-message-size", "9000000"])
        #expect(limited.status == 6)
        #expect(limited.output == "")
        #expect(
            limited.diagnostics
                == "jsonrpc: The peer sent a message larger than 9000000 bytes. Raise --max-message-size to accept it.\n"
        )
    }

    // MARK: Terminals

    /// U+009B and a change of direction. ESC is not allowed in a head.
    private let attack = "\u{9B}31m\u{202E}x"

    private func expectHarmless(_ run: ToolRun) {
        for scalar in run.diagnostics.unicodeScalars where scalar != "\n" {
            #expect(!"\u{1B}\u{9B}\u{202E}\u{7F}".unicodeScalars.contains(scalar))
        }
    }

    @Test(arguments: [[], ["-v"]]) func statusesFieldsAndBodiesAreEscaped(_ options: [String]) async throws {
        let server = try HTTPScripts.server(
            answering: HTTPScripts.response(
                "599 Bad \(attack)", ["Location: /\(attack)", "Retry-After: \(attack)", "X-Any: \(attack)"],
                body: "\u{1B}[2J\(attack)"))
        let run = try await ToolRun.run(["call", server.url, "m"] + options)
        #expect(run.status == 3)
        #expect(run.diagnostics.contains(#"Location: /\u009b31m\u202ex "#))
        #expect(run.diagnostics.contains(#"\x1b[2J\u009b31m\u202ex"#))
        expectHarmless(run)
    }

    @Test func aContentTypeIsEscaped() async throws {
        let server = try HTTPScripts.server(
            answering: HTTPScripts.response("200 OK", ["Content-Type: text/\(attack)"], body: "\u{1B}[2J"))
        let run = try await ToolRun.run(["call", server.url, "m", "-v"])
        #expect(run.status == 6)
        expectHarmless(run)
    }
}
