// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TestSupport
import TestTurns
import Testing
import WebSocket

/// A client sends mutated requests, frames and CLOSEs. The listener ends each of its connections once, and no other
/// connection is harmed.
@Suite(.inTurn(within: .seconds(120)))
struct HostileClientTests {
    private static let connections = 120

    /// The accepted connections, by the target of the request.
    private final class Accepted: Sendable {
        private let handlers = Mutex<[(target: String, handler: RecordingHandler)]>([])

        func add(_ handler: RecordingHandler, for target: String) {
            handlers.withLock { $0.append((target, handler)) }
        }

        var all: [(target: String, handler: RecordingHandler)] { handlers.withLock { $0 } }

        func handler(for target: String) -> RecordingHandler? { all.first { $0.target == target }?.handler }
    }

    @Test(arguments: HostilePlan.seeds, [false, true])
    func everyConnectionEndsOnce(seed: UInt64, compression: Bool) async throws {
        let loops = WebSocketEventLoops()
        let conversation = try await EchoConversation(on: loops, compression: compression)
        let accepted = Accepted()
        let patient = try await Self.listen(isPatient: true, compression, accepted, on: loops)
        let impatient = try await Self.listen(isPatient: false, compression, accepted, on: loops)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<Self.connections {
                if number >= 8 { await group.next() }
                let plan = HostilePlan(seed: seed, connection: number, isServer: false, deflates: compression)
                let port = plan.ending == .silent ? impatient.port : patient.port
                let name = "seed \(seed), compression \(compression), connection \(number)"
                group.addTask {
                    await run(plan, number, port, accepted, "\(name)")
                    await #expect(throws: Never.self, "\(name)") { try await conversation.exchange() }
                }
            }
        }
        try await conversation.end()
        await patient.stop()
        await impatient.stop()
        await loops.shutDown()
        for (target, handler) in accepted.all {
            let closures = handler.events.elements.count { $0.closure != nil }
            #expect(closures == 1, "seed \(seed), compression \(compression), target \(target)")
        }
    }

    private static func listen(
        isPatient: Bool, _ compression: Bool, _ accepted: Accepted, on loops: WebSocketEventLoops
    ) async throws -> WebSocketListener {
        var configuration = WebSocketListener.Configuration()
        configuration.handshakeTimeout = isPatient ? .seconds(60) : .milliseconds(200)
        configuration.unfinishedMessageTimeout = isPatient ? .seconds(60) : .milliseconds(200)
        configuration.connection.compression = compression
        configuration.connection.maximumMessageBytes = HostileFrames.maximumMessageBytes
        configuration.connection.closeTimeout = .milliseconds(200)
        configuration.connection.pingInterval = isPatient ? nil : .milliseconds(50)
        configuration.connection.pingTimeout = .milliseconds(50)
        return try await WebSocketListener.listen(configuration: configuration, on: loops) { request in
            let handler = request.target.hasSuffix("echo") ? RecordingHandler.echo() : RecordingHandler()
            accepted.add(handler, for: request.target)
            return .accept(handler)
        }
    }

    private func run(_ plan: HostilePlan, _ number: Int, _ port: Int, _ accepted: Accepted, _ name: Comment) async {
        let target = "/\(number)" + (plan.isEchoed ? "/echo" : "/")
        await #expect(throws: Never.self, name) {
            try await BlockingThread.value {
                let socket = try RawSocket(connectingTo: port)
                try plan.play(head: plan.head.request(for: target), on: socket) {}
            }
        }
        // If the client has waited for the listener to end the connection, the listener has decided.
        guard plan.ending == .finishes else { return }
        let handler = accepted.handler(for: target)
        switch plan.head.verdict {
        case .accepted: #expect(handler != nil, name)
        case .refused: #expect(handler == nil, name)
        case .unknown: break
        }
        guard let handler else { return }
        _ = await handler.closure()
        plan.check(handler.events.elements, name)
    }
}
