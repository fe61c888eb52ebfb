// swift-jsonrpc · SPDX-License-Identifier: MIT

import LWSWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Requests that a listener refuses (number 2): it accepts only RFC 6455 §4.2.1, and no request of a web page.
@Suite(.inTurn(within: .seconds(60)))
struct FailedHandshakeTests {
    private static let right = [
        "GET / HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
    ]

    /// The valid request with some lines replaced, by the beginning of the line.
    private static func request(_ changes: [String: String?], adding lines: [String] = []) -> String {
        let changed: [String] = right.compactMap { line in
            for (start, replacement) in changes where line.hasPrefix(start) { return replacement }
            return line
        }
        return (changed + lines + ["", ""]).joined(separator: "\r\n")
    }

    private func answer(
        to request: String, configuration: WebSocketListener.Configuration = .init()
    ) async throws -> String {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(configuration: configuration, on: loops) { _ in
            .accept(RecordingHandler())
        }
        let port = listener.port
        let head = try await BlockingThread.value { () -> String in
            let socket = try RawSocket(connectingTo: port)
            try socket.send(request)
            return try socket.readHead()
        }
        // The listener serves the next request.
        try await connect(to: listener.url, handler: RecordingHandler(), on: loops)
        await loops.shutDown()
        return head
    }

    private func status(of request: String, _ configuration: WebSocketListener.Configuration = .init()) async throws
        -> Int?
    {
        try await answer(to: request, configuration: configuration).split(separator: " ").dropFirst().first
            .flatMap { Int($0) }
    }

    @Test func theRightRequestIsAccepted() async throws {
        #expect(try await status(of: Self.request([:])) == 101)
    }

    private static let refused: [String: (request: String, status: Int)] = [
        "POST": (request(["GET": "POST / HTTP/1.1"]), 405), "HEAD": (request(["GET": "HEAD / HTTP/1.1"]), 405),
        "HTTP/1.0": (request(["GET": "GET / HTTP/1.0"]), 426), "HTTP/2": (request(["GET": "GET / HTTP/2.0"]), 505),
        "no target": (request(["GET": "GET  HTTP/1.1"]), 400), "noise": ("\u{1}\u{2}\u{3}\r\n\r\n", 400),
        "no host": (request(["Host": nil]), 400), "two hosts": (request([:], adding: ["Host: localhost"]), 400),
        "no upgrade": (request(["Upgrade": nil]), 426), "h2c": (request(["Upgrade": "Upgrade: h2c"]), 426),
        "no connection": (request(["Connection": nil]), 426),
        "keep-alive": (request(["Connection": "Connection: keep-alive"]), 426),
        "version 8": (request(["Sec-WebSocket-Version": "Sec-WebSocket-Version: 8"]), 426),
        "no version": (request(["Sec-WebSocket-Version": nil]), 426),
        "no key": (request(["Sec-WebSocket-Key": nil]), 400),
        "two keys": (request([:], adding: ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]), 400),
        "short key": (request(["Sec-WebSocket-Key": "Sec-WebSocket-Key: dGhlIHNhbXBsZQ=="]), 400),
        "key that is no base64": (request(["Sec-WebSocket-Key": "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j!!=="]), 400),
        "a body": (request([:], adding: ["Content-Length: 5"]), 400),
        "chunks": (request([:], adding: ["Transfer-Encoding: chunked"]), 400),
        "bare CR": (request([:], adding: ["X-A: b\rc"]), 400), "folded": (request([:], adding: ["X-A: b", " c"]), 400),
        "NUL": (request([:], adding: ["X-A: \u{0}"]), 400),
        "space before colon": (request([:], adding: ["X-A : b"]), 400),
        "17 KiB": (request([:], adding: ["X-A: " + String(repeating: "a", count: 17_000)]), 400),
        "a page": (request([:], adding: ["Origin: https://evil.example"]), 403),
        "a page without an origin": (request([:], adding: ["Origin: null"]), 403),
        "another name for this machine": (request(["Host": "Host: evil.example"]), 403),
        "another name with a port": (request(["Host": "Host: evil.example:80"]), 403),
        "a user name before another name": (request(["Host": "Host: localhost:80@evil.com"]), 400),
        "a port that is no number": (request(["Host": "Host: localhost:abc"]), 400),
        "a port above 65535": (request(["Host": "Host: localhost:65536"]), 400),
        "an address that is not closed": (request(["Host": "Host: [::1"]), 400),
        "text after an address": (request(["Host": "Host: [::1].evil.example"]), 400),
        "two hosts in one field": (request(["Host": "Host: localhost, evil.example"]), 400),
        "a path in Host": (request(["Host": "Host: localhost/x"]), 400),
        "an empty Host": (request(["Host": "Host: "]), 403),
        "a name that begins like an address": (request(["Host": "Host: 127.0.0.1.evil.example"]), 403),
    ]

    @Test(arguments: refused.keys.sorted()) func aWrongRequestIsRefused(name: String) async throws {
        let (request, expected) = try #require(Self.refused[name])
        #expect(try await status(of: request) == expected)
    }

    /// Heads that libwebsockets itself parses in another way: it drops the connection, answers with another status, or
    /// reads over the fault.
    private static let parsedByLibwebsockets: Set = [
        "17 KiB", "HTTP/2", "NUL", "bare CR", "folded", "noise", "space before colon", "an empty Host",
    ]

    @Test(arguments: refused.keys.filter { !parsedByLibwebsockets.contains($0) }.sorted())
    func libwebsocketsRefusesIt(name: String) async throws {
        let (request, expected) = try #require(Self.refused[name])
        var configuration = WebSocketListener.Configuration()
        configuration.connection.engine = .libwebsockets
        #expect(try await status(of: request, configuration) == expected)
    }

    @Test func theVersionThatIsSpokenIsNamed() async throws {
        let head = try await answer(to: Self.request(["Sec-WebSocket-Version": "Sec-WebSocket-Version: 8"]))
        #expect(RawSocket.field("Sec-WebSocket-Version", in: head) == "13")
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:99", "LOCALHOST", "localhost:1", "127.1.2.3", "[::1]:5", "[0:0:0:0:0:0:0:1]",
    ])
    func everyNameOfTheLoopbackIsAccepted(host: String) async throws {
        #expect(try await status(of: Self.request(["Host": "Host: \(host)"])) == 101)
    }

    @Test func originsAndNamesCanBeAllowed() async throws {
        var configuration = WebSocketListener.Configuration()
        configuration.allowedOrigins = .only(["https://app.example"])
        configuration.allowedHosts = ["App.Example"]
        let host = ["Host": "Host: app.example:8080"]
        #expect(try await status(of: Self.request(host, adding: ["Origin: https://app.example"]), configuration) == 101)
        #expect(try await status(of: Self.request(host, adding: ["Origin: http://app.example"]), configuration) == 403)
        #expect(try await status(of: Self.request(["Host": "Host: b.example"]), configuration) == 403)
        configuration.allowedOrigins = .anyPage
        #expect(try await status(of: Self.request(host, adding: ["Origin: https://any.example"]), configuration) == 101)
    }
}
