// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

@testable import JSONRPCWebSocket

/// Sessions whose outbox limit is below the low-water mark of a connection.
///
/// They send on the event loop's thread, which writes nothing while their task runs, so the outbox is full.
@Suite(.inTurn(within: .seconds(60)))
struct FullOutboxTests {
    private static let count = 500
    private static let text = String(repeating: "x", count: 4096)

    private var session: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.calls.maximumQueuedBytes = 0
        return configuration
    }

    private var webSocket: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        return configuration
    }

    /// Counts the messages up to the last one, and begins late.
    private static func countMessages(_ socket: RawSocket, after gate: Gate) throws -> Int {
        try gate.wait()
        var messages = 0
        while messages < count, let frame = try socket.readFrame() {
            if frame.opcode == RawFrame.Opcode.text { messages += 1 }
        }
        return messages
    }

    private static func notify(_ caller: some JSONRPCCaller, opening gate: Gate) async throws {
        for number in 0..<count {
            try await caller.notify("tick", params: [text])
            if number == 20 { gate.open() }
        }
    }

    @Test(arguments: [true, false])
    func clientsGoOnWhenTheirOutboxHasDrained(isLimitKnown: Bool) async throws {
        let gate = Gate()
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            return try Self.countMessages(socket, after: gate)
        }
        let loops = WebSocketEventLoops()
        let client: JSONRPCClient
        if isLimitKnown {
            client = try await JSONRPCClient.connect(
                to: peer.url, webSocket: webSocket, configuration: session, on: loops)
        } else {
            client = JSONRPCClient(
                connector: WebSocketConnector(to: peer.url, configuration: webSocket, on: loops),
                configuration: session)
            try await client.connect()
        }
        try await withTaskExecutorPreference(loops.executors[0]) { try await Self.notify(client, opening: gate) }
        #expect(try await peer.outcome() == Self.count)
        await client.close()
        await loops.shutDown()
    }

    @Test func acceptedSessionsGoOnWhenTheirOutboxHasDrained() async throws {
        let gate = Gate()
        let loops = WebSocketEventLoops()
        let sessions = EventLog<DuplexSession>()
        var configuration = JSONRPCListener.Configuration()
        configuration.session = session
        let listener = try await JSONRPCListener.listen(configuration: configuration, on: loops) {
            sessions.record($0)
        }
        let port = listener.port
        let reading = Task {
            try await BlockingThread.value { () -> Int in
                let socket = try RawSocket(connectingTo: port)
                try socket.requestUpgrade()
                return try Self.countMessages(socket, after: gate)
            }
        }
        let session = try #require(await sessions.wait(count: 1).first)
        try await withTaskExecutorPreference(loops.executors[0]) { try await Self.notify(session, opening: gate) }
        #expect(try await reading.value == Self.count)
        await listener.stop()
        await loops.shutDown()
    }

    /// The sessions of requests whose handshake fails after they were accepted.
    @Test func sessionsWhosePeerLeavesAtOnceEnd() async throws {
        let loops = WebSocketEventLoops()
        let sessions = EventLog<DuplexSession>()
        let listener = try await JSONRPCListener.listen(on: loops) { sessions.record($0) }
        let port = listener.port
        try await BlockingThread.value {
            let socket = try RawSocket(connectingTo: port)
            try socket.requestUpgrade()
            socket.close()
        }
        let session = try #require(await sessions.wait(count: 1).first)
        await session.closed()
        #expect(session.closure?.code == 1006)
        await loops.shutDown()
    }

    @Test(arguments: [(0, 64 << 10), (300 << 10, 150 << 10), (4 << 20, 256 << 10)])
    func lowWaterMarkLiesBelowTheSessionsLimit(limit: Int, mark: Int) {
        #expect(WebSocketConfiguration().forSessions(queuingAtMost: limit).lowWaterBytes == mark)
    }
}
