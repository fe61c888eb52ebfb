// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import LWSWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// The rows of the article "The two engines": each difference, tested with both engines.
@Suite(.inTurn(within: .seconds(120)))
struct EngineDifferenceTests {
    /// Only the fault may end a connection.
    func patient(_ engine: WebSocketEngine) -> WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.engine = engine
        configuration.proxy = .none
        configuration.pingInterval = nil
        configuration.closeTimeout = .seconds(20)
        configuration.maximumMessageBytes = 100_000
        return configuration
    }

    func isOwn(_ engine: WebSocketEngine) -> Bool { engine == .builtIn }

    /// Versions of libwebsockets from 4.3 on show more.
    private static let isNewer = (LWS_LIBRARY_VERSION_MAJOR, LWS_LIBRARY_VERSION_MINOR) >= (4, 3)

    // MARK: Frames

    @Test(arguments: TestedRole.allCases, WebSocketEngine.both)
    func aViolationIsTypedByOneEngineOnly(role: TestedRole, engine: WebSocketEngine) async throws {
        let faults = [
            RawFrame(RawFrame.Opcode.text, [65], reserved: 4), RawFrame(0x3, [65]),
            RawFrame(RawFrame.Opcode.continuation, [65]),
        ]
        for fault in faults {
            let run = try await role.run(patient(engine)) { side in
                try side.send(RawFrame(RawFrame.Opcode.text, Array("before".utf8)), fault)
                _ = try side.socket.readFrames()
            }
            #expect(run.closure.initiator == .failure)
            #expect(run.closure.webSocketError?.code == (isOwn(engine) ? .protocolViolation : .connectionLost))
            #expect(isOwn(engine) || run.closure.webSocketError?.message.contains("does not tell") == true)
            #expect(run.events.compactMap(\.text) == ["before"])
        }
    }

    @Test(arguments: TestedRole.allCases, WebSocketEngine.both)
    func framesWithTheWrongMaskAreAcceptedByOneEngine(role: TestedRole, engine: WebSocketEngine) async throws {
        guard isOwn(engine) || !Self.isNewer else { return }
        let run = try await role.run(patient(engine)) { side in
            let key: [UInt8]? = role == .client ? [0, 0, 0, 0] : nil
            try side.socket.send(RawFrame(RawFrame.Opcode.text, Array("wrong".utf8), maskingKey: key))
            try side.send(.close(1000))
            try side.waitForEnd()
        }
        #expect(run.events.compactMap(\.text) == (isOwn(engine) ? [] : ["wrong"]))
        #expect((run.closure.webSocketError?.code == .protocolViolation) == isOwn(engine))
    }

    @Test(arguments: TestedRole.allCases, WebSocketEngine.both)
    func aMessageThatIsTooLargeEndsBoth(role: TestedRole, engine: WebSocketEngine) async throws {
        let run = try await role.run(patient(engine)) { side in
            try side.announce(RawFrame.Opcode.binary, bytes: 1_000_000)
            if !isOwn(engine) { try side.socket.send([UInt8](repeating: 0, count: 40_000)) }
            return try side.socket.readClose()
        }
        #expect(run.closure.webSocketError?.code == .messageTooBig)
        #expect(run.outcome.closeCode == 1009)
    }

    @Test(arguments: TestedRole.allCases, WebSocketEngine.both)
    func textThatIsNotUTF8IsTypedByBoth(role: TestedRole, engine: WebSocketEngine) async throws {
        let run = try await role.run(patient(engine)) { side in
            try side.send(RawFrame(RawFrame.Opcode.text, [0xC3], isFinal: false))
            try side.send(RawFrame(RawFrame.Opcode.continuation, [0x28]))
            return try side.socket.readClose()
        }
        #expect(run.closure.webSocketError?.code == .invalidText)
        #expect(run.outcome.closeCode == 1007)
    }

    /// The rest of the frame has not arrived.
    @Test(arguments: TestedRole.allCases, WebSocketEngine.both)
    func textThatIsNotUTF8IsFoundLateByOneEngine(role: TestedRole, engine: WebSocketEngine) async throws {
        let run = try await role.run(patient(engine)) { side in
            let frame = side.bytes(RawFrame(RawFrame.Opcode.text, [0xFF] + [UInt8](repeating: 65, count: 99)))
            try side.socket.send(Array(frame.dropLast(50)))
            if !isOwn(engine) { try side.socket.send(Array(frame.suffix(50))) }
            return try side.socket.readClose()
        }
        #expect(run.closure.webSocketError?.code == .invalidText)
        #expect(run.outcome.closeCode == 1007)
    }

    @Test(arguments: TestedRole.allCases, WebSocketEngine.both)
    func pingsThatArriveTogetherAreAnsweredOnceByOneEngine(role: TestedRole, engine: WebSocketEngine) async throws {
        let run = try await role.run(patient(engine)) { side in
            try side.send((0..<10).map { RawFrame(RawFrame.Opcode.ping, [$0]) })
            let first = try side.socket.readFrame()
            try side.send(.close(1000))
            return (try side.socket.readFrames() + [first].compactMap(\.self)).filter {
                $0.opcode == RawFrame.Opcode.pong
            }
        }
        #expect(run.outcome.count == (isOwn(engine) ? 10 : 1))
        #expect(run.outcome.last?.payload == [0])
    }

    @Test(arguments: TestedRole.allCases, WebSocketEngine.both)
    func messagesBeforeAViolationAreSentByOneEngine(role: TestedRole, engine: WebSocketEngine) async throws {
        let run = try await role.run(patient(engine), handler: .echo()) { side in
            try side.send(RawFrame(RawFrame.Opcode.text, Array("before".utf8)), RawFrame(RawFrame.Opcode.text, [0xFF]))
            return try side.socket.readFrames()
        }
        #expect(run.outcome.filter { $0.opcode == RawFrame.Opcode.text }.count == (isOwn(engine) ? 1 : 0))
        #expect(run.outcome.last?.closeCode == 1007)
    }

    // MARK: Closing

    @Test(arguments: TestedRole.allCases, WebSocketEngine.both)
    func closeCodesOfTheRegistryAreHiddenByOneEngine(role: TestedRole, engine: WebSocketEngine) async throws {
        let run = try await role.run(patient(engine)) { side in
            try side.send(.close(1012, "back soon"))
            return try side.socket.readClose()
        }
        #expect(run.closure.initiator == .remote)
        #expect(run.closure.code == (isOwn(engine) || Self.isNewer && role == .client ? 1012 : 1002))
        #expect(run.closure.reason == "back soon")
    }

    @Test(arguments: TestedRole.allCases, WebSocketEngine.both)
    func closeCodesThatMayNotBeSentAreAcceptedByOneEngine(role: TestedRole, engine: WebSocketEngine) async throws {
        // The code 999, and half a code.
        for (payload, code) in [([3, 231], 1002), ([3], 1005)] as [([UInt8], UInt16)] {
            let run = try await role.run(patient(engine)) { side in
                try side.send(RawFrame(RawFrame.Opcode.close, payload))
                _ = try side.socket.readFrames()
            }
            #expect(run.closure.initiator == (isOwn(engine) ? .failure : .remote))
            #expect(run.closure.code == (isOwn(engine) ? 1002 : code))
            #expect((run.closure.webSocketError?.code == .protocolViolation) == isOwn(engine))
        }
    }

    @Test(arguments: TestedRole.allCases, WebSocketEngine.both)
    func aCloseReasonThatIsNotUTF8IsAViolationForBoth(role: TestedRole, engine: WebSocketEngine) async throws {
        let run = try await role.run(patient(engine)) { side in
            try side.send(RawFrame(RawFrame.Opcode.close, [3, 232, 0xFF]))
            return try side.socket.readClose()
        }
        #expect(run.closure.initiator == .failure)
        #expect(run.closure.webSocketError?.code == .protocolViolation)
        #expect(run.outcome.closeCode == 1007)
    }

    @Test(arguments: TestedRole.allCases, WebSocketEngine.both)
    func theAnswerToACloseFrameDiffersInItsReason(role: TestedRole, engine: WebSocketEngine) async throws {
        let run = try await role.run(patient(engine)) { side in
            try side.send(.close(1000, "bye"))
            return try side.socket.readClose()
        }
        #expect(run.closure.initiator == .remote && run.closure.code == 1000 && run.closure.reason == "bye")
        #expect(run.outcome.closeCode == 1000)
        #expect(run.outcome.closeReason == (isOwn(engine) ? "" : "bye"))
    }

    @Test(arguments: TestedRole.allCases, WebSocketEngine.both)
    func anUnansweredCloseEndsByTheDeadline(role: TestedRole, engine: WebSocketEngine) async throws {
        let handler = RecordingHandler(onOpen: { $0.close(deadline: .milliseconds(300)) })
        let run = try await role.run(patient(engine), handler: handler) { side in
            let close = try side.socket.readClose()
            try side.waitForEnd()
            return close
        }
        #expect(run.outcome.closeCode == 1000)
        #expect(run.closure.initiator == .local)
        #expect(run.closure.webSocketError?.code == .closeTimeout)
    }

    // MARK: Connecting

    /// Connects to a server that answers a request as `answer` says. Returns the error and the head of the request.
    func dial(
        _ engine: WebSocketEngine, path: String = "/", _ set: (inout WebSocketConfiguration) -> Void = { _ in },
        answer: @escaping @Sendable (String) throws -> String = { try RawSocket.upgradeAnswer(to: $0) }
    ) async throws -> (error: WebSocketError?, head: String) {
        let peer = try RawPeer { socket in
            let head = try socket.readHead()
            try socket.send((try? answer(head)) ?? "")
            try socket.waitForEnd()
            return head
        }
        var configuration = patient(engine)
        configuration.connectTimeout = .seconds(50)
        set(&configuration)
        let loops = WebSocketEventLoops()
        var failure: WebSocketError?
        do {
            let handler = RecordingHandler()
            let url = "ws://127.0.0.1:\(peer.port)\(path)"
            let connection = try await WebSocketConnection.connect(
                to: url, configuration: configuration, receiver: handler, on: loops)
            connection.close(deadline: .zero)
            _ = await handler.closure()
        } catch let error as WebSocketError {
            failure = error
            // Otherwise the peer would wait for a client that was never dialled.
            if error.code == .invalidConfiguration { try RawSocket(connectingTo: peer.port).send("\r\n\r\n") }
        }
        await loops.shutDown()
        return (failure, try await peer.outcome())
    }

    @Test(arguments: WebSocketEngine.both)
    func interimResponsesFailWithOneEngine(engine: WebSocketEngine) async throws {
        let (error, _) = try await dial(
            engine, answer: { "HTTP/1.1 103 Early Hints\r\n\r\n" + (try RawSocket.upgradeAnswer(to: $0)) })
        #expect(error?.code == (isOwn(engine) ? nil : .invalidHandshake))
    }

    @Test(arguments: WebSocketEngine.both)
    func anAnswerThatIsNotHTTPIsTypedByOneEngine(engine: WebSocketEngine) async throws {
        let (error, _) = try await dial(
            engine, { $0.connectTimeout = .seconds(4) }, answer: { _ in "SSH-2.0-x\r\n\r\n" })
        #expect(error?.code == (isOwn(engine) ? .invalidHandshake : .connectTimeout))
    }

    @Test(arguments: WebSocketEngine.both)
    func unusualAnswersAreAcceptedByOneEngine(engine: WebSocketEngine) async throws {
        let (old, _) = try await dial(
            engine, answer: { "HTTP/1.0" + (try RawSocket.upgradeAnswer(to: $0)).dropFirst("HTTP/1.1".count) })
        #expect(old?.code == (isOwn(engine) ? .invalidHandshake : nil))
        let (twofold, _) = try await dial(
            engine,
            answer: { head in
                let accept = RawSocket.field("Sec-WebSocket-Accept", in: try RawSocket.upgradeAnswer(to: head)) ?? ""
                return try RawSocket.upgradeAnswer(to: head, adding: ["Sec-WebSocket-Accept: \(accept)"])
            })
        #expect(twofold?.code == (isOwn(engine) ? .invalidHandshake : nil))
    }

    @Test(arguments: WebSocketEngine.both)
    func aWrongAcceptIsInvalidForBoth(engine: WebSocketEngine) async throws {
        let (error, _) = try await dial(
            engine, answer: { try RawSocket.upgradeAnswer(to: $0, key: "dGhlIHNhbXBsZSBub25jZQ==") })
        #expect(error?.code == .invalidHandshake)
        #expect(isOwn(engine) || error?.message.contains("libwebsockets") == true)
    }

    @Test(arguments: WebSocketEngine.both)
    func redirectsAreNotFollowedByBoth(engine: WebSocketEngine) async throws {
        let redirect = "HTTP/1.1 307 Elsewhere\r\nLocation: ws://127.0.0.1:1/other\r\nContent-Length: 0\r\n\r\n"
        let (error, _) = try await dial(engine, answer: { _ in redirect })
        #expect(error?.code == .redirectRefused)
        #expect(error?.location == "ws://127.0.0.1:1/other")
    }

    @Test(arguments: WebSocketEngine.both)
    func theRequestHasTwoFieldsMoreWithOneEngine(engine: WebSocketEngine) async throws {
        let (error, head) = try await dial(engine, path: "/a?b=c") {
            $0.origin = "https://a.example"
            $0.headers = [("X-Token", "t1"), ("X-Token", "t2")]
        }
        #expect(error == nil)
        #expect(head.hasPrefix("GET /a?b=c HTTP/1.1\r\n"))
        var names = head.split(separator: "\r\n").dropFirst().compactMap { $0.split(separator: ":").first }.sorted()
        let added = names.filter { ["Pragma", "Cache-Control"].contains($0) }
        names.removeAll { added.contains($0) }
        #expect(added.count == (isOwn(engine) ? 0 : 2))
        #expect(
            names == [
                "Connection", "Host", "Origin", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Upgrade", "X-Token",
                "X-Token",
            ])
    }

    @Test(arguments: WebSocketEngine.both)
    func compressionIsAnErrorOfOneEngine(engine: WebSocketEngine) async throws {
        let (error, _) = try await dial(engine) { $0.compression = true }
        #expect(error?.code == (isOwn(engine) ? nil : .invalidConfiguration))
        var listening = WebSocketListener.Configuration()
        listening.connection = patient(engine)
        listening.connection.compression = true
        #expect(await listenError(listening)?.code == (isOwn(engine) ? nil : .invalidConfiguration))
    }

    /// The proxy's answer is not 2xx.
    @Test(arguments: WebSocketEngine.both)
    func theStatusOfAProxyIsHiddenByOneEngine(engine: WebSocketEngine) async throws {
        let proxy = try ProxyServer(.answer(["HTTP/1.1 403 No\r\n\r\n"]))
        var configuration = patient(engine)
        configuration.proxy = .http("http://127.0.0.1:\(proxy.port)")
        let loops = WebSocketEventLoops()
        let options = configuration
        let error = await #expect(throws: WebSocketError.self) {
            try await connect(
                to: "ws://server.example/", configuration: options, handler: RecordingHandler(), on: loops)
        }
        #expect(error?.code == .proxyFailed)
        #expect(error?.proxyStatus == (isOwn(engine) ? 403 : nil))
        #expect(error?.isRetryable == !isOwn(engine))
        await loops.shutDown()
        proxy.stop()
    }

    /// The peer accepts one connection only.
    @Test(arguments: WebSocketEngine.both)
    func aHostWithOneAddressIsConnectedOnce(engine: WebSocketEngine) async throws {
        let (error, _) = try await dial(engine)
        #expect(error == nil)
    }

    // MARK: Listening

    /// The error of a listener at this address.
    func listenError(
        _ configuration: WebSocketListener.Configuration, at address: WebSocketListener.Address = .loopback
    ) async -> WebSocketError? {
        let loops = WebSocketEventLoops()
        var failure: WebSocketError?
        do {
            _ = try await WebSocketListener.listen(at: address, configuration: configuration, on: loops) { _ in
                .refuse(status: 503)
            }
        } catch {
            failure = error as? WebSocketError
        }
        await loops.shutDown()
        return failure
    }

    @Test(arguments: WebSocketEngine.both)
    func aListenerAtAUnixDomainSocketIsAnErrorOfOneEngine(engine: WebSocketEngine) async throws {
        try await withTemporaryDirectory { folder in
            var listening = WebSocketListener.Configuration()
            listening.connection = patient(engine)
            let address = WebSocketListener.Address.unixSocket("\(folder)/socket")
            #expect(await listenError(listening, at: address)?.code == (isOwn(engine) ? nil : .invalidConfiguration))
            // Clients of both engines connect to it.
            let loops = WebSocketEventLoops()
            let listener = try await WebSocketListener.listen(at: address, on: loops) { _ in
                .accept(RecordingHandler.echo())
            }
            let handler = RecordingHandler()
            let connection = try await connect(
                to: listener.url, configuration: patient(engine), handler: handler, on: loops)
            try connection.send(text: "hello")
            #expect(await handler.events.first { $0.text != nil }?.text == "hello")
            await loops.shutDown()
        }
    }

    /// The request that a listener gets with these fields.
    private func request(
        _ engine: WebSocketEngine, path: String = "/", _ fields: [String]
    ) async throws -> WebSocketListener.Request {
        var listening = WebSocketListener.Configuration()
        listening.connection = patient(engine)
        let loops = WebSocketEventLoops()
        let requests = EventLog<WebSocketListener.Request>()
        let listener = try await WebSocketListener.listen(configuration: listening, on: loops) {
            requests.record($0)
            return .refuse(status: 403)
        }
        let port = listener.port
        let head = try await BlockingThread.value {
            try RawSocket(connectingTo: port).requestUpgrade(path: path, adding: fields)
        }
        #expect(head.hasPrefix("HTTP/1.1 403 "))
        await loops.shutDown()
        return try #require(requests.elements.first)
    }

    @Test(arguments: WebSocketEngine.both)
    func headerFieldsOfARequestAreJoinedByOneEngine(engine: WebSocketEngine) async throws {
        let request = try await request(
            engine, ["Accept-Language: de", "X-Unknown-Field: u", "Accept-Language: en", "Authorization: Bearer x"])
        let languages = request.headers.filter { $0.name == "accept-language" }.map(\.value)
        #expect(languages.count == (isOwn(engine) ? 2 : 1))
        #expect(languages.joined(separator: ",").filter { $0 != " " } == "de,en")
        #expect(request.header("Authorization") == "Bearer x")
        #expect(request.header("X-Unknown-Field") == (isOwn(engine) || Self.isNewer ? "u" : nil))
    }

    @Test(arguments: WebSocketEngine.both)
    func theTargetOfARequestIsEncodedAgainByOneEngine(engine: WebSocketEngine) async throws {
        let plain = try await request(engine, path: "/a/b?c=d&e=f", [])
        #expect(plain.target == "/a/b?c=d&e=f")
        let encoded = try await request(engine, path: "/a%41%20b", [])
        #expect(encoded.target == (isOwn(engine) ? "/a%41%20b" : "/aA%20b"))
    }

    @Test(arguments: WebSocketEngine.both)
    func malformedRequestsAreAnsweredByLibwebsocketsItself(engine: WebSocketEngine) async throws {
        var listening = WebSocketListener.Configuration()
        listening.connection = patient(engine)
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(configuration: listening, on: loops) { _ in
            Issue.record("The request was read.")
            return .refuse(status: 500)
        }
        let port = listener.port
        let answer = try await BlockingThread.value {
            let socket = try RawSocket(connectingTo: port)
            try socket.send("no request\r\n\r\n")
            return String(decoding: try socket.waitForEnd(), as: UTF8.self)
        }
        #expect(answer.hasPrefix("HTTP/1.1 400 ") == isOwn(engine))
        await loops.shutDown()
    }

    @Test(arguments: WebSocketEngine.both)
    func clientsBeyondTheLimitAreDisconnectedByOneEngine(engine: WebSocketEngine) async throws {
        var listening = WebSocketListener.Configuration()
        listening.connection = patient(engine)
        listening.maximumConnections = 1
        listening.handshakeTimeout = .seconds(100)
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(configuration: listening, on: loops) { _ in
            .accept(RecordingHandler())
        }
        try await connect(to: listener.url, handler: RecordingHandler(), on: loops)
        let port = listener.port
        let isOwn = isOwn(engine)
        let answer = try await BlockingThread.value { () -> String? in
            let waiting = try (0..<16).map { _ in try RawSocket(connectingTo: port) }
            let last = try RawSocket(connectingTo: port)
            guard isOwn else {
                try last.waitForEnd()
                return nil
            }
            for socket in waiting { socket.close() }
            return try last.requestUpgrade()
        }
        #expect(answer.map { $0.hasPrefix("HTTP/1.1 503 ") } == (isOwn ? true : nil))
        await loops.shutDown()
    }

    @Test(arguments: WebSocketEngine.both)
    func aPortWithOpenConnectionsIsInUseForOneEngine(engine: WebSocketEngine) async throws {
        var listening = WebSocketListener.Configuration()
        listening.connection = patient(engine)
        let loops = WebSocketEventLoops()
        let first = try await WebSocketListener.listen(configuration: listening, on: loops) { _ in
            .accept(RecordingHandler.echo())
        }
        let handler = RecordingHandler()
        let connection = try await connect(to: first.url, handler: handler, on: loops)
        await first.stop()
        let address = WebSocketListener.Address.host("127.0.0.1", port: first.port)
        let again: () async throws -> WebSocketListener = { [listening] in
            try await WebSocketListener.listen(at: address, configuration: listening, on: loops) { _ in
                .accept(RecordingHandler.echo())
            }
        }
        if isOwn(engine) {
            _ = try await again()
        } else {
            let error = await #expect(throws: WebSocketError.self) { _ = try await again() }
            #expect(error?.code == .listenFailed && error?.isRetryable == true)
            // The connection stays open. The port is free after its end.
            try connection.send(text: "still there")
            #expect(await handler.events.first { $0.text != nil }?.text == "still there")
            connection.close()
            _ = await handler.closure()
            let second = try await again()
            try await connect(to: second.url, handler: RecordingHandler(), on: loops)
        }
        await loops.shutDown()
    }
}
