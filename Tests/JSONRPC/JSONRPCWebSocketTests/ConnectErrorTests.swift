// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// The `ClientError` itself says whether another attempt to connect may help.
@Suite(.inTurn(within: .seconds(60)))
struct ConnectErrorTests {
    private func error(
        _ url: String, _ configure: (inout WebSocketConfiguration) -> Void = { _ in }
    ) async -> ClientError? {
        var webSocket = WebSocketConfiguration()
        webSocket.connectTimeout = .seconds(50)
        webSocket.proxy = .none
        configure(&webSocket)
        let error = await #expect(throws: ClientError.self) {
            try await JSONRPCClient.connect(to: url, webSocket: webSocket)
        }
        #expect(error?.code == .connectFailed)
        return error
    }

    @Test(arguments: [
        "http://127.0.0.1", "ws://", "ws://127.1/", "ws://h:99999/", "ws+unix:relative", "ws://a b/",
    ])
    func anUnusableURLStaysUnusable(url: String) async {
        #expect(await error(url)?.isRetryable == false)
    }

    @Test func aRefusedConnectionMayPass() async throws {
        let listener = try await JSONRPCListener.listen { _ in }
        await listener.stop()
        let error = await error(listener.url)
        #expect(error?.isRetryable == true)
        #expect(error?.message == "Could not connect to ws://127.0.0.1:\(listener.port).")
    }

    @Test func aUnixSocketThatIsNotThereYetMayPass() async {
        #expect(await error("ws+unix:/nonexistent/s")?.isRetryable == true)
    }

    @Test(arguments: [
        (200, false), (301, false), (400, false), (401, false), (403, false), (404, false), (408, true), (426, false),
        (429, true), (500, false), (502, true), (503, true), (504, true),
    ])
    func theStatusDecides(status: Int, isRetryable: Bool) async throws {
        let peer = try RawPeer { socket in
            _ = try socket.readHead()
            try socket.send("HTTP/1.1 \(status) Phrase\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n")
        }
        let error = await error(peer.url)
        #expect(error?.isRetryable == isRetryable)
        let isRedirect = status == 301
        #expect((error?.cause as? any ConnectError)?.retryAfter == (isRedirect ? nil : .seconds(120)))
        try await peer.outcome()
    }

    /// A URL can hold a password or a token, which must not be logged.
    @Test func theErrorOfSeveralEndpointsNamesThemWithoutTheirSecrets() async throws {
        let isOver = Gate()
        let peer = try RawPeer { _ in try isOver.wait() }
        let port = peer.port
        var webSocket = WebSocketConfiguration()
        webSocket.connectTimeout = .milliseconds(50)
        webSocket.proxy = .none
        let connector = RankedConnector([
            WebSocketConnector(to: "ws://user:secret@127.0.0.1:\(port)/path?token=hidden", configuration: webSocket),
            WebSocketConnector(to: "wss+unix:/nonexistent/s:/path?token=hidden", configuration: webSocket),
            WebSocketConnector(to: "ws://secret@hidden@", configuration: webSocket),
        ])
        let error = await #expect(throws: ClientError.self) { try await JSONRPCClient(connector: connector).connect() }
        isOver.open()
        try await peer.outcome()
        let text = try #require(error?.cause as? RankedConnector.EndpointsError).description
        #expect(text.contains("ws://127.0.0.1:\(port): The server "))
        #expect(text.contains("; wss+unix:/nonexistent/s: "))
        #expect(text.contains("; a URL that is not valid: "))
        #expect(!text.contains("secret") && !text.contains("hidden"))
        // A message that names the code does not end with the code.
        #expect(text.prefix { $0 != ";" }.split(separator: "connectTimeout").count == 2, "\(text)")
    }

    @Test func aServerThatHangsUpMayPass() async throws {
        let peer = try RawPeer { socket in _ = try socket.readHead() }
        #expect(await error(peer.url)?.isRetryable == true)
    }

    @Test func aServerThatDoesNotAnswerMayPass() async throws {
        let isOver = Gate()
        let peer = try RawPeer { _ in try isOver.wait() }
        #expect(await error(peer.url) { $0.connectTimeout = .milliseconds(50) }?.isRetryable == true)
        isOver.open()
        try await peer.outcome()
    }

    @Test func aCertificateForAnotherNameStaysWrong() async throws {
        let certificates = try await Certificates.shared()
        let files = certificates[.wrongHost]
        var configuration = JSONRPCListener.Configuration()
        configuration.webSocket.tls = TLSListenerConfiguration(
            identity: TLSConfiguration.Identity(
                certificateChain: .file(files.certificate), privateKey: .file(files.key)))
        let listener = try await JSONRPCListener.listen(configuration: configuration) { _ in }
        let error = await error("wss://localhost:\(listener.port)/") {
            $0.tls.trust = .only(.file(certificates.authority))
        }
        #expect(error?.isRetryable == false)
        #expect((error?.cause as? WebSocketError)?.code == .certificateWrongHost)
        await listener.stop()
    }

    @Test func aSubprotocolThatTheServerDoesNotKnowStaysUnknown() async throws {
        let listener = try await JSONRPCListener.listen { _ in }
        #expect(await error(listener.url) { $0.subprotocols = ["x"] }?.isRetryable == false)
        await listener.stop()
    }

    @Test func anErrorOfTheHeadersClosureIsNotRetryable() async {
        struct NoToken: Error {}
        let error = await error("ws://127.0.0.1:1/") { $0.dynamicHeaders = { throw NoToken() } }
        #expect(error?.cause is NoToken)
        #expect(error?.isRetryable == false)
    }
}
