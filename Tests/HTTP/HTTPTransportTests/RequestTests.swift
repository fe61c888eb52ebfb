// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPTypes
import Synchronization
import TestSupport
import TestTurns
import Testing

/// The bytes of requests that reach a server.
@Suite("Requests on the wire", .inTurn(within: .seconds(60)))
struct RequestTests {
    /// Answers each request with the bytes of its body.
    private static func echoServer() throws -> RawHTTPServer {
        try RawHTTPServer { connection in
            while let head = try connection.readHead() {
                let body = try connection.readBody(of: head)
                try connection.socket.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
                try connection.socket.send(body)
            }
        }
    }

    private static func stream(_ pieces: [[UInt8]]) -> HTTPByteStream { HTTPByteStream(Pieces(pieces)) }

    @Test(arguments: TransportUnderTest.allCases)
    func headIsSentAsItIs(_ kind: TransportUnderTest) async throws {
        let server = try Self.echoServer()
        var request = HTTPRequest.to(server.authority, "/a%20b/c?x=%2F&y=1+2", .patch)
        request.headerFields = [.init("X-One")!: "1, 2", .accept: "application/json", .userAgent: "tests"]
        try await kind.run { _ = try await $0.exchange(request) }
        let lines = Set((server.heads.elements.first ?? "").split(separator: "\r\n").map(String.init))
        #expect(lines.contains("PATCH /a%20b/c?x=%2F&y=1+2 HTTP/1.1"))
        let names = Set(lines.compactMap { $0.split(separator: ":").first?.lowercased() })
        for line in ["X-One: 1, 2", "Accept: application/json", "User-Agent: tests"] { #expect(lines.contains(line)) }
        let own: Set = ["x-one", "accept", "user-agent", "host", "content-length", "accept-encoding"]
        let added = names.subtracting(own).filter { !$0.hasPrefix("patch ") }
        #expect(added == (kind == .urlSession ? ["connection", "accept-language"] : []))
    }

    @Test(
        arguments: TransportUnderTest.allCases,
        [
            ("/user?page[cursor]=a%2Bb%2F%3D", "/user?page%5Bcursor%5D=a%2Bb%2F%3D"), ("/[a]/%2F?b", "/%5Ba%5D/%2F?b"),
            ("/?a=%zz&b=%2B", "/?a=%25zz&b=%2B"), ("/a|b/%2F?{c}=%2B", "/a%7Cb/%2F?%7Bc%7D=%2B"),
        ])
    func escapesOfATargetAreSentAsTheyAre(_ kind: TransportUnderTest, _ target: (String, String)) async throws {
        let server = try Self.echoServer()
        try await kind.run { _ = try await $0.exchange(.to(server.authority, target.0)) }
        #expect(server.heads.elements.first?.hasPrefix("GET \(target.1) HTTP/1.1\r\n") == true)
    }

    @Test(
        arguments: TransportUnderTest.allCases,
        ["127.0.0.1:99999999", "127.0.0.1:65536", "localhost:0", "[::1]:70000", "[]", "a:b", "user:s3cret@127.0.0.1:1"])
    func aHostOrPortThatIsNoneFailsTheRequest(_ kind: TransportUnderTest, _ authority: String) async throws {
        try await kind.run { transport in
            let error = await #expect(throws: HTTPTransportError.self) { try await transport.exchange(.to(authority)) }
            #expect(error?.code == .invalidRequest && error?.isRequestUnsent == true)
            #expect(error?.reason.contains("65535") == true && error?.reason.contains("s3cret") == false)
        }
    }

    @Test(
        arguments: TransportUnderTest.allCases,
        ["http://127.0.0.1:99999999/", "//127.0.0.1:70000/", "http://[::1]:65536/"])
    func aRedirectToAPortThatIsNoneIsAResponse(_ kind: TransportUnderTest, _ location: String) async throws {
        let server = try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.socket.send(
                "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        }
        try await kind.run { transport in
            let start = HTTPRequest.to(server.authority)
            let next = NextHTTPInterceptor { try await transport.send($0, body: $1, context: $2) }
            let response = try await RedirectInterceptor().intercept(
                start, body: nil, context: HTTPRequestContext(), next: next)
            #expect(response.head.status == .found)
        }
        #expect(server.heads.elements.count == 1)
    }

    /// Foundation and its libcurl disagree on the host of such a URL.
    @Test func urlSessionSaysThatItRefusesIPv6() async throws {
        try await TransportUnderTest.urlSession.run { transport in
            let error = await #expect(throws: HTTPTransportError.self) { try await transport.exchange(.to("[::1]:80")) }
            #expect(error?.code == .invalidRequest && error?.reason.contains("IPv6") == true)
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func eachKindOfBodyArrives(_ kind: TransportUnderTest) async throws {
        let server = try Self.echoServer()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let pieces = [Array(bytes[..<7]), [], Array(bytes[7..<200_000]), Array(bytes[200_000...])]
        try await withTemporaryDirectory { folder in
            try Data(bytes).write(to: URL(filePath: folder + "/body"))
            let contents: [(HTTPBodyEntity.Content, String)] = [
                (.bytes(bytes), "content-length: 300000"), (.file(path: folder + "/body"), "content-length: 300000"),
                (.stream(length: 300_000, isReplayable: false) { Self.stream(pieces) }, "content-length: 300000"),
                (
                    .stream(length: nil, isReplayable: true) { Self.stream(pieces) },
                    kind == .urlSession ? "content-length: 300000" : "transfer-encoding: chunked"
                ),
            ]
            for (content, field) in contents {
                try await kind.run { transport in
                    let progress = EventLog<HTTPProgress>()
                    var context = HTTPRequestContext()
                    context.uploadProgress = { progress.record($0) }
                    let response = try await transport.send(
                        .to(server.authority, "/", .post), body: HTTPBodyEntity(content: content), context: context)
                    #expect(response.head.status == .ok)
                    let echo = try await response.body.collect(upTo: 1 << 20)
                    #expect(echo == bytes)
                    let sent = progress.elements.map(\.completedBytes)
                    #expect(sent.last == 300_000 && sent == sent.sorted())
                }
                #expect(server.heads.elements.last?.lowercased().contains("\r\n\(field)\r\n") == true)
            }
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aSmallBodyIsReportedAsSent(_ kind: TransportUnderTest) async throws {
        let server = try Self.echoServer()
        let bytes = [UInt8](repeating: 0x61, count: 1000)
        try await kind.run { transport in
            let progress = EventLog<HTTPProgress>()
            var context = HTTPRequestContext()
            context.uploadProgress = { progress.record($0) }
            let response = try await transport.send(
                .to(server.authority, "/", .post), body: HTTPBodyEntity(content: .bytes(bytes)), context: context)
            #expect(try await response.body.collect(upTo: 1 << 20) == bytes)
            #expect(progress.elements == [HTTPProgress(completedBytes: 1000, totalBytes: 1000)])
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func emptyBodyHasTheLengthZero(_ kind: TransportUnderTest) async throws {
        let server = try Self.echoServer()
        for content in [HTTPBodyEntity.Content.bytes([]), .stream(length: 0, isReplayable: true) { Self.stream([]) }] {
            let body = try await kind.run {
                try await $0.exchange(.to(server.authority, "/", .post), body: HTTPBodyEntity(content: content)).body
            }
            #expect(body.isEmpty)
            #expect(server.heads.elements.last?.lowercased().contains("content-length: 0\r\n") == true)
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func failureOfAStreamFailsTheRequest(_ kind: TransportUnderTest) async throws {
        struct Broken: Error {}
        let server = try Self.echoServer()
        let body = HTTPBodyEntity(
            content: .stream(length: 300_000, isReplayable: false) {
                HTTPByteStream(Pieces([[UInt8](repeating: 1, count: 70_000)], failure: Broken()))
            })
        _ = try await kind.run { transport in
            await #expect(throws: Broken.self) {
                _ = try await transport.exchange(.to(server.authority, "/", .post), body: body)
            }
        }
        let unmade = HTTPBodyEntity(content: .stream(length: nil, isReplayable: false) { throw Broken() })
        _ = try await kind.run { transport in
            await #expect(throws: Broken.self) {
                _ = try await transport.exchange(.to(server.authority, "/", .post), body: unmade)
            }
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func streamOfAnotherLengthFailsTheRequest(_ kind: TransportUnderTest) async throws {
        let server = try Self.echoServer()
        for length in [Int64(3), 50, -1] {
            let body = HTTPBodyEntity(
                content: .stream(length: length, isReplayable: true) { Self.stream([[1, 2], [3, 4]]) })
            let outcome = try await kind.run { try await $0.outcome(.to(server.authority, "/", .post), body: body) }
            #expect(outcome == .failure(.invalidRequest), "\(length): \(outcome)")
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func requestThatCannotBeSentIsAnError(_ kind: TransportUnderTest) async throws {
        let requests = [
            HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/"),
            HTTPRequest(method: .get, scheme: "ftp", authority: "localhost", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "", path: "/"),
        ]
        for request in requests {
            let error = try await kind.run { transport in
                await #expect(throws: HTTPTransportError.self) { _ = try await transport.exchange(request) }
            }
            #expect(error?.code == .invalidRequest && error?.isRequestUnsent == true, "\(String(describing: error))")
        }
        for path in ["/does/not/exist", "/dev/zero", "/tmp"] {
            let error = try await kind.run { transport in
                await #expect(throws: HTTPTransportError.self) {
                    let body = HTTPBodyEntity(content: .file(path: path))
                    _ = try await transport.exchange(.to("localhost", "/", .post), body: body)
                }
            }
            #expect(error?.code == .invalidRequest && error?.isRequestUnsent == true)
        }
    }

    /// `URLSession` refuses it, as documented.
    @Test(arguments: TransportUnderTest.allCases)
    func bodyWithGet(_ kind: TransportUnderTest) async throws {
        let server = try Self.echoServer()
        let body = HTTPBodyEntity(content: .bytes(Array("hello".utf8)))
        let outcome = try await kind.run { try await $0.outcome(.to(server.authority), body: body) }
        #expect(outcome == (kind == .urlSession ? .failure(.invalidRequest) : .response(200, "hello")))
    }

    @Test(arguments: TransportUnderTest.allCases)
    func cookiesAreNotKept(_ kind: TransportUnderTest) async throws {
        let server = try RawHTTPServer { connection in
            while try connection.readHead() != nil {
                try connection.socket.send(
                    "HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n")
            }
        }
        try await kind.run { transport in
            for _ in 1...2 {
                let cookies = try await transport.exchange(.to(server.authority)).head.headerFields[values: .setCookie]
                #expect(cookies == (kind == .urlSession ? ["a=1; Path=/, b=2"] : ["a=1; Path=/", "b=2"]))
            }
        }
        #expect(server.heads.elements.count == 2)
        #expect(!server.heads.elements.contains { $0.lowercased().contains("\r\ncookie:") })
    }

    @Test(arguments: TransportUnderTest.allCases)
    func decompressedResponseHasNoCoding(_ kind: TransportUnderTest) async throws {
        let coded = [UInt8](Data(base64Encoded: AnswerCase.gzip) ?? Data())
        let server = try RawHTTPServer { connection in
            _ = try connection.readHead()
            try connection.socket.send(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n")
            try connection.socket.send(coded)
        }
        let (head, stream) = try await kind.run { transport in
            let response = try await transport.send(
                .to(server.authority), body: nil, context: HTTPRequestContext())
            return (response.head, (response.body.length, try await response.body.collect(upTo: 1000).count))
        }
        #expect(head.headerFields[.contentEncoding] == nil && head.headerFields[.contentLength] == nil)
        #expect(stream.0 == nil && stream.1 == 136)
        #expect(server.heads.elements.first?.lowercased().contains("accept-encoding: deflate, gzip") == true)
    }

    /// Foundation on Linux does not report the version.
    @Test(arguments: TransportUnderTest.allCases, ["1.0", "1.1"])
    func theVersionOfHTTPIsAFact(_ kind: TransportUnderTest, _ version: String) async throws {
        let server = try RawHTTPServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.socket.send("HTTP/\(version) 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        let facts = try await kind.run {
            try await $0.send(.to(server.authority), body: nil, context: HTTPRequestContext()).facts
        }
        #expect(facts == HTTPExchangeFacts(httpVersion: kind == .urlSession ? nil : version))
    }
}

/// Pieces in memory, and then an error.
final class Pieces: HTTPByteSource {
    private let rest: Mutex<[[UInt8]]>
    private let failure: (any Error)?

    init(_ pieces: [[UInt8]], failure: (any Error)? = nil) {
        rest = Mutex(pieces)
        self.failure = failure
    }

    func next() async throws -> ArraySlice<UInt8>? {
        let piece = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if piece == nil, let failure { throw failure }
        return piece.map { $0[...] }
    }
}
