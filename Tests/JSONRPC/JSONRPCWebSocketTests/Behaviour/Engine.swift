// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import Synchronization
import Testing
import WebSocket

@testable import JSONRPCWebSocket

/// What carries the messages: a client must behave alike over each.
enum Engine: CaseIterable, Sendable {
    case inMemory, webSocket
}

/// A connected client and the script's end of its connection.
struct Pair: Sendable {
    let client: JSONRPCClient
    let session: DuplexSession
    let peer: ScriptedPeer
    /// Sends a binary message from the peer.
    let sendBinary: @Sendable ([UInt8]) throws -> Void

    /// Connects a client to a new peer, hands both to `body`, closes, and checks that every call has ended once.
    static func with(
        _ engine: Engine, matching: ScriptedPeer.Matching = .inOrder,
        configuration: SessionConfiguration = SessionConfiguration(), _ body: (Pair) async throws -> Void
    ) async throws {
        let peer = ScriptedPeer(matching: matching)
        var configuration = configuration
        configuration.drainTimeout = .zero
        let listener: WebSocketListener?
        let connector: any MessageConnector
        let handler: PeerHandler?
        switch engine {
        case .inMemory:
            (listener, handler) = (nil, nil)
            connector = peer.connector
        case .webSocket:
            let accepting = PeerHandler(peer)
            let listening = try await WebSocketListener.listen { _ in .accept(accepting) }
            (listener, handler) = (listening, accepting)
            connector = WebSocketConnector.patient(to: listening.url)
        }
        let client = JSONRPCClient(connector: connector, configuration: configuration)
        try await client.connect()
        try await peer.expectConnection()
        let session = try #require(client.session)
        let pair = Pair(client: client, session: session, peer: peer) { bytes in
            if let handler { try handler.send(binary: bytes) } else { try peer.send(bytes, isBinary: true) }
        }
        do {
            try await body(pair)
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

/// Shows a scripted peer a WebSocket connection, and can send what a session's transport does not.
private final class PeerHandler: MessageReceiver {
    private let base: any MessageReceiver
    private let connection = Mutex<WebSocketConnection?>(nil)

    init(_ peer: ScriptedPeer) { base = peer.receiver }

    func send(binary bytes: [UInt8]) throws {
        try connection.withLock { $0 }?.send(binary: bytes)
    }

    func transportOpened(_ transport: any MessageTransport) {
        connection.withLock { $0 = transport as? WebSocketConnection }
        base.transportOpened(transport)
    }

    func messageReceived(_ message: InboundMessage) { base.messageReceived(message) }
    func outboxDrained() { base.outboxDrained() }
    func roundTripMeasured(_ duration: Duration) { base.roundTripMeasured(duration) }

    func transportClosed(_ closure: TransportClosure) {
        connection.withLock { $0 = nil }
        base.transportClosed(closure)
    }
}

extension SessionEvent.Stream {
    /// The irregularities in the events up to the notification `end`, message by message.
    func irregularities() async -> [[Irregularity]] {
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

/// The error of one type that the closure throws; nil for a result, other errors are thrown on.
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

/// The client error that the closure throws; nil for a result, other errors are thrown on.
func clientError<Success>(_ body: () async throws -> Success) async throws -> ClientError? {
    try await thrown(ClientError.self, body)
}
