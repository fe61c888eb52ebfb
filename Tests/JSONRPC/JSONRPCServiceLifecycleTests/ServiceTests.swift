// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCServiceLifecycle
import JSONRPCTesting
import JSONRPCWebSocket
import Logging
import ServiceLifecycle
import TestTurns
import Testing
import UnixSignals

@Suite(.inTurn(within: .seconds(60))) struct ServiceTests {
    private let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    @Test func aGracefulShutdownLetsCallsEndAndCloses() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        let group = ServiceGroup(services: [JSONRPCClientService(client)], logger: logger)
        let running = Task { try await group.run() }
        try await peer.expectConnection()
        for await state in client.states where state == .connected { break }
        async let answer: Int = client.call("slow")
        let request = try await peer.expectRequest("slow")
        await group.triggerGracefulShutdown()
        for await state in client.states where state == .closing { break }
        try peer.reply(to: request, result: 7)
        #expect(try await answer == 7)
        #expect(try await peer.expectClosure().code == 1001)
        try await running.value
        #expect(client.state == .closed)
    }

    @Test func aShutdownEndsWithinItsLimit() async throws {
        let peer = ScriptedPeer()
        var configuration = SessionConfiguration()
        configuration.drainTimeout = .seconds(600)
        let client = JSONRPCClient(connector: peer.connector, configuration: configuration)
        let service = JSONRPCClientService(client, shutDownTimeout: .milliseconds(10))
        let group = ServiceGroup(services: [service], logger: logger)
        let running = Task { try await group.run() }
        for await state in client.states where state == .connected { break }
        let call = Task { try await client.callRaw("never") }
        _ = try await peer.expectRequest("never")
        await group.triggerGracefulShutdown()
        _ = await #expect(throws: ClientError.self) { try await call.value }
        try await running.value
    }

    @Test func aLostConnectionFailsTheService() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        let group = ServiceGroup(services: [JSONRPCClientService(client)], logger: logger)
        let running = Task { try await group.run() }
        for await state in client.states where state == .connected { break }
        peer.drop()
        let error = await #expect(throws: ClientError.self) { try await running.value }
        #expect(error?.code == .connectionLost)
    }

    @Test func aShutdownDuringAnAttemptIsNoFailure() async throws {
        let begun = AsyncStream.makeStream(of: Void.self)
        struct Waiting: MessageConnector {
            let begun: AsyncStream<Void>.Continuation
            func connect(receiver: any MessageReceiver) async throws {
                begun.yield()
                try await ContinuousClock().sleep(for: .seconds(600))
            }
        }
        let client = JSONRPCClient(connector: Waiting(begun: begun.continuation))
        let group = ServiceGroup(services: [JSONRPCClientService(client)], logger: logger)
        let running = Task { try await group.run() }
        for await _ in begun.stream { break }
        await group.triggerGracefulShutdown()
        try await running.value
    }

    @Test func aCancelledGroupClosesAll() async throws {
        let listener = try await JSONRPCListener.listen { session in
            session.handle("sum") { (terms: [Int]) in terms.reduce(0, &+) }
        }
        let client = JSONRPCClient(connector: WebSocketConnector(to: listener.url))
        let logger = logger
        let running = Task {
            let listening = JSONRPCListenerService(listener)
            let calling = JSONRPCClientService(client, shutDownTimeout: .seconds(5))
            let group = ServiceGroup(
                services: [listening, calling], gracefulShutdownSignals: [.sigterm], logger: logger)
            try await group.run()
        }
        for await state in client.states where state == .connected { break }
        let sum: Int = try await client.call("sum", params: [1, 2, 3])
        #expect(sum == 6)
        running.cancel()
        _ = await running.result
        #expect(client.state == .closed)
        #expect(listener.openSessions.isEmpty)
    }

    @Test func aListenerIsShutDownGracefully() async throws {
        let listener = try await JSONRPCListener.listen { session in
            session.handle("slow") { () async throws -> Int in 7 }
        }
        let group = ServiceGroup(services: [JSONRPCListenerService(listener)], logger: logger)
        let running = Task { try await group.run() }
        let client = try await JSONRPCClient.connect(to: listener.url)
        let events = client.events
        let seven: Int = try await client.call("slow")
        #expect(seven == 7)
        await group.triggerGracefulShutdown()
        try await running.value
        for await case .closed(let closure) in events { #expect(closure.code == 1001) }
        #expect(listener.openSessions.isEmpty)
    }
}
