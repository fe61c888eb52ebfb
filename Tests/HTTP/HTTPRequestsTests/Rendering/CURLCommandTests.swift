// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPTypes
import TestTurns
import Testing

@Suite("cURL commands", .inTurn)
struct CURLCommandTests {
    static func request(
        _ method: HTTPRequest.Method = .get, path: String = "/a", _ fields: HTTPFields = [:]
    ) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "https", authority: "example.com", path: path, headerFields: fields)
    }

    static func bytes(_ text: String, type: String? = nil) -> HTTPBodyEntity {
        HTTPBodyEntity(contentType: type, content: .bytes(Array(text.utf8)))
    }

    @Test func commandsAreWrittenInOneLine() throws {
        let cases: [(HTTPRequest, HTTPBodyEntity?, String)] = [
            (Self.request(), nil, "curl --url https://example.com/a"),
            (Self.request(path: "/a?b=c&d=e f"), nil, "curl --url 'https://example.com/a?b=c&d=e f'"),
            (Self.request(.delete), nil, "curl --request DELETE --url https://example.com/a"),
            (Self.request(.head), nil, "curl --head --url https://example.com/a"),
            (
                Self.request(.post, [.contentType: "application/json"]), Self.bytes(#"{"a":"it's"}"#),
                #"curl --request POST --url https://example.com/a --header 'Content-Type: application/json' "#
                    + #"--data-raw '{"a":"it'\''s"}'"#
            ),
            (
                Self.request(.put), Self.bytes("x", type: "text/plain"),
                "curl --request PUT --url https://example.com/a --header 'Content-Type: text/plain' --data-raw x"
            ),
            (
                Self.request(.get), Self.bytes(""),
                "curl --request GET --url https://example.com/a --header Content-Type: --data-raw ''"
            ),
            (
                Self.request(.post), Self.bytes("a\0b"),
                "echo YQBi | base64 --decode | curl --request POST --url https://example.com/a "
                    + "--header Content-Type: --data-binary @-"
            ),
            (
                Self.request(path: "/[1]/../{a}"), nil,
                "curl --globoff --path-as-is --url 'https://example.com/[1]/../{a}'"
            ),
        ]
        for (request, body, command) in cases {
            #expect(CURLCommand(request, body: body).description == command)
        }
    }

    @Test func filesStreamsAndLongBodiesAreNotPartOfTheCommand() {
        let file = HTTPBodyEntity(contentType: "a/b", content: .file(path: "/tmp/it's.bin"))
        #expect(CURLCommand(Self.request(.put), body: file).arguments.suffix(2) == ["--data-binary", "@/tmp/it's.bin"])
        #expect(
            CURLCommand(Self.request(.put), body: file).description.hasSuffix(#" --data-binary '@/tmp/it'\''s.bin'"#))
        let hyphen = HTTPBodyEntity(content: .file(path: "-"))
        #expect(CURLCommand(Self.request(.put), body: hyphen).arguments.last == "@./-")
        let stream = HTTPBodyEntity(content: .stream(length: nil, isReplayable: false) { HTTPByteStream([]) })
        #expect(CURLCommand(Self.request(.put), body: stream).description.hasSuffix(" --data-binary @-"))
        for limit in [0, 3] {
            let command = CURLCommand(Self.request(.put), body: Self.bytes("pass"), maximumBodyBytes: limit)
            #expect(command.description.hasSuffix(" --data-binary @-"))
            #expect(!command.description.contains("pass"))
        }
    }

    @Test func secretsAreLeftOut() throws {
        let fields: HTTPFields = [
            .authorization: "Bearer s3cret", .cookie: "session=s3cret", .proxyAuthorization: "Basic s3cret",
            .accept: "text/plain",
        ]
        var request = Self.request(path: "/a?q=1&Access_Token=s3cret&to%6ben=s3cret&b", fields)
        request.authority = "user:s3cret@example.com"
        let command = CURLCommand(request)
        #expect(!command.description.contains("s3cret"))
        #expect(
            command.arguments == [
                "curl", "--url", "https://REDACTED@example.com/a?q=1&Access_Token=REDACTED&to%6ben=REDACTED&b",
                "--header", "Authorization: REDACTED", "--header", "Cookie: REDACTED",
                "--header", "Proxy-Authorization: REDACTED", "--header", "Accept: text/plain",
            ])
        let whole = CURLCommand(request, redacting: .none)
        #expect(whole.description.components(separatedBy: "s3cret").count == 7)
        var own = HTTPRedaction(fieldNames: [.accept], queryNames: ["Q"])
        own.fieldNames.insert(.cookie)
        let partly = CURLCommand(Self.request(path: "/?q=x&token=y", fields), redacting: own).arguments
        #expect(partly.contains("Accept: REDACTED") && partly.contains("Cookie: REDACTED"))
        #expect(partly.contains("https://example.com/?q=REDACTED&token=y"))
        #expect(partly.contains("Authorization: Bearer s3cret"))
    }

    /// Runs a command in bash with a `curl` that prints its arguments and its input, each followed by a NUL.
    static func run(_ command: String, withInput readsInput: Bool) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        let input = readsInput ? "cat;" : ""
        process.arguments = ["--norc", "-c", "curl() { printf '%s\\0' curl \"$@\"; \(input) }\n\(command)"]
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return data.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    static let hostileTexts = [
        "'; touch /tmp/injected; '", "$(touch /tmp/injected)", "`id`", "\\", "\\'", "'\\''", "a\nb", "a\r\nX: y", "!!",
        "\u{1B}[2J",
        "*", "~", "-o", "--config", "@/etc/passwd", "é日😀", "\u{202E}abc", "a\tb", "&& id", "| id", "> f", "\"", "$HOME",
        "#x", "{a,b}",
        "\u{85}\u{2028}", "%s\\0", "=ls", "", " ", "\u{7F}",
    ]

    @Test(arguments: hostileTexts)
    func noTextLeavesItsArgument(text: String) throws {
        let name = try #require(HTTPField.Name("X-$'`!"))
        let request = Self.request(.post, path: "/" + text, [name: text, .accept: text])
        let command = CURLCommand(request, body: Self.bytes(text, type: text), redacting: .none)
        #expect(!command.description.contains { $0.isNewline })
        let arguments = try Self.run(command.description, withInput: false)
        #expect(arguments == command.arguments + [""])
        #expect(command.arguments.suffix(2) == ["--data-raw", text])
        // A field cannot hold line breaks.
        for argument in command.arguments.dropLast(2) {
            #expect(!argument.contains { $0.isNewline && $0 != "\u{85}" && $0 != "\u{2028}" })
        }
        let file = HTTPBodyEntity(content: .file(path: text))
        let upload = CURLCommand(request, body: file, redacting: .none)
        #expect(try Self.run(upload.description, withInput: false).dropLast() == upload.arguments[...])
    }

    @Test func binaryBodiesReachCurl() throws {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7 | 0x80) }
        let command = CURLCommand(Self.request(.post), body: HTTPBodyEntity(content: .bytes(bytes)))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["--norc", "-c", "curl() { cat; }\n\(command.description)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(Array(output.fileHandleForReading.readDataToEndOfFile()) == bytes)
        process.waitUntilExit()
    }
}
