// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

@testable import WebSocket

/// The requests and the routes of dials.
@Suite(.inTurn(within: .seconds(60)))
struct OpeningHandshakeTests {
    private func connect(
        to url: String, _ configure: (inout WebSocketConfiguration) -> Void = { _ in }
    ) async throws {
        let loops = WebSocketEventLoops()
        var configuration = WebSocketConfiguration()
        configuration.proxy = .none
        configuration.connectTimeout = .seconds(60)
        configure(&configuration)
        let handler = RecordingHandler()
        let outcome: Result<Void, any Error>
        do {
            let connection = try await WebSocketConnection.connect(
                to: url, configuration: configuration, receiver: handler, on: loops)
            connection.close()
            _ = await handler.closure()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await loops.shutDown()
        try outcome.get()
    }

    /// The head of the request that a peer gets, as lines.
    private func request(
        path: String = "/", _ configure: (inout WebSocketConfiguration) -> Void = { _ in }
    ) async throws -> [String] {
        let peer = try RawPeer { socket in
            let head = try socket.acceptUpgrade()
            _ = try? socket.answerClose()
            return head
        }
        try await connect(to: "ws://user:pass@127.0.0.1:\(peer.port)\(path)", configure)
        return try await peer.outcome().components(separatedBy: "\r\n")
    }

    @Test func requestHasWhatWasGivenAndNoMore() async throws {
        let lines = try await request(path: "/rpc?a=b") { configuration in
            configuration.origin = "https://example.com"
            configuration.headers = [("X-Token", " t1 "), ("X-Token", "t2")]
        }
        #expect(lines.first == "GET /rpc?a=b HTTP/1.1")
        let fields = lines.dropFirst().filter { !$0.isEmpty && !$0.hasPrefix("Sec-WebSocket-Key: ") }
        #expect(
            fields.map { $0.hasPrefix("Host: 127.0.0.1:") ? "Host" : $0 }.sorted() == [
                "Authorization: Basic dXNlcjpwYXNz", "Connection: Upgrade", "Host", "Origin: https://example.com",
                "Sec-WebSocket-Version: 13", "Upgrade: websocket", "X-Token: t1", "X-Token: t2",
            ])
    }

    @Test func subprotocolsAreOfferedInOrder() async throws {
        let peer = try RawPeer { socket in
            let head = try socket.acceptUpgrade(adding: ["Sec-WebSocket-Protocol: b"])
            _ = try? socket.readToEnd()
            return head
        }
        try await connect(to: "ws://127.0.0.1:\(peer.port)") { $0.subprotocols = ["a", "b"] }
        #expect(try await peer.outcome().contains("\r\nSec-WebSocket-Protocol: a, b\r\n"))
    }

    @Test func longTargetsAndFieldsTravelUncut() async throws {
        let token = String(repeating: "t", count: 9000)
        let origin = "https://" + String(repeating: "o", count: 200)
        let lines = try await request(path: "/?token=\(token)") { configuration in
            configuration.origin = origin
            configuration.headers = [("X-Long", token)]
        }
        #expect(lines.first == "GET /?token=\(token) HTTP/1.1")
        #expect(lines.contains("X-Long: \(token)"))
        #expect(lines.contains("Origin: \(origin)"))
    }

    /// The server decides which length is too long: there is no limit on this side.
    @Test func aTokenOfAHundredKilobytesTravels() async throws {
        let token = String(repeating: "t", count: 100_000)
        let lines = try await request { $0.headers = [("Authorization", token)] }
        #expect(lines.contains("Authorization: \(token)"))
    }

    @Test func constantHeadersComeBeforeThoseOfTheDial() async throws {
        let lines = try await request {
            $0.headers = [("X-Constant", "1")]
            $0.dynamicHeaders = { [("X-Dynamic", "2")] }
        }
        #expect(lines.filter { $0.hasPrefix("X-") } == ["X-Constant: 1", "X-Dynamic: 2"])
    }

    @Test func headersAreMadeForEachDial() async throws {
        let counter = Counter()
        for expected in ["X-Dial: 1", "X-Dial: 2"] {
            let lines = try await request { $0.dynamicHeaders = { [("X-Dial", "\(await counter.next())")] } }
            #expect(lines.contains(expected))
        }
    }

