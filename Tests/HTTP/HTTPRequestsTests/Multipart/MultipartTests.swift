// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPTypes
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import HTTPRequests

@Suite("Multipart bodies", .inTurn)
struct MultipartTests {
    typealias Part = MultipartHTTPBody.Part

    /// Builds a body, and checks that its length is right.
    static func text(_ parts: [Part], boundary: String = "B") async throws -> String {
        let entity = try MultipartHTTPBody(parts, boundary: boundary).buildEntity()
        let bytes = try await entity.makeStream().collect(upTo: 1 << 24)
        if let length = entity.length { #expect(length == Int64(bytes.count)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func partsHaveExactlyTheseBytes() async throws {
        let parts = [
            Part("text", "value"), Part("empty", ""),
            Part("file", bytes: [0x61, 0x0D, 0x0A], fileName: "a.txt", contentType: "text/plain"),
            Part("name only", bytes: [0x62], fileName: "b"), Part("type only", bytes: [0x63], contentType: "text/css"),
            Part("json", body: ["a": [1]] as JSONHTTPBody),
        ]
        let expected = """
            --B\r
            Content-Disposition: form-data; name="text"\r
            \r
            value\r
            --B\r
            Content-Disposition: form-data; name="empty"\r
            \r
            \r
            --B\r
            Content-Disposition: form-data; name="file"; filename="a.txt"\r
            Content-Type: text/plain\r
            \r
            a\r
            \r
            --B\r
            Content-Disposition: form-data; name="name only"; filename="b"\r
            \r
            b\r
            --B\r
            Content-Disposition: form-data; name="type only"\r
            Content-Type: text/css\r
            \r
            c\r
            --B\r
            Content-Disposition: form-data; name="json"\r
            Content-Type: application/json\r
            \r
            {"a":[1]}\r
            --B--\r

            """
        #expect(try await Self.text(parts) == expected)
        #expect(try await Self.text([]) == "--B--\r\n")
        let entity = try MultipartHTTPBody(parts, boundary: "B").buildEntity()
        #expect(entity.contentType == "multipart/form-data; boundary=B")
        #expect(entity.isReplayable)
        guard case .bytes = entity.content else { return #expect(Bool(false), "parts in memory become one array") }
    }

    @Test func namesCannotLeaveTheirQuotes() async throws {
        let cases = [
            (#"a"b"#, "a%22b"), ("a\r\nX: y", "a%0D%0AX: y"), ("a\nb\rc", "a%0Ab%0Dc"), ("日本", "日本"),
            (#"a\"#, #"a\"#), ("100%22", "100%22"), ("a\u{0}\u{7F}", "a%00%7F"), ("", ""), ("a;b='c", "a;b='c"),
        ]
        for (name, escaped) in cases {
            let text = try await Self.text([Part(name, bytes: [], fileName: name)])
            let head = #"Content-Disposition: form-data; name="\#(escaped)"; filename="\#(escaped)""#
            #expect(text == "--B\r\n\(head)\r\n\r\n\r\n--B--\r\n")
        }
    }

    @Test func headerFieldsOfAPartFollowItsType() async throws {
        var part = Part("a", body: StringHTTPBody("x"))
        part.headerFields = [.contentLanguage: "de", .contentType: "ignored/x", .contentDisposition: "ignored"]
        #expect(
            try await Self.text([part])
                == "--B\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: text/plain; charset=utf-8\r\n"
                + "Content-Language: de\r\n\r\nx\r\n--B--\r\n")
        part.contentType = "text/markdown"
        #expect(try await Self.text([part]).contains("Content-Type: text/markdown\r\n"))
        for type in ["text/plain\r\nX: y", "a\nb", "a\u{0}"] {
            part.contentType = type
            #expect(throws: HTTPBodyError.illegalPartHeader(name: "a")) {
                try MultipartHTTPBody([part]).buildEntity()
            }
        }
    }

    @Test func filesAndStreamsAreReadWhileTheyAreSent() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/big \"file\".json"
            let content = String(repeating: "0123456789", count: 16_000)
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
            let parts = [
                Part("file", filePath: path), Part("text", "x"),
                Part("stream", body: StreamHTTPBody(length: 2) { HTTPByteStream([0x68, 0x69]) }, fileName: "s"),
            ]
            let expected =
                "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"big %22file%22.json\"\r\n"
                + "Content-Type: application/json\r\n\r\n\(content)\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nx\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"stream\"; filename=\"s\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\nhi\r\n--B--\r\n"
            let entity = try MultipartHTTPBody(parts, boundary: "B").buildEntity()
            #expect(entity.length == Int64(expected.utf8.count))
            #expect(entity.isReplayable)
            for _ in 0..<2 {
                let stream = try await entity.makeStream()
                #expect(stream.length == Int64(expected.utf8.count))
                let bytes = try await stream.collect(upTo: 1 << 20)
                #expect(String(decoding: bytes, as: UTF8.self) == expected)
            }
        }
    }

