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
struct JSONRPCClientTests {
    private struct Unreachable: Error {}

    @Test func statesAreTold() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        let states = client.states
        try await client.connect()
        await client.close()
        var told: [JSONRPCClient.State] = []
        for await state in states { told.append(state) }
        #expect(told == [.idle, .connecting, .connected, .closing, .closed])
    }

    @Test func nothingCanBeCalledBeforeItIsConnected() async throws {
        let client = JSONRPCClient(connector: ScriptedPeer().connector)
        let error = try #require(await outcome { try await client.callRaw("m") }.failure as? ClientError)
        #expect(error.code == .notConnected)
        #expect(error.delivery == .notSent)
        await #expect(throws: ClientError.self) { try await client.notify("n") }
        await client.close()
        #expect(client.state == .closed)
    }

    @Test func attemptThatFailedCanBeRepeated() async throws {
        let peer = ScriptedPeer()
        let attempts = Attempts()
        let client = JSONRPCClient(
            connector: InMemoryConnector {
                if await attempts.next() == 1 { throw Unreachable() }
                return peer.receiver
            })
        let error = try #require(await outcome { try await client.connect() }.failure as? ClientError)
        #expect(error.code == .connectFailed)
        #expect(error.cause is Unreachable)
        #expect(client.state == .idle)
        try await client.connect()
        #expect(client.state == .connected)
        await client.close()
    }

    @Test func closingGivesUpAnAttemptToConnect() async throws {
        let (never, keeper) = AsyncStream.makeStream(of: Void.self)
        defer { keeper.finish() }
        let client = JSONRPCClient(
            connector: InMemoryConnector {
                for await _ in never {}
                throw CancellationError()
            })
        let states = client.states
        async let attempt = outcome { try await client.connect() }
        for await state in client.states where state == .connecting { break }
        await client.close()
        #expect(client.state == .closed)
        #expect((await attempt.failure as? ClientError)?.code == .closed)
        #expect(client.state == .closed)
        #expect((await outcome { try await client.connect() }.failure as? ClientError)?.code == .closed)
        #expect(await states.reduce(into: []) { $0.append($1) }.last == .closed)
    }

    @Test func closingEndsAClientWhoseConnectionComesTooLate() async throws {
        let peer = ScriptedPeer()
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        // This ignores its cancellation.
        let opening = Task { for await _ in gate { break } }
        let client = JSONRPCClient(connector: StubbornConnector(opening: opening, connector: peer.connector))
        async let attempt = outcome { try await client.connect() }
        for await state in client.states where state == .connecting { break }
        await client.close()
        opener.yield()
        #expect((await attempt.failure as? ClientError)?.code == .closed)
        #expect(client.state == .closed)
        #expect(await client.states.reduce(into: []) { $0.append($1) } == [.closed])
        try await peer.expectClosure()
    }

    private struct StubbornConnector: MessageConnector {
        let opening: Task<Void, Never>
        let connector: any MessageConnector

        func connect(receiver: any MessageReceiver) async throws {
            await opening.value
            try await Task { try await connector.connect(receiver: receiver) }.value
        }
    }

    @Test func runEndsWithTheAttemptOfAnotherTask() async throws {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let client = JSONRPCClient(
            connector: InMemoryConnector {
                for await _ in gate {}
                throw Unreachable()
            })
        async let attempt = outcome { try await client.connect() }
        for await state in client.states where state == .connecting { break }
        async let running = outcome { try await client.run() }
        await Task.yield()
        opener.finish()
        #expect((await attempt.failure as? ClientError)?.code == .connectFailed)
        let error = try #require(await running.failure as? ClientError)
        #expect(error.code == .connectFailed)
        #expect(error.cause is Unreachable)
    }

    @Test func aSessionThatNeverOpenedEndsForThoseWhoWait() async throws {
        let session = DuplexSession()
        async let end: Void = session.closed()
        await Task.yield()
        await session.close()
        await end
        #expect(session.state == .closed)
    }

    @Test func theStateIsThatOfNow() async throws {
        for _ in 0..<100 {
            let client = JSONRPCClient(connector: ScriptedPeer().connector)
            try await client.connect()
            await client.close()
            #expect(client.state == .closed)
        }
        for _ in 0..<100 {
            let peer = ScriptedPeer()
            let client = JSONRPCClient(connector: peer.connector)
            try await client.connect()
            async let call = outcome { try await client.callRaw("m") }
            try await peer.expectRequest("m")
            peer.drop()
            #expect((await call.failure as? ClientError)?.code == .connectionLost)
            #expect(client.state == .closed)
        }
    }

    @Test func handlersMayBeChangedAsOneIsLetGo() async throws {
        final class Owner: Sendable {
            let session: DuplexSession
            let changes: EventLog<String>

            init(_ session: DuplexSession, _ changes: EventLog<String>) {
                self.session = session
                self.changes = changes
            }

            deinit {
                session.handle("other") { 2 }
                changes.record("other")
            }
        }
        let wire = await Wire()
        let changes = EventLog<String>()
        do {
            let owner = Owner(wire.session, changes)
            wire.session.handle("m") {
                withExtendedLifetime(owner) {}
                return 1
            }
        }
        try wire.peer.request("m", id: 1)
        #expect(try await wire.peer.expectResponse(to: 1).outcome == .success(1))
        wire.session.handle("m") { 3 }
        // The answered call may have held the handler a little longer.
        #expect(await changes.wait(count: 1) == ["other"])
        try wire.peer.request("other", id: 2)
        #expect(try await wire.peer.expectResponse(to: 2).outcome == .success(2))
        await wire.session.close()
    }

    private actor Attempts {
        private var count = 0

        func next() -> Int {
            count += 1
            return count
        }
    }

    @Test func connectsOnceOnly() async throws {
        let client = JSONRPCClient(connector: ScriptedPeer().connector)
        try await client.connect()
        #expect((await outcome { try await client.connect() }.failure as? ClientError)?.code == .alreadyConnected)
        await client.close()
        #expect((await outcome { try await client.connect() }.failure as? ClientError)?.code == .alreadyConnected)
    }

    @Test func handlersAndStreamsCanBeMadeBeforeItIsConnected() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        client.handle("m") { 1 }
        let stream = client.notifications("n", as: [Int].self)
        try await client.connect()
        try peer.notify("n", params: [5])
        try peer.request("m", id: 1)
        #expect(try await peer.expectResponse(to: 1).outcome == .success(1))
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == .value([5]))
        await client.close()
        #expect(try await iterator.next() == nil)
    }

    @Test func runReturnsWhenClosedFromThisSide() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        async let running: Void = client.run()
        try await peer.expectConnection()
        for await state in client.states where state == .connected { break }
        await client.close()
        try await running
    }

    @Test func runReturnsWhenTheSessionIsClosedFromThisSide() async throws {
        let client = JSONRPCClient(connector: ScriptedPeer().connector)
        try await client.connect()
        async let running: Void = client.run()
        await client.session?.close()
        try await running
        #expect(client.state == .closed)
    }

    @Test func runThrowsWhenTheConnectionIsLost() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        async let running = outcome { try await client.run() }
        try await peer.expectConnection()
        for await state in client.states where state == .connected { break }
        peer.close(code: 1012, reason: "restart\u{7}")
        let error = try #require(await running.failure as? ClientError)
        #expect(error.code == .connectionLost)
        #expect(error.message == #"The peer closed the connection: "restart\u{07}"."#)
        #expect(error.closeCode == 1012)
        for await state in client.states where state == .closed { break }
    }

    @Test func cancellingRunClosesTheClient() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        let running = Task { try await client.run() }
        try await peer.expectConnection()
        for await state in client.states where state == .connected { break }
        running.cancel()
        _ = await running.result
        #expect(try await peer.expectClosure().code == 1000)
    }

    /// A cancelled task whose `connect()` is refused does not end the attempt of another task.
    @Test func aCancelledConnectDoesNotEndTheAttemptOfAnother() async throws {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let peer = ScriptedPeer()
        let opening = Task { for await _ in gate {} }
        let client = JSONRPCClient(connector: PatientConnector(opening: opening, connector: peer.connector))
        async let connecting: Void = client.connect()
        for await state in client.states where state == .connecting { break }
        let second = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await outcome { try await client.connect() }
        }
        #expect((await second.value.failure as? ClientError)?.code == .alreadyConnected)
        opener.finish()
        try await connecting
        #expect(client.state == .connected)
        await client.close()
    }

    /// It ends with its task, as connectors should.
    private struct PatientConnector: MessageConnector {
        let opening: Task<Void, Never>
        let connector: any MessageConnector

        func connect(receiver: any MessageReceiver) async throws {
            await opening.value
            try Task.checkCancellation()
            try await connector.connect(receiver: receiver)
        }
    }

    @Test func lettingGoOfTheClientClosesItsConnection() async throws {
        let peer = ScriptedPeer()
        var client: JSONRPCClient? = JSONRPCClient(connector: peer.connector)
        client?.handle("m") { 1 }
        try await client?.connect()
        client = nil
        #expect(try await peer.expectClosure().code == 1000)
    }
}
