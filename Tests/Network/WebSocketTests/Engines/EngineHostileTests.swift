// swift-jsonrpc · SPDX-License-Identifier: MIT

import LWSWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// The hostile peers of other suites against the engine over libwebsockets, and the same frames to both engines.
@Suite(.inTurn(within: .seconds(240)))
struct EngineHostileTests {
    private static let connections = 60

    private static func configuration(_ engine: WebSocketEngine, _ plan: HostilePlan) -> WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.engine = engine
        configuration.proxy = .none
        configuration.maximumMessageBytes = HostileFrames.maximumMessageBytes
        configuration.closeTimeout = .milliseconds(200)
        configuration.connectTimeout = plan.ending == .silent ? .milliseconds(200) : .seconds(60)
        configuration.pingInterval = plan.ending == .silent && !plan.isClosed ? .milliseconds(50) : nil
        configuration.pingTimeout = .milliseconds(50)
        return configuration
    }

    /// The outcome of a connection. `error` is that of the dial or of the end.
    private struct Outcome {
        var isOpened: Bool
        var messages: [HostileFrames.Message] = []
        var closure: TransportClosure?
        var error: WebSocketError?

        init(_ events: [HandlerEvent], _ error: WebSocketError?) {
            isOpened = !events.isEmpty
            closure = events.last?.closure
            self.error = error ?? closure?.webSocketError
            for case .message(let bytes, let isBinary, _) in events {
                messages.append(HostileFrames.Message(bytes: bytes, isBinary: isBinary))
            }
        }
    }

    /// Connects a client of this engine to the hostile server of a plan.
    private func run(
        _ plan: HostilePlan, _ engine: WebSocketEngine, on loops: WebSocketEventLoops, _ name: Comment
    ) async throws -> Outcome {
        let sent = EventLog<Void>()
        let peer = try RawPeer { socket in
            guard let request = try plan.readHead(on: socket) else { return }
            try plan.play(head: plan.head.answer(to: request), on: socket) { sent.record(()) }
        }
        let handler = plan.isEchoed ? RecordingHandler.echo() : RecordingHandler()
        var failure: WebSocketError?
        do {
            let connection = try await WebSocketConnection.connect(
                to: peer.url, configuration: Self.configuration(engine, plan), receiver: handler, on: loops)
            if plan.ending == .silent, plan.isClosed {
                await sent.wait(count: 1)
                connection.close(deadline: .milliseconds(100))
            }
            _ = await handler.closure()
        } catch let error as WebSocketError {
            failure = error
            // The time may have passed before the client connected. The peer would then wait for a connection.
            if error.code == .connectTimeout { _ = try? RawSocket(connectingTo: peer.port) }
        }
        await #expect(throws: Never.self, name) { try await peer.outcome() }
        let events = handler.events.elements
        #expect(failure == nil || events.isEmpty, name)
        #expect(events.count { $0.closure != nil } == (failure == nil ? 1 : 0), name)
        return Outcome(events, failure)
    }

    /// No crash and no hang. No message is merged, doubled or lost, and no other connection is harmed.
    @Test(arguments: HostilePlan.seeds)
    func everyConnectionToAHostileServerEndsOnce(seed: UInt64) async throws {
        let loops = WebSocketEventLoops()
        let conversation = try await EchoConversation(on: loops, compression: false, engine: .libwebsockets)
        for number in 0..<Self.connections {
            let plan = HostilePlan(seed: seed, connection: number, isServer: true, deflates: false)
            let name: Comment = "seed \(seed), connection \(number)"
            let outcome = try await run(plan, .libwebsockets, on: loops, name)
            try await conversation.exchange()
            let isWithinLimits = outcome.messages.allSatisfy { $0.bytes.count <= HostileFrames.maximumMessageBytes }
            #expect(isWithinLimits, name)
            guard case .accepted = plan.head.verdict, outcome.isOpened, plan.ending == .finishes else { continue }
            // libwebsockets may accept bytes after a fault, but not fewer than those before it.
            let isSame = outcome.messages.starts(with: plan.messages)
            #expect(isSame, name)
        }
        try await conversation.end()
        await loops.shutDown()
    }

    @Test(arguments: HostilePlan.seeds)
    func everyHostileClientIsSurvived(seed: UInt64) async throws {
        let loops = WebSocketEventLoops()
        let conversation = try await EchoConversation(on: loops, compression: false, engine: .libwebsockets)
        let accepted = EventLog<RecordingHandler>()
        var configuration = WebSocketListener.Configuration()
        configuration.handshakeTimeout = .milliseconds(500)
        configuration.unfinishedMessageTimeout = .milliseconds(500)
        configuration.connection.engine = .libwebsockets
        configuration.connection.maximumMessageBytes = HostileFrames.maximumMessageBytes
        configuration.connection.closeTimeout = .milliseconds(200)
        configuration.connection.pingInterval = .milliseconds(200)
        configuration.connection.pingTimeout = .milliseconds(200)
        let listener = try await WebSocketListener.listen(configuration: configuration, on: loops) { request in
            let handler = request.target.hasSuffix("echo") ? RecordingHandler.echo() : RecordingHandler()
            accepted.record(handler)
            return .accept(handler)
        }
        let port = listener.port
        for number in 0..<Self.connections {
            let plan = HostilePlan(seed: seed, connection: number, isServer: false, deflates: false)
            let target = "/\(number)" + (plan.isEchoed ? "/echo" : "/")
            await #expect(throws: Never.self, "seed \(seed), connection \(number)") {
                try await BlockingThread.value {
                    let socket = try RawSocket(connectingTo: port)
                    try plan.play(head: plan.head.request(for: target), on: socket) {}
                }
                try await conversation.exchange()
            }
        }
        try await conversation.end()
        await listener.stop()
        await loops.shutDown()
        for handler in accepted.elements {
            let events = handler.events.elements
            // A request may be accepted although its connection is not opened.
            #expect(events.isEmpty || events.count { $0.closure != nil } == 1, "seed \(seed)")
        }
    }

    /// Both engines read the same sequences of frames. If the outcomes differ, the article has a row.
    @Test(arguments: HostilePlan.seeds)
    func bothEnginesReadTheSame(seed: UInt64) async throws {
        let loops = WebSocketEventLoops()
        for number in 0..<Self.connections {
            let plan = HostilePlan(seed: seed, connection: number, isServer: true, deflates: false)
            guard case .accepted = plan.head.verdict, plan.ending == .finishes else { continue }
            let name: Comment = "seed \(seed), connection \(number)"
            let own = try await run(plan, .builtIn, on: loops, name)
            let other = try await run(plan, .libwebsockets, on: loops, name)
            // libwebsockets does not accept some answers, which are rows: interim responses, and some forms of lists.
            guard own.isOpened, other.isOpened else { continue }
            switch own.error?.code {
            case nil:
                // The peer sent a CLOSE frame.
                let isSame = own.messages == other.messages
                #expect(isSame, name)
                #expect(other.closure?.initiator == .remote, name)
                #expect(other.closure?.code == own.closure?.code || other.closure?.code == 1002, name)
                #expect(other.closure?.reason == own.closure?.reason, name)
            case .connectionLost?:
                let isSame = own.messages == other.messages
                #expect(isSame, name)
                #expect(other.error?.code == .connectionLost, name)
            case .invalidText?:
                let isSame = other.messages.starts(with: own.messages)
                #expect(isSame, name)
                #expect([.invalidText, .connectionLost].contains(other.error?.code), name)
            default:
                // The engine over libwebsockets does not see the violation, or does not report its kind.
                let isSame = other.messages.starts(with: own.messages)
                #expect(isSame, name)
            }
        }
        await loops.shutDown()
    }
}
