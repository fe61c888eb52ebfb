// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TestSupport
import Testing
import WebSocket

/// A well-behaved conversation, which goes on until it is ended: each message is answered before the next goes out.
final class EchoConversation: Sendable {
    private let handler: RecordingHandler
    private let connection: WebSocketConnection
    private let listener: WebSocketListener

    /// Begins one between a listener and a client on these event loops.
    init(on loops: WebSocketEventLoops, compression: Bool) async throws {
        var configuration = WebSocketListener.Configuration()
        configuration.connection.compression = compression
        listener = try await WebSocketListener.listen(configuration: configuration, on: loops) { _ in
            .accept(RecordingHandler.echo())
        }
        let next = Atomic<Int>(1)
        handler = RecordingHandler(onMessage: { connection, _, _ in
            try? connection.send(text: Self.text(next.wrappingAdd(1, ordering: .relaxed).oldValue))
        })
        connection = try await connect(
            to: listener.url, configuration: configuration.connection, handler: handler, on: loops)
        try connection.send(text: Self.text(0))
    }

    private static func text(_ number: Int) -> String { "message \(number) of a conversation" }

    /// Ends the conversation: it must have gone on all the time, and be the same as ever.
    func end() async throws {
        let count = handler.events.elements.count
        await handler.events.wait(count: count + 10)
        connection.close()
        let closure = try #require(await handler.closure())
        #expect(closure.initiator == .local && closure.code == .normalClosure && closure.error == nil)
        let texts = handler.events.elements.compactMap(\.text)
        #expect(texts.count >= 10)
        #expect(texts == texts.indices.map(Self.text))
        await listener.stop()
    }
}
