// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// Behaviour that does not depend on the engines of the two ends.
@Suite(.inTurn(within: .seconds(120)))
struct EnginePairTests {
    @Test(arguments: EnginePair.allCases)
    func tlsConnectsThem(pair: EnginePair) async throws {
        let certificates = try await Certificates.shared()
        let server = certificates[.server]
        let loops = WebSocketEventLoops(count: 2)
        let listener = try await pair.listen(
            on: loops,
            {
                $0.tls = TLSListenerConfiguration(
                    identity: TLSConfiguration.Identity(
                        certificateChain: .file(server.certificate), privateKey: .file(server.key)))
            })
        for host in ["localhost", "127.0.0.1"] {
            let handler = RecordingHandler()
            let url = "wss://\(host):\(listener.port)/"
            let connection = try await pair.dial(url, handler: handler, on: loops) {
                $0.tls.trust = .only(.file(certificates.authority))
            }
            #expect(connection.tlsVersion == "TLSv1.3")
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            try connection.send(binary: bytes)
            #expect(await handler.events.first { $0.binary != nil }?.binary == bytes)
        }
        let untrusted = await #expect(throws: WebSocketError.self) {
            try await pair.dial("wss://localhost:\(listener.port)/", on: loops)
        }
        #expect(untrusted?.code == .certificateUnknownIssuer)
        let wrongName = await #expect(throws: WebSocketError.self) {
            try await pair.dial("wss://localhost:\(listener.port)/", on: loops) {
                $0.tls.trust = .only(.file(certificates.authority))
                $0.tls.serverName = "other.example"
            }
        }
        #expect(wrongName?.code == .certificateWrongHost)
        await loops.shutDown()
    }

    @Test(arguments: EnginePair.allCases)
    func requestsAreRefusedWithAnAnswer(pair: EnginePair) async throws {
        let loops = WebSocketEventLoops()
        let listener = try await pair.listen(
            on: loops,
            accept: { request in
                let headers = [("WWW-Authenticate", "Bearer")]
                guard request.header("Authorization") == "Bearer right" else {
                    return .refuse(WebSocketListener.UpgradeRefusal(status: 401, reason: "Who?", headers: headers))
                }
                return .accept(RecordingHandler.echo())
            })
        let error = await #expect(throws: WebSocketError.self) { try await pair.dial(listener.url, on: loops) }
        #expect(error?.code == .upgradeRefused)
        #expect(error?.response?.status == 401)
        #expect(error?.response?.headers.first { $0.name == "www-authenticate" }?.value == "Bearer")
        #expect(error?.response.map { String(decoding: $0.bodyStart, as: UTF8.self) } == "Who?\n")
        try await pair.dial(listener.url, on: loops) { $0.headers = [("Authorization", "Bearer right")] }
        await loops.shutDown()
    }

    @Test(arguments: EnginePair.allCases)
    func theSubprotocolIsAgreedOn(pair: EnginePair) async throws {
        let loops = WebSocketEventLoops()
        let listener = try await pair.listen(on: loops, { $0.subprotocols = ["one", "two"] })
        let connection = try await pair.dial(listener.url, on: loops) { $0.subprotocols = ["zero", "two", "one"] }
        #expect(connection.subprotocol == "two")
        #expect(try await pair.dial(listener.url, on: loops).subprotocol == nil)
        await loops.shutDown()
    }

    @Test(arguments: EnginePair.allCases)
    func closeCodesAndReasonsArrive(pair: EnginePair) async throws {
        let loops = WebSocketEventLoops()
        let accepted = RecordingHandler()
        let listener = try await pair.listen(on: loops, accept: { _ in .accept(accepted) })
        let handler = RecordingHandler()
        let connection = try await pair.dial(listener.url, handler: handler, on: loops)
        try connection.send(text: "last")
        connection.close(code: WebSocketCloseCode(rawValue: 4001), reason: "enough")
        let ours = try #require(await handler.closure())
        let theirs = try #require(await accepted.closure())
        #expect(ours.initiator == .local && ours.code == 4001 && ours.error == nil)
        #expect(theirs.initiator == .remote && theirs.code == 4001 && theirs.reason == "enough")
        #expect(accepted.events.elements.compactMap(\.text) == ["last"])
        await loops.shutDown()
    }

    @Test(arguments: EnginePair.allCases)
    func roundTripsAreMeasured(pair: EnginePair) async throws {
        let loops = WebSocketEventLoops()
        let listener = try await pair.listen(on: loops)
        let handler = RecordingHandler()
        let connection = try await pair.dial(listener.url, handler: handler, on: loops) {
            $0.pingInterval = .milliseconds(20)
            $0.pingTimeout = .seconds(50)
        }
        #expect(await handler.events.first { $0.isRoundTrip } != nil)
        connection.close()
        _ = await handler.closure()
        await loops.shutDown()
    }

    @Test(arguments: EnginePair.allCases)
    func suspendedReadingResumes(pair: EnginePair) async throws {
        let loops = WebSocketEventLoops(count: 2)
        let accepted = EventLog<WebSocketConnection>()
        let listener = try await pair.listen(
            on: loops, accept: { _ in .accept(RecordingHandler(onOpen: { accepted.record($0) })) })
        let handler = RecordingHandler(onOpen: { $0.setReading(false) })
        let connection = try await pair.dial(listener.url, handler: handler, on: loops)
        let peer = try #require(await accepted.wait(count: 1).first)
        for number in 0..<1000 { try peer.send(text: "\(number)") }
        #expect(handler.events.elements.compactMap(\.text).isEmpty)
        connection.setReading(true)
        _ = await handler.events.first { $0.text == "999" }
        #expect(handler.events.elements.compactMap(\.text) == (0..<1000).map(String.init))
        await loops.shutDown()
    }

    /// The peer reads nothing. Waiting messages are withdrawn or reported as unsent.
    @Test(arguments: WebSocketEngine.both)
    func messagesThatWaitAreUnsent(engine: WebSocketEngine) async throws {
        let mayEnd = Gate()
        let peer = try RawPeer(receiveBufferBytes: 4096) { socket in
            try socket.acceptUpgrade()
            try mayEnd.wait()
            socket.reset()
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        var configuration = WebSocketConfiguration()
        configuration.engine = engine
        configuration.pingInterval = nil
        let connection = try await connect(to: peer.url, configuration: configuration, handler: handler, on: loops)
        let message = [UInt8](repeating: 1, count: 60_000)
        for _ in 0..<1000 { try connection.send(binary: message) }
        guard case .queued(let first, _) = connection.enqueue(binary: message),
            case .queued(let last, _) = connection.enqueue(binary: message)
        else {
            Issue.record("The connection takes no messages.")
            return
        }
        #expect(connection.queuedByteCount > 10_000_000)
        #expect(connection.withdraw(first))
        #expect(!connection.withdraw(first))
        mayEnd.open()
        try await peer.outcome()
        let closure = try #require(await handler.closure())
        #expect(closure.initiator == .failure)
        #expect(closure.unsentFrom <= last)
        await loops.shutDown()
    }

    @Test(arguments: EnginePair.allCases)
    func connectionsComeAndGo(pair: EnginePair) async throws {
        let loops = WebSocketEventLoops(count: 2)
        let listener = try await pair.listen(on: loops)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                if number >= 20 { try await group.next() }
                group.addTask {
                    let handler = RecordingHandler()
                    let connection = try await pair.dial(listener.url, handler: handler, on: loops)
                    try connection.send(text: "\(number)")
                    #expect(await handler.events.first { $0.text != nil }?.text == "\(number)")
                    // Some close without a CLOSE frame.
                    connection.close(deadline: number.isMultiple(of: 3) ? .zero : .seconds(50))
                    _ = await handler.closure()
                }
            }
            try await group.waitForAll()
        }
        await loops.shutDown()
    }

    @Test(arguments: EnginePair.allCases)
    func aShutDownEndsEverything(pair: EnginePair) async throws {
        let loops = WebSocketEventLoops(count: 2)
        let accepted = EventLog<RecordingHandler>()
        let listener = try await pair.listen(
            on: loops,
            accept: { _ in
                let handler = RecordingHandler()
                accepted.record(handler)
                return .accept(handler)
            })
        let handlers = (0..<20).map { _ in RecordingHandler() }
        for handler in handlers { try await pair.dial(listener.url, handler: handler, on: loops) }
        let peers = await accepted.wait(count: 20)
        await loops.shutDown(within: .seconds(20))
        for handler in handlers + peers { #expect(handler.events.elements.count { $0.closure != nil } == 1) }
        let others = WebSocketEventLoops()
        let other = try await pair.listen(on: others)
        let error = await #expect(throws: WebSocketError.self) { try await pair.dial(other.url, on: loops) }
        #expect(error?.code == .eventLoopsStopped)
        await others.shutDown()
    }

    /// A dial without an answer is abandoned at once, and its receiver gets no call.
    @Test(arguments: WebSocketEngine.both)
    func aDialIsCancelled(engine: WebSocketEngine) async throws {
        let asked = EventLog<Void>()
        let peer = try RawPeer { socket in
            _ = try socket.readHead()
            asked.record(())
            return try socket.readToEnd().count
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let dial = Task {
            var configuration = WebSocketConfiguration()
            configuration.engine = engine
            try await connect(to: peer.url, configuration: configuration, handler: handler, on: loops)
        }
        await asked.wait(count: 1)
        dial.cancel()
        await #expect(throws: CancellationError.self) { try await dial.value }
        #expect(try await peer.outcome() == 0)
        #expect(handler.events.elements.isEmpty)
        await loops.shutDown()
    }

    @Test(arguments: EnginePair.allCases)
    func aProxyLeadsToTheListener(pair: EnginePair) async throws {
        let loops = WebSocketEventLoops()
        let listener = try await pair.listen(on: loops, { $0.allowedHosts = ["server.example"] })
        let proxy = try ProxyServer(.tunnel(authorization: "Basic dXNlcjp3b3Jk"))
        let handler = RecordingHandler()
        let connection = try await pair.dial("ws://server.example:\(listener.port)/", handler: handler, on: loops) {
            $0.proxy = .http("http://user:word@127.0.0.1:\(proxy.port)")
        }
        try connection.send(text: "hello")
        #expect(await handler.events.first { $0.text != nil }?.text == "hello")
        #expect(proxy.requests.first?.hasPrefix("CONNECT server.example:\(listener.port) HTTP/1.1\r\n") == true)
        // A row of the article "The two engines".
        let field = "\r\n" + (pair.client == .builtIn ? "Proxy-Authorization: Basic " : "Proxy-authorization: basic ")
        #expect(proxy.requests.first?.contains(field) == true)
        await loops.shutDown()
        proxy.stop()
    }
}