    @Test func aPartOfUnknownLengthMakesTheBodyOne() async throws {
        let parts = [Part("a", "x"), Part("s", body: StreamHTTPBody(HTTPByteStream([0x79])))]
        let entity = try MultipartHTTPBody(parts, boundary: "B").buildEntity()
        #expect(entity.length == nil)
        #expect(!entity.isReplayable)
        #expect(try await entity.makeStream().collect(upTo: 1000).count > 100)
        // The first part could be sent again, but the stream cannot.
        let again = try await entity.makeStream()
        await #expect(throws: HTTPBodyError.streamAlreadyUsed) { try await again.collect(upTo: 1000) }
    }

    @Test func lengthsThatDoNotHoldAreErrors() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/file"
            try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
            for size in [2, 4] {
                let entity = try MultipartHTTPBody([Part("f", filePath: path)]).buildEntity()
                #expect(truncate(path, size) == 0)
                let stream = try await entity.makeStream()
                await #expect(throws: HTTPBodyError.self) { try await stream.collect(upTo: 1000) }
                #expect(truncate(path, 3) == 0)
            }
            // These changes keep the announced length of the whole body.
            let other = folder + "/other"
            try Data([4, 5, 6]).write(to: URL(fileURLWithPath: other))
            let entity = try MultipartHTTPBody([Part("f", filePath: path), Part("o", filePath: other)]).buildEntity()
            #expect(truncate(path, 2) == 0 && truncate(other, 4) == 0)
            let stream = try await entity.makeStream()
            await #expect(throws: HTTPBodyError.tooFewBytes(announced: 3, produced: 2)) {
                try await stream.collect(upTo: 1000)
            }
            #expect(throws: HTTPBodyError.fileNotFound(path: folder + "/missing")) {
                try MultipartHTTPBody([Part("f", filePath: folder + "/missing")]).buildEntity()
            }
        }
        let huge = StreamHTTPBody(length: .max) { HTTPByteStream([]) }
        let entity = try MultipartHTTPBody([Part("a", body: huge), Part("b", body: huge)]).buildEntity()
        #expect(entity.length == nil)
        let stream = try await entity.makeStream()
        await #expect(throws: HTTPBodyError.self) { try await stream.collect(upTo: 1000) }
    }

    @Test func aBoundaryIsCheckedAndQuoted() throws {
        for boundary in ["a", String(repeating: "x", count: 70), "Aa0-_'.+"] {
            let entity = try MultipartHTTPBody([], boundary: boundary).buildEntity()
            #expect(entity.contentType == "multipart/form-data; boundary=\(boundary)")
        }
        for boundary in ["a b", "a:b", "(a)", "a=b?", "a/b,c"] {
            let entity = try MultipartHTTPBody([], boundary: boundary).buildEntity()
            #expect(entity.contentType == "multipart/form-data; boundary=\"\(boundary)\"")
        }
        for boundary in ["", String(repeating: "x", count: 71), "a ", "a\"b", "a\r\nb", "日", "a;b", "a*", "\u{0}"] {
            #expect(throws: HTTPBodyError.illegalBoundary(boundary)) {
                try MultipartHTTPBody([], boundary: boundary).buildEntity()
            }
        }
    }

    @Test func aBoundaryThatOccursInAPartIsRefused() throws {
        for text in ["--B", "x\r\n--B--", "---B", "a--Bc", "--a-B--B", "-------B"] {
            #expect(throws: HTTPBodyError.boundaryInPart(name: "b")) {
                try MultipartHTTPBody([Part("a", "B"), Part("b", text)], boundary: "B").buildEntity()
            }
        }
        #expect(MultipartBoundary.occurs("B", in: Array("a".utf8)) == false)
        for text in ["-B", "B", "--b", "--", "", "------", "a--"] {
            #expect(throws: Never.self) { try MultipartHTTPBody([Part("a", text)], boundary: "B").buildEntity() }
        }
    }

    @Test func randomBoundariesDiffer() throws {
        var boundaries: Set<String> = []
        for _ in 0..<200 {
            let type = try #require(try MultipartHTTPBody([Part("a", "x")]).buildEntity().contentType)
            let boundary = String(type.dropFirst("multipart/form-data; boundary=".count))
            #expect(boundary.count == 32)
            #expect(boundary.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
            boundaries.insert(boundary)
        }
        #expect(boundaries.count == 200)
        var (first, second) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1))
        #expect(MultipartBoundary.random(using: &first) == MultipartBoundary.random(using: &second))
    }
}
