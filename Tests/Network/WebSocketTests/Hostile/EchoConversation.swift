// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TestSupport
import Testing
import WebSocket

/// A well-behaved connection, which must not be affected by other connections of its event loop.
final class EchoConversation: Sendable {
    private let handler = RecordingHandler()
    private let connection: WebSocketConnection
    private let listener: WebSocketListener
    private let count = Atomic<Int>(0)

    /// Connects a client and a listener on these event loops.
    init(on loops: WebSocketEventLoops, compression: Bool, engine: WebSocketEngine = .builtIn) async throws {
        var configuration = WebSocketListener.Configuration()
        configuration.connection.engine = engine
        configuration.connection.compression = compression
        configuration.connection.pingTimeout = .seconds(50)
        listener = try await WebSocketListener.listen(configuration: configuration, on: loops) { _ in
            .accept(RecordingHandler.echo())
        }
        connection = try await connect(
            to: listener.url, configuration: configuration.connection, handler: handler, on: loops)
    }

    /// Sends a message and waits for its echo.
    func exchange() async throws {
        let text = "message \(count.wrappingAdd(1, ordering: .relaxed).newValue) of a conversation"
        try connection.send(text: text)
        let answer = await handler.events.first { $0.text == text || $0.closure != nil }
        #expect(answer?.text == text)
    }

    /// Ends the conversation. Each message must have returned once.
    func end() async throws {
        connection.close(deadline: .seconds(50))
        let closure = try #require(await handler.closure())
        #expect(closure.initiator == .local && closure.closeCode == .normalClosure && closure.error == nil)
        let texts = handler.events.elements.compactMap(\.text)
        #expect(texts.count == count.load(ordering: .relaxed) && Set(texts).count == texts.count)
        await listener.stop()
    }
}
