// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// A server sends mutated answers, frames and CLOSEs. Each connection to it has one outcome, and no other is harmed.
@Suite(.inTurn(within: .seconds(120)))
struct HostileServerTests {
    private static let connections = 120

    @Test(arguments: HostilePlan.seeds, [false, true])
    func everyConnectionEndsOnce(seed: UInt64, compression: Bool) async throws {
        let loops = WebSocketEventLoops()
        let conversation = try await EchoConversation(on: loops, compression: compression)
        let handlers = try await withThrowingTaskGroup(of: (String, RecordingHandler).self) { group in
            var handlers: [(String, RecordingHandler)] = []
            for number in 0..<Self.connections {
                if number >= 8, let ended = try await group.next() { handlers.append(ended) }
                group.addTask {
                    let ended = try await run(seed, number, compression, on: loops)
                    try await conversation.exchange()
                    return ended
                }
            }
            for try await ended in group { handlers.append(ended) }
            return handlers
        }
        try await conversation.end()
        await loops.shutDown()
        for (name, handler) in handlers {
            #expect(handler.events.elements.count { $0.closure != nil } <= 1, "\(name)")
        }
    }

    private func run(
        _ seed: UInt64, _ number: Int, _ compression: Bool, on loops: WebSocketEventLoops
    ) async throws -> (String, RecordingHandler) {
        let name = "seed \(seed), compression \(compression), connection \(number)"
        let plan = HostilePlan(seed: seed, connection: number, isServer: true, deflates: compression)
        let sent = EventLog<Void>()
        let peer = try RawPeer { socket in
            guard let request = try plan.readHead(on: socket) else { return }
            try plan.play(head: plan.head.answer(to: request), on: socket) { sent.record(()) }
        }
        let handler = plan.isEchoed ? RecordingHandler.echo() : RecordingHandler()
        do {
            let connection = try await WebSocketConnection.connect(
                to: peer.url, configuration: Self.configuration(plan, compression), receiver: handler, on: loops)
            if plan.ending == .silent, plan.isClosed {
                await sent.wait(count: 1)
                connection.close(deadline: .milliseconds(100))
            }
            _ = await handler.closure()
            plan.check(handler.events.elements, "\(name)")
            if case .refused = plan.head.verdict { Issue.record("The handshake was accepted: \(name)") }
        } catch let error as WebSocketError {
            #expect(handler.events.elements.isEmpty, "\(name)")
            checkRefusal(error, plan, "\(name)")
            // The time may have passed before the client connected. The peer would then wait for a connection.
            if error.code == .connectTimeout { _ = try? RawSocket(connectingTo: peer.port) }
        }
        await #expect(throws: Never.self, "\(name)") { try await peer.outcome() }
        return (name, handler)
    }

    private func checkRefusal(_ error: WebSocketError, _ plan: HostilePlan, _ name: Comment) {
        guard plan.ending == .finishes else { return }
        switch plan.head.verdict {
        case .accepted: Issue.record("The handshake was refused: \(error), \(name)")
        case .refused: #expect(error.code == .invalidHandshake, name)
        case .unknown: break
        }
    }

    private static func configuration(_ plan: HostilePlan, _ compression: Bool) -> WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.proxy = .none
        configuration.compression = compression
        configuration.maximumMessageBytes = HostileFrames.maximumMessageBytes
        configuration.closeTimeout = .milliseconds(200)
        configuration.connectTimeout = plan.ending == .silent ? .milliseconds(200) : .seconds(60)
        configuration.pingInterval = plan.ending == .silent && !plan.isClosed ? .milliseconds(50) : nil
        configuration.pingTimeout = .milliseconds(50)
        return configuration
    }
}