    private actor Counter {
        private var count = 0
        func next() -> Int {
            count += 1
            return count
        }
    }

    @Test func faultOfTheHeadersEndsTheDial() async throws {
        struct NoToken: Error {}
        await #expect(throws: NoToken.self) {
            try await connect(to: "ws://127.0.0.1:1/") { $0.dynamicHeaders = { throw NoToken() } }
        }
    }

    @Test(arguments: ["a\r\nb", "a\nb", "a\0b"])
    func fieldWithALineBreakIsRefused(_ value: String) async throws {
        let error = await #expect(throws: WebSocketError.self) {
            try await connect(to: "ws://127.0.0.1:1/") { $0.headers = [("X", value)] }
        }
        #expect(error?.code == .invalidConfiguration)
    }

    // MARK: Ways

    @Test func ipv6IsDialled() async throws {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(at: .host("::1", port: 0), on: loops) { request in
            .accept(RecordingHandler.echo())
        }
        try await connect(to: "ws://[::1]:\(listener.port)/")
        await loops.shutDown()
    }

    @Test func unixSocketIsDialled() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "s \(UUID().uuidString.prefix(8)).sock")
            .path(percentEncoded: false)
        let peer = try RawPeer(unixPath: path) { socket in
            let head = try socket.acceptUpgrade()
            _ = try? socket.readToEnd()
            return head
        }
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await connect(to: "ws+unix:\(path.replacing(" ", with: "%20")):/rpc?x")
        let lines = try await peer.outcome().components(separatedBy: "\r\n")
        #expect(lines.first == "GET /rpc?x HTTP/1.1")
        #expect(lines.contains("Host: localhost"))
    }

    @Test func missingUnixSocketIsTold() async throws {
        let error = await #expect(throws: WebSocketError.self) { try await connect(to: "ws+unix:/nonexistent/s.sock") }
        #expect(error?.code == .connectFailed)
        #expect(error?.systemError == ENOENT)
    }

    @Test func unresolvableNameIsTold() async throws {
        let error = await #expect(throws: WebSocketError.self) { try await connect(to: "ws://nowhere.invalid/") }
        #expect(error?.code == .nameNotResolved)
    }

    @Test func refusedConnectionIsTold() async throws {
        let holder = try LoopbackSocket.bound()
        let port = try holder.localPort()
        let error = await #expect(throws: WebSocketError.self) { try await connect(to: "ws://127.0.0.1:\(port)/") }
        #expect(error?.code == .connectFailed)
        #expect(error?.systemError == ECONNREFUSED)
        withExtendedLifetime(holder) {}
    }

    @Test func secondAddressOfANameIsTried() async throws {
        // With IPv6, localhost is ::1 and 127.0.0.1; only the latter listens.
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
        try await connect(to: "ws://localhost:\(listener.port)/")
        await loops.shutDown()
    }

    @Test func peerThatNeverAnswersTheUpgradeTimesOut() async throws {
        let silent = try LoopbackSocket.listening()
        let port = try silent.localPort()
        let error = await #expect(throws: WebSocketError.self) {
            try await connect(to: "ws://127.0.0.1:\(port)/") { $0.connectTimeout = .milliseconds(50) }
        }
        #expect(error?.code == .connectTimeout)
    }

    /// A process may be suspended, or its event loop busy, while the answer arrives.
    @Test func answerThatArrivedInTimeIsReadAfterTheDeadline() async throws {
        let loops = WebSocketEventLoops()
        var configuration = WebSocketConfiguration()
        configuration.proxy = .none
        configuration.connectTimeout = .seconds(3)
        let deadline = DispatchTime.now() + .seconds(4)
        let peer = try RawPeer { socket in
            let head = try socket.readHead()
            let (stalled, answered) = (Gate(), Gate())
            Task(executorPreference: loops.executors[0]) { Self.stall(stalled, answered, until: deadline) }
            try stalled.wait()
            try socket.send(RawSocket.upgradeAnswer(to: head))
            answered.open()
            return try socket.answerClose()
        }
        let handler = RecordingHandler()
        let connection = try await WebSocketConnection.connect(
            to: peer.url, configuration: configuration, receiver: handler, on: loops)
        #expect(DispatchTime.now() >= deadline)
        connection.close()
        _ = await handler.closure()
        _ = try await peer.outcome()
        await loops.shutDown()
    }

    /// Blocks the thread until the peer has answered and the time has passed.
    private static func stall(_ stalled: Gate, _ answered: Gate, until deadline: DispatchTime) {
        stalled.open()
        try? answered.wait()
        _ = DispatchSemaphore(value: 0).wait(timeout: deadline)
    }

    @Test func cancellationEndsADialThatWaitsForTheUpgrade() async throws {
        let (requests, request) = AsyncStream<Void>.makeStream()
        let peer = try RawPeer { socket in
            _ = try socket.readHead()
            request.finish()
            return try socket.readToEnd()
        }
        let url = peer.url
        let dial = Task { try await connect(to: url) }
        for await _ in requests {}
        dial.cancel()
        await #expect(throws: CancellationError.self) { try await dial.value }
        // The peer sees the end of the connection.
        #expect(try await peer.outcome().isEmpty)
    }

    // MARK: Proxies

    private func connectThroughProxy(
        _ proxy: ProxyServer, credentials: String = "", secure: Bool = false, host: String = "localhost"
    ) async throws {
        let certificates = try await Certificates.shared()
        let loops = WebSocketEventLoops()
        var listening = WebSocketListener.Configuration()
        listening.allowedHosts = [host]
        if secure {
            listening.tls = TLSListenerConfiguration(
                identity: TLSConfiguration.Identity(
                    certificateChain: .file(certificates[.server].certificate),
                    privateKey: .file(certificates[.server].key)))
        }
        let listener = try await WebSocketListener.listen(configuration: listening, on: loops) { _ in
            .accept(RecordingHandler.echo())
        }
        let outcome: Result<Void, any Error>
        do {
            try await connect(to: "\(secure ? "wss" : "ws")://\(host):\(listener.port)/") { configuration in
                configuration.proxy = .http("http://\(credentials)127.0.0.1:\(proxy.port)")
                configuration.tls = TLSConfiguration(trust: .only(.file(certificates.authority)))
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await loops.shutDown()
        try outcome.get()
    }

    @Test(arguments: [false, true])
    func proxyIsPassedThrough(_ secure: Bool) async throws {
        let proxy = try ProxyServer(.tunnel(authorization: nil))
        try await connectThroughProxy(proxy, secure: secure)
        #expect(proxy.requests.count == 1)
        #expect(proxy.requests.first?.hasPrefix("CONNECT localhost:") == true)
    }

    @Test(arguments: [false, true])
    func proxyWithCredentialsIsPassedThrough(_ secure: Bool) async throws {
        let proxy = try ProxyServer(.tunnel(authorization: "Basic dXNlcjpwYXNz"))
        try await connectThroughProxy(proxy, credentials: "user:pass@", secure: secure)
        #expect(proxy.requests.count == 1)
    }

    @Test func proxyMayKnowNamesThatNobodyElseKnows() async throws {
        let name = String(repeating: "long-name-", count: 12) + "h.test"
        let proxy = try ProxyServer(.tunnel(authorization: nil))
        try await connectThroughProxy(proxy, host: name)
        #expect(proxy.requests.first?.hasPrefix("CONNECT \(name):") == true)
    }

    @Test func certificateIsCheckedThroughAProxy() async throws {
        let proxy = try ProxyServer(.tunnel(authorization: nil))
        let error = await #expect(throws: WebSocketError.self) {
            try await connectThroughProxy(proxy, secure: true, host: "h.test")
        }
        #expect(error?.code == .certificateWrongHost)
    }

    @Test func proxyThatWantsCredentialsIsTold() async throws {
        let proxy = try ProxyServer(.tunnel(authorization: "Basic dXNlcjpwYXNz"))
        let error = await #expect(throws: WebSocketError.self) { try await connectThroughProxy(proxy) }
        #expect(error?.code == .proxyFailed)
        #expect(error?.proxyStatus == 407)
    }

    @Test func socksIsATypedError() async throws {
        let error = await #expect(throws: WebSocketError.self) {
            try await connect(to: "ws://localhost:1/") { $0.proxy = .http("socks5://127.0.0.1:1080") }
        }
        #expect(error?.code == .unsupportedProxy)
    }
}
