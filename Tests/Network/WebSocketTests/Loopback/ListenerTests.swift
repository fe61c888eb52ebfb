// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TestSupport
import TestTurns
import Testing
import WebSocket

/// The listener as clients without a library see it.
@Suite(.serialized, .inTurn(within: .seconds(60)))
struct ListenerTests {
    @Test func framesToAClientAreNotMasked() async throws {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
        let port = listener.port
        let frame = try await BlockingThread.value { () -> RawFrame? in
            let socket = try RawSocket(connectingTo: port)
            try socket.requestUpgrade()
            try socket.send(RawFrame(RawFrame.Opcode.text, Array("hi".utf8), maskingKey: [1, 2, 3, 4]))
            return try socket.readFrame()
        }
        #expect(frame == RawFrame(RawFrame.Opcode.text, Array("hi".utf8)))
        await loops.shutDown()
    }

    /// Faults of a client after which the connection must fail (RFC 6455 §5).
    private static let faults: [String: [UInt8]] = [
        "reserved bit": RawFrame(RawFrame.Opcode.text, [65], reserved: 2, maskingKey: [1, 2, 3, 4]).bytes,
        "reserved opcode": RawFrame(0x4, [65], maskingKey: [1, 2, 3, 4]).bytes,
        "reserved control opcode": RawFrame(0xF, [], maskingKey: [1, 2, 3, 4]).bytes,
        "control frame of 126 bytes":
            RawFrame(RawFrame.Opcode.ping, .init(repeating: 1, count: 126), maskingKey: [1, 2, 3, 4]).bytes,
        "fragmented control frame":
            RawFrame(RawFrame.Opcode.ping, [], isFinal: false, maskingKey: [1, 2, 3, 4]).bytes,
        "continuation of nothing": RawFrame(RawFrame.Opcode.continuation, [1], maskingKey: [1, 2, 3, 4]).bytes,
        "noise": [UInt8](repeating: 0xFF, count: 4096),
    ]

