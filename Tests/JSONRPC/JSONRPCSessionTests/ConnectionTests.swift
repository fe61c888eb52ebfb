// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct ConnectionTests {
    private struct Failed: Error {}

    /// A time that is longer than any test.
    private let never = Duration.seconds(3600)

    // MARK: withConnection

    @Test func theConnectionIsClosedWhenTheClosureReturns() async throws {
        let peer = ScriptedPeer()
        let sum = try await JSONRPCClient.withConnection(connector: peer.connector) { client in
            async let sum: Int = client.call("add", params: [1, 2])
            try peer.reply(to: try await peer.expectRequest("add"), result: 3)
            return try await sum
        }
        #expect(sum == 3)
        #expect(try await peer.expectClosure().code == 1000)
    }

    @Test func theConnectionIsClosedWhenTheClosureThrows() async throws {
        let peer = ScriptedPeer()
        await #expect(throws: Failed.self) {
            try await JSONRPCClient.withConnection(connector: peer.connector) { _ in throw Failed() }
        }
        #expect(try await peer.expectClosure().code == 1000)
    }

    @Test func theConnectionIsClosedWhenTheTaskIsCancelled() async throws {
        let peer = ScriptedPeer()
        let task = Task {
            try await JSONRPCClient.withConnection(
                connector: peer.connector, configuration: .with { $0.drainTimeout = never }
            ) { client in
                client.handle("m") { [client] in client.state == .connected }
                _ = try await client.callRaw("endless", timeout: nil)
            }
        }
        try await peer.expectRequest("endless")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await peer.expectClosure().code == 1000)
    }

    @Test func handlersCanBeSetBeforeTheConnectionIsMade() async throws {
        let peer = ScriptedPeer()
        try await JSONRPCClient.withConnection(
            connector: peer.connector, prepare: { $0.handle("m") { 1 } }
        ) { _ in
            try peer.request("m", id: 1)
            #expect(try await peer.expectResponse(to: 1).outcome == .success(1))
        }
    }

    @Test func aConnectionThatCannotBeMadeIsThrown() async throws {
        let error = await #expect(throws: ClientError.self) {
            try await JSONRPCClient.withConnection(connector: InMemoryConnector { throw Failed() }) { _ in
                Issue.record("there is no connection")
            }
        }
        #expect(error?.code == .connectFailed)
    }

    // MARK: run

    @Test func cancellingRunLetsCallsInFlightEnd() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        let running = Task { try await client.run() }
        for await state in client.states where state == .connected { break }
        async let answer: Int = client.call("m")
        let request = try await peer.expectRequest("m")
        running.cancel()
        for await state in client.states where state == .closing { break }
        try peer.reply(to: request, result: 1)
        #expect(try await answer == 1)
        try await running.value
        #expect(try await peer.expectClosure().code == 1000)
        #expect(client.state == .closed)
    }

    // MARK: A peer that has stopped

    @Test func closeNowDoesNotWaitForAPeerThatHasStopped() async throws {
        let wire = await Wire(
            .with {
                $0.drainTimeout = never
                $0.closeTimeout = never
            })
        async let answer = outcome { try await wire.session.callRaw("m", timeout: nil) }
        try await wire.peer.expectRequest("m")
        wire.near.holdOutbox()
        try await wire.session.notify("unread")
        wire.session.closeNow()
        await wire.session.closed()
        #expect((await answer.failure as? ClientError)?.code == .closed)
        #expect(wire.session.callCounts.issued == wire.session.callCounts.settled)
    }

    @Test func theWaitForTheEndOfASessionEndsWithItsTask() async {
        let wire = await Wire()
        let waiting = Task { await wire.session.closed() }
        waiting.cancel()
        await waiting.value
        #expect(wire.session.state == .open)
        await wire.session.close()
        await wire.session.closed()
    }

    @Test func closeNowEndsACloseThatIsUnderWay() async throws {
        let wire = await Wire(
            .with {
                $0.drainTimeout = .zero
                $0.closeTimeout = never
            })
        wire.near.holdOutbox()
        try await wire.session.notify("n")
        async let closing: Void = wire.session.close(code: 4001, reason: "first")
        await wire.session.reaches(.closing)
        wire.session.closeNow()
        await closing
        #expect(wire.session.state == .closed)
    }

    @Test func closeInACancelledTaskDoesNotWaitForAPeerThatHasStopped() async throws {
        let wire = await Wire(
            .with {
                $0.drainTimeout = never
                $0.closeTimeout = never
            })
        wire.near.holdOutbox()
        try await wire.session.notify("n")
        let closing = Task { await wire.session.close() }
        closing.cancel()
        await closing.value
        #expect(wire.session.state == .closed)
    }

    @Test func closeNowEndsAClientAtOnce() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        client.closeNow()
        #expect(client.state == .closed)
        #expect((await outcome { try await client.connect() }.failure as? ClientError)?.code == .closed)

        let other = JSONRPCClient(connector: peer.connector, configuration: .with { $0.drainTimeout = never })
        try await other.connect()
        async let answer = outcome { try await other.callRaw("m", timeout: nil) }
        try await peer.expectRequest("m")
        other.closeNow(code: 1001, reason: "going")
        #expect((await answer.failure as? ClientError)?.code == .closed)
        for await state in other.states where state == .closed { break }
    }
}
