// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import Testing
import WebSocket

@testable import JSONRPCWebSocket

/// The transports over which a client must behave alike. Tests pass them to processes of their own.
enum Engine: String, CaseIterable, Codable, Sendable {
    case inMemory, webSocket
    /// WebSockets of libwebsockets: at both ends, at the client's end, or at the listener's.
    case libwebsockets, libwebsocketsClient, libwebsocketsListener

    /// The engines of WebSockets.
    static let webSockets = allCases.filter { $0 != .inMemory }
    /// WebSockets with the same engine at both ends.
    static let sameAtBothEnds = [Engine.webSocket, .libwebsockets]

    var client: WebSocketEngine {
        [.libwebsockets, .libwebsocketsClient].contains(self) ? .libwebsockets : .builtIn
    }

    var listener: WebSocketEngine {
        [.libwebsockets, .libwebsocketsListener].contains(self) ? .libwebsockets : .builtIn
    }
}

/// A connected client and the script's end of its connection.
struct Pair: Sendable {
    let client: JSONRPCClient
    let session: DuplexSession
    let peer: ScriptedPeer

    /// Connects a client to a new peer, passes both to `body`, closes, and checks that every call has ended once.
    static func with(
        _ engine: Engine, matching: ScriptedPeer.Matching = .inOrder,
        configuration: SessionConfiguration = SessionConfiguration(), _ body: (Pair) async throws -> Void
    ) async throws {
        let peer = ScriptedPeer(matching: matching)
        var configuration = configuration
        configuration.drainTimeout = .zero
        let listener: WebSocketListener?
        let connector: any MessageConnector
        switch engine {
        case .inMemory:
            listener = nil
            connector = peer.connector
        case .webSocket, .libwebsockets, .libwebsocketsClient, .libwebsocketsListener:
            var options = WebSocketListener.Configuration()
            options.connection.engine = engine.listener
            let listening = try await WebSocketListener.listen(configuration: options) { _ in .accept(peer.receiver) }
            listener = listening
            connector = WebSocketConnector.patient(to: listening.url, engine: engine.client)
        }
        let client = JSONRPCClient(connector: connector, configuration: configuration)
        try await client.connect()
        try await peer.expectConnection()
        let session = try #require(client.session)
        do {
            try await body(Pair(client: client, session: session, peer: peer))
        } catch {
            await client.close()
            await listener?.stop()
            throw error
        }
        await client.close()
        await session.closed()
        #expect(session.callCounts.issued == session.callCounts.settled)
        #expect(session.callsInFlight == 0)
        await listener?.stop()
    }
}

extension SessionEvent.Stream {
    /// The irregularities in the events up to the notification `end`, message by message.
    func irregularitiesByMessage() async -> [[Irregularity]] {
        var all: [[Irregularity]] = []
        for await event in self {
            switch event {
            case .irregularMessage(let message): all.append(message.irregularities.elements)
            case .unhandledNotification(method: "end", _): return all
            default: break
            }
        }
        return all
    }
}

/// The error of one type that the closure throws; `nil` for a result. Other errors are rethrown.
func thrown<Success, Failure: Error>(
    _ type: Failure.Type = Failure.self, _ body: () async throws -> Success
) async throws -> Failure? {
    do {
        _ = try await body()
        return nil
    } catch let error as Failure {
        return error
    }
}

/// The client error that the closure throws; `nil` for a result. Other errors are rethrown.
func clientError<Success>(_ body: () async throws -> Success) async throws -> ClientError? {
    try await thrown(ClientError.self, body)
}