    @Test(arguments: faults.keys.sorted())
    func aClientThatBreaksTheRulesIsLeft(fault: String) async throws {
        let bytes = try #require(Self.faults[fault])
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(handler) }
        let port = listener.port
        let frames = try await BlockingThread.value { () -> [RawFrame] in
            let socket = try RawSocket(connectingTo: port)
            try socket.requestUpgrade()
            try socket.send(bytes)
            return try socket.readFrames()
        }
        #expect(frames.allSatisfy { $0.opcode == RawFrame.Opcode.close })
        let closure = try #require(await handler.closure())
        #expect(closure.initiator == .failure)
        #expect(handler.events.elements.allSatisfy { $0.text == nil })
        // The listener serves the next one.
        let other = RecordingHandler()
        try await connect(to: listener.url, handler: other, on: loops)
        await loops.shutDown()
    }

    @Test func unmaskedFramesEndTheConnection() async throws {
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(handler) }
        let port = listener.port
        let frame = try await BlockingThread.value { () -> RawFrame? in
            let socket = try RawSocket(connectingTo: port)
            try socket.requestUpgrade()
            try socket.send(RawFrame(RawFrame.Opcode.text, Array("bare".utf8)))
            return try socket.readFrame()
        }
        #expect(frame?.closeCode == 1002)
        #expect(await handler.closure()?.webSocketError?.code == .protocolViolation)
        await loops.shutDown()
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\n"])
    func clientsWithoutARequestInTimeAreDisconnected(_ text: String) async throws {
        let loops = WebSocketEventLoops()
        var listening = WebSocketListener.Configuration()
        listening.handshakeTimeout = .seconds(1)
        let listener = try await WebSocketListener.listen(configuration: listening, on: loops) { _ in
            .accept(RecordingHandler())
        }
        let port = listener.port
        let heard = try await BlockingThread.value { () -> [UInt8] in
            let socket = try RawSocket(connectingTo: port)
            try socket.send(text)
            return try socket.readToEnd()
        }
        #expect(heard == [])
        await loops.shutDown()
    }

    @Test func theRequestCanBeLookedAtAndRefused() async throws {
        let loops = WebSocketEventLoops()
        let seen = EventLog<[String?]>()
        let listener = try await WebSocketListener.listen(on: loops) { request in
            seen.record([request.target, request.header("Authorization"), request.header("X-Custom")])
            return .refuse(status: 403)
        }
        var configuration = WebSocketConfiguration()
        configuration.headers = [("Authorization", "Bearer x"), ("X-Custom", "y")]
        let error = await #expect(throws: WebSocketError.self) {
            try await connect(
                to: listener.url + "a/b?c=d", configuration: configuration, handler: RecordingHandler(), on: loops)
        }
        #expect(error?.code == .upgradeRefused)
        #expect(error?.response?.status == 403)
        #expect(seen.elements == [["/a/b?c=d", "Bearer x", "y"]])
        await loops.shutDown()
    }

    @Test func theClientsFirstKnownSubprotocolIsChosen() async throws {
        let loops = WebSocketEventLoops()
        var listening = WebSocketListener.Configuration()
        listening.subprotocols = ["one", "two"]
        let listener = try await WebSocketListener.listen(configuration: listening, on: loops) { _ in
            .accept(RecordingHandler())
        }
        for (offered, chosen) in [(["other", "two", "one"], "two"), ([], nil)] as [([String], String?)] {
            var configuration = WebSocketConfiguration()
            configuration.subprotocols = offered
            let connection = try await connect(
                to: listener.url, configuration: configuration, handler: RecordingHandler(), on: loops)
            #expect(connection.subprotocol == chosen)
        }
        var configuration = WebSocketConfiguration()
        configuration.subprotocols = ["unknown"]
        let error = await #expect(throws: WebSocketError.self) {
            try await connect(
                to: listener.url, configuration: configuration, handler: RecordingHandler(), on: loops)
        }
        #expect(error?.response?.status == 400)
        await loops.shutDown()
    }

    @Test func aRequestForNoUpgradeIsAnswered426() async throws {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler()) }
        let port = listener.port
        let head = try await BlockingThread.value { () -> String in
            let socket = try RawSocket(connectingTo: port)
            try socket.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            return try socket.readHead()
        }
        #expect(head.hasPrefix("HTTP/1.1 426 "))
        await loops.shutDown()
    }

    @Test func aUnixSocketServesToo() async throws {
        let loops = WebSocketEventLoops()
        let path = "/tmp/ws-\(UInt64.random(in: 0 ... .max)).sock"
        let listener = try await WebSocketListener.listen(at: .unixSocket(path), on: loops) { _ in
            .accept(RecordingHandler.echo())
        }
        let handler = RecordingHandler()
        let connection = try await connect(to: listener.url, handler: handler, on: loops)
        try connection.send(text: "by path")
        #expect(await handler.events.first { $0.text != nil }?.text == "by path")
        await loops.shutDown()
    }

    @Test func ipv6Serves() async throws {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(at: .host("::1", port: 0), on: loops) { _ in
            .accept(RecordingHandler.echo())
        }
        let handler = RecordingHandler()
        let connection = try await connect(to: listener.url, handler: handler, on: loops)
        try connection.send(text: "six")
        #expect(await handler.events.first { $0.text != nil }?.text == "six")
        await loops.shutDown()
    }

    @Test func aPortInUseIsAnError() async throws {
        let loops = WebSocketEventLoops()
        let peer = try RawPeer { _ in }
        let error = await #expect(throws: WebSocketError.self) {
            try await WebSocketListener.listen(at: .host("127.0.0.1", port: peer.port), on: loops) { _ in
                .refuse(status: 500)
            }
        }
        #expect(error?.code == .listenFailed)
        // This ends the peer.
        _ = try RawSocket(connectingTo: peer.port)
        await loops.shutDown()
    }

    @Test func stoppingLeavesAcceptedConnectionsAlone() async throws {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
        let handler = RecordingHandler()
        let connection = try await connect(to: listener.url, handler: handler, on: loops)
        await listener.stop()
        await #expect(throws: WebSocketError.self) {
            try await connect(to: listener.url, handler: RecordingHandler(), on: loops)
        }
        try connection.send(text: "still here")
        #expect(await handler.events.first { $0.text != nil }?.text == "still here")
        connection.close()
        #expect(await handler.closure()?.initiator == .local)
        await loops.shutDown()
    }

    /// Several times on one port, with a connection of each listener still open.
    @Test(arguments: [WebSocketListener.Address.loopback, .host("::1", port: 0)])
    func stoppingFreesThePortAtOnce(address: WebSocketListener.Address) async throws {
        var (address, allLoops) = (address, [WebSocketEventLoops()])
        var connections: [(WebSocketConnection, RecordingHandler)] = []
        for round in 0..<20 {
            let loops = WebSocketEventLoops()
            allLoops.append(loops)
            let listener = try await WebSocketListener.listen(at: address, on: loops) { request in
                request.target == "/\(round)" ? .accept(RecordingHandler.echo()) : .refuse(status: 404)
            }
            if case .host(let host, _) = address { address = .host(host, port: listener.port) }
            let handler = RecordingHandler()
            let connection = try await connect(to: listener.url + "\(round)", handler: handler, on: loops)
            connections.append((connection, handler))
            await listener.stop()
        }
        for (connection, handler) in connections {
            try connection.send(text: "still here")
            #expect(await handler.events.first { $0.text != nil }?.text == "still here")
        }
        for loops in allLoops { await loops.shutDown() }
    }

    @Test func stoppingFreesThePathAtOnce() async throws {
        let loops = WebSocketEventLoops()
        let path = "/tmp/ws-\(UInt64.random(in: 0 ... .max)).sock"
        for _ in 0..<5 {
            let listener = try await WebSocketListener.listen(at: .unixSocket(path), on: loops) { _ in
                .accept(RecordingHandler.echo())
            }
            let handler = RecordingHandler()
            let connection = try await connect(to: listener.url, handler: handler, on: loops)
            await listener.stop()
            try connection.send(text: "still here")
            #expect(await handler.events.first { $0.text != nil }?.text == "still here")
        }
        await loops.shutDown()
    }

    @Test func aPortOfTheSameLoopInUseIsAnError() async throws {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
        let error = await #expect(throws: WebSocketError.self) {
            try await WebSocketListener.listen(at: .host("127.0.0.1", port: listener.port), on: loops) { _ in
                .refuse(status: 500)
            }
        }
        #expect(error?.code == .listenFailed)
        try await connect(to: listener.url, handler: RecordingHandler(), on: loops)
        await loops.shutDown()
    }

    @Test func oneLoopListensAtOnePortOfTwoAddresses() async throws {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
        let other = WebSocketListener.Address.host("::1", port: listener.port)
        let second = try await WebSocketListener.listen(at: other, on: loops) { _ in .refuse(status: 404) }
        #expect(second.port == listener.port)
        try await connect(to: listener.url, handler: RecordingHandler(), on: loops)
        let error = await #expect(throws: WebSocketError.self) {
            try await connect(to: second.url, handler: RecordingHandler(), on: loops)
        }
        #expect(error?.response?.status == 404)
        await loops.shutDown()
    }

    @Test func theSameLoopListensAtThePortAgain() async throws {
        let loops = WebSocketEventLoops()
        var address = WebSocketListener.Address.loopback
        for round in 0..<20 {
            let listener = try await WebSocketListener.listen(at: address, on: loops) { request in
                request.target == "/\(round)" ? .accept(RecordingHandler.echo()) : .refuse(status: 404)
            }
            address = .host("127.0.0.1", port: listener.port)
            let handler = RecordingHandler()
            let connection = try await connect(to: listener.url + "\(round)", handler: handler, on: loops)
            connection.close()
            #expect(await handler.closure()?.initiator == .local)
            // Connected, but never accepted: it must not be in the way.
            let idle = try LoopbackSocket.connected(to: UInt16(listener.port))
            await listener.stop()
            #expect(try await BlockingThread.value { idle.read() ?? [] } == [])
        }
        await loops.shutDown()
    }

    /// The system soon reuses a freed port, even for another listener of the same event loop.
    @Test func manyListenersAreNeverTakenForOneAnother() async throws {
        let loops = WebSocketEventLoops()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for round in 0..<200 {
                        let listener = try await WebSocketListener.listen(on: loops) { request in
                            request.target == "/\(number)/\(round)" ? .accept(RecordingHandler()) : .refuse(status: 404)
                        }
                        let port = listener.port
                        let head = try await BlockingThread.value {
                            try RawSocket(connectingTo: port).requestUpgrade(path: "/\(number)/\(round)")
                        }
                        #expect(head.hasPrefix("HTTP/1.1 101 "))
                        await listener.stop()
                    }
                }
            }
            try await group.waitForAll()
        }
        await loops.shutDown()
    }

    @Test func shuttingDownClosesAcceptedConnectionsWith1001() async throws {
        let loops = WebSocketEventLoops()
        let others = WebSocketEventLoops()
        let accepted = RecordingHandler()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(accepted) }
        let handler = RecordingHandler()
        try await connect(to: listener.url, handler: handler, on: others)
        await loops.shutDown()
        #expect(accepted.events.elements.compactMap(\.closure).map(\.closeCode) == [.goingAway])
        let closure = try #require(await handler.closure())
        #expect(closure.initiator == .remote)
        #expect(closure.closeCode == .goingAway)
        await others.shutDown()
    }
}
