// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// The decisions of a listener about a request, and its shutdown.
@Suite(.inTurn(within: .seconds(60)))
struct ListenerTests {
    private var patient: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        return configuration
    }

    // MARK: Accepting

    @Test func theClosureSeesTheRequest() async throws {
        let requests = EventLog<JSONRPCListener.Request>()
        var configuration = JSONRPCListener.Configuration()
        configuration.webSocket.subprotocols = ["one", "two"]
        let listener = try await JSONRPCListener.listen(configuration: configuration) { session, request in
            requests.record(request)
            session.handle("hello") { () -> String in "world" }
        }
        var webSocket = patient
        webSocket.headers = [("X-Token", "t")]
        webSocket.subprotocols = ["two", "three"]
        let client = try await JSONRPCClient.connect(to: listener.url + "rpc?a=b", webSocket: webSocket)
        #expect(try await client.call("hello", as: String.self) == "world")
        let request = try #require(requests.elements.first)
        #expect(request.target == "/rpc?a=b" && request.path == "/rpc")
        #expect(request.header("x-token") == "t")
        #expect(request.subprotocols == ["two", "three"] && request.subprotocol == "two")
        #expect(request.peerAddress?.hasPrefix("127.0.0.1:") == true)
        #expect(request.serverName == nil)
        await client.close()
        await listener.stop()
    }

    @Test(arguments: [(nil, "localhost"), ("other.example", "other.example")])
    func theClosureSeesTheServerNameOfTLS(name: String?, seen: String) async throws {
        let certificates = try await Certificates.shared()
        let names = EventLog<String?>()
        var configuration = JSONRPCListener.Configuration()
        let files = certificates[name == nil ? .server : .wrongHost]
        configuration.webSocket.tls = TLSListenerConfiguration(
            identity: TLSConfiguration.Identity(
                certificateChain: .file(files.certificate), privateKey: .file(files.key)))
        let listener = try await JSONRPCListener.listen(configuration: configuration) { _, request in
            names.record(request.serverName)
        }
        var webSocket = patient
        webSocket.tls.trust = .only(.file(certificates.authority))
        webSocket.tls.serverName = name
        let url = "wss://localhost:\(listener.port)/"
        try await JSONRPCClient.withConnection(to: url, webSocket: webSocket) { _ in }
        #expect(names.elements == [seen])
        await listener.stop()
    }

    @Test func aRefusalReachesTheClientWithItsStatusAndFields() async throws {
        let listener = try await JSONRPCListener.listen { _, _ in
            throw WebSocketListener.UpgradeRefusal(
                status: 503, reason: "Come back later.", headers: [("Retry-After", "7")])
        }
        let error = await #expect(throws: ClientError.self) {
            try await JSONRPCClient.connect(to: listener.url, webSocket: patient)
        }
        #expect(error?.code == .connectFailed && error?.isRetryable == true)
        #expect((error?.cause as? any ConnectError)?.retryAfter == .seconds(7))
        let cause = error?.cause as? WebSocketError
        #expect(cause?.response?.status == 503)
        #expect(cause?.response?.bodyStart == Array("Come back later.\n".utf8))
        await listener.stop()
    }

    @Test func anotherErrorOfTheClosureIs500() async throws {
        struct DatabaseDown: Error {}
        let listener = try await JSONRPCListener.listen { _, _ in throw DatabaseDown() }
        let error = await #expect(throws: ClientError.self) {
            try await JSONRPCClient.connect(to: listener.url, webSocket: patient)
        }
        #expect((error?.cause as? WebSocketError)?.response?.status == 500)
        await listener.stop()
    }

    /// JSON-RPC 2.0 §5 requires this of a server, whatever options the session has.
    @Test(arguments: [true, false]) func unreadableMessagesAreAnswered(answers: Bool) async throws {
        var configuration = JSONRPCListener.Configuration()
        configuration.session = SessionConfiguration()
        if !answers { configuration.answersUnreadableMessages = false }
        let listener = try await JSONRPCListener.listen(configuration: configuration) { session in
            session.handle("m") { () -> Int in 1 }
        }
        let port = listener.port
        let answer = try await BlockingThread.value { () -> String? in
            let socket = try RawSocket(connectingTo: port)
            try socket.requestUpgrade()
            for text in ["no JSON", #"{"jsonrpc":"2.0","id":1,"method":"m"}"#] {
                try socket.send(RawFrame(RawFrame.Opcode.text, Array(text.utf8), maskingKey: [1, 2, 3, 4]))
            }
            return try socket.readFrame().map { String(decoding: $0.payload, as: UTF8.self) }
        }
        #expect(answer?.contains("-32700") == answers)
        await listener.stop()
    }

    // MARK: Failing to listen

    @Test func aPortInUseIsAListenFailureThatMayPass() async throws {
        let listener = try await JSONRPCListener.listen { _ in }
        let error = await #expect(throws: ClientError.self) {
            _ = try await JSONRPCListener.listen(at: .host("127.0.0.1", port: listener.port)) { _ in }
        }
        #expect(error?.code == .listenFailed && error?.isRetryable == true)
        #expect((error?.cause as? WebSocketError)?.code == .listenFailed)
        let description = error.map { "\($0)" } ?? ""
        #expect(description.ranges(of: "127.0.0.1").count == 1, "\(description)")
        await listener.stop()
    }

    @Test func anAddressThatIsNoneIsAListenFailureThatStays() async throws {
        let error = await #expect(throws: ClientError.self) {
            _ = try await JSONRPCListener.listen(at: .host("localhost", port: 0)) { _ in }
        }
        #expect(error?.code == .listenFailed && error?.isRetryable == false)
    }

    // MARK: Stopping

    /// A listener with a method that answers when the test says so, and a client whose call is in progress.
    private func callInProgress(
        on loops: WebSocketEventLoops
    ) async throws -> (JSONRPCListener, JSONRPCClient, call: Task<Int, any Error>, answer: Signal) {
        let (began, answer) = (Signal(), Signal())
        let listener = try await JSONRPCListener.listen(on: loops) { session in
            session.handle("slow") { () async throws -> Int in
                began.send()
                try await answer.wait()
                return 1
            }
        }
        let client = try await JSONRPCClient.connect(to: listener.url, webSocket: patient, on: loops)
        let call = Task { try await client.call("slow", as: Int.self) }
        try await began.wait()
        return (listener, client, call, answer)
    }

    @Test func shuttingDownLetsCallsEndAndClosesWith1001() async throws {
        let loops = WebSocketEventLoops()
        let (listener, client, call, answer) = try await callInProgress(on: loops)
        let session = try #require(client.session)
        #expect(listener.openSessions.count == 1)
        async let shutDown: Void = listener.shutDown(within: .seconds(100))
        // First of all, new connections are refused.
        await refusal(of: listener)
        answer.send()
        #expect(try await call.value == 1)
        await shutDown
        await session.closed()
        #expect(session.closure?.initiator == .remote && session.closure?.code == 1001)
        #expect(listener.openSessions.isEmpty)
        await loops.shutDown()
    }

    /// Returns when the port is free.
    private func refusal(of listener: JSONRPCListener) async {
        while true {
            do {
                try await JSONRPCClient.connect(to: listener.url, webSocket: patient).close()
            } catch {
                return
            }
        }
    }

    @Test func aCallThatDoesNotEndIsCutWhenTheTimeIsOver() async throws {
        let loops = WebSocketEventLoops()
        let (listener, client, call, answer) = try await callInProgress(on: loops)
        await listener.shutDown(within: .milliseconds(200))
        #expect(listener.openSessions.isEmpty)
        let error = await #expect(throws: ClientError.self) { try await call.value }
        #expect(error?.code == .connectionLost)
        answer.send()
        await client.close()
        await loops.shutDown()
    }

    /// A peer that neither reads nor closes cannot delay a shutdown.
    @Test func aPeerThatAnswersNothingIsCut() async throws {
        let loops = WebSocketEventLoops()
        let listener = try await JSONRPCListener.listen(on: loops) { _ in }
        let port = listener.port
        let (isOpen, mayLeave) = (Signal(), Gate())
        async let peer: Void = BlockingThread.value {
            let socket = try RawSocket(connectingTo: port)
            try socket.requestUpgrade()
            isOpen.send()
            try mayLeave.wait()
        }
        try await isOpen.wait()
        await listener.shutDown(within: .milliseconds(200))
        #expect(listener.openSessions.isEmpty)
        mayLeave.open()
        try await peer
        await loops.shutDown()
    }

    @Test func cancellingRunShutsDownGracefully() async throws {
        let loops = WebSocketEventLoops()
        let (listener, client, call, answer) = try await callInProgress(on: loops)
        let session = try #require(client.session)
        let running = Task { await listener.run(shutDownTimeout: .seconds(100)) }
        running.cancel()
        await refusal(of: listener)
        answer.send()
        #expect(try await call.value == 1)
        await running.value
        await session.closed()
        #expect(session.closure?.code == 1001)
        await loops.shutDown()
    }

    @Test func runEndsWithTheEventLoops() async throws {
        let loops = WebSocketEventLoops()
        let listener = try await JSONRPCListener.listen(on: loops) { _ in }
        let client = try await JSONRPCClient.connect(to: listener.url, webSocket: patient, on: loops)
        let running = Task { await listener.run() }
        await loops.shutDown()
        await running.value
        await client.close()
    }

    @Test func runEndsWhenTheListenerHasStoppedAndTheLastSessionIsOver() async throws {
        let loops = WebSocketEventLoops()
        var listener: JSONRPCListener? = try await JSONRPCListener.listen(on: loops) { session in
            session.handle("m") { () -> Int in 1 }
        }
        let client = try await JSONRPCClient.connect(
            to: try #require(listener?.url), webSocket: patient, on: loops)
        let running = Task { [listener] in await listener?.run() }
        await listener?.stop()
        // The session continues without a reference to the listener.
        listener = nil
        #expect(try await client.call("m", as: Int.self) == 1)
        await client.close()
        await running.value
        await loops.shutDown()
    }
}

/// Lets one task signal an event to another, once.
private final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send() { continuation.yield() }

    func wait() async throws {
        for await _ in stream { return }
        throw CancellationError()
    }
}
