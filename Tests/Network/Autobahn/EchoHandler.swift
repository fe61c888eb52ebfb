// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import WebSocket

/// Echoes each message unchanged.
final class EchoHandler: MessageReceiver {
    private let connection = Mutex<WebSocketConnection?>(nil)
    private let ending = Ending()

    /// Waits until the connection has ended.
    func end() async { await ending.wait() }

    func transportOpened(_ transport: any MessageTransport) {
        connection.withLock { $0 = transport as? WebSocketConnection }
    }

    func messageReceived(_ message: InboundMessage) {
        guard let connection = connection.withLock({ $0 }) else { return }
        // A message that arrives while the connection closes gets no echo.
        if message.isBinary {
            try? connection.send(binary: message.bytes)
        } else {
            try? connection.send(text: String(decoding: message.bytes, as: UTF8.self))
        }
    }

    func outboxDrained() {}

    func roundTripMeasured(_ duration: Duration) {}

    func transportClosed(_ closure: TransportClosure) {
        connection.withLock { $0 = nil }
        ending.reached()
    }
}

/// Keeps the messages as text.
final class RecordingHandler: MessageReceiver {
    private let received = Mutex<[String]>([])
    private let ending = Ending()

    var messages: [String] { received.withLock { $0 } }

    /// Waits until the connection has ended.
    func end() async { await ending.wait() }

    func transportOpened(_ transport: any MessageTransport) {}

    func messageReceived(_ message: InboundMessage) {
        received.withLock { $0.append(String(decoding: message.bytes, as: UTF8.self)) }
    }

    func outboxDrained() {}

    func roundTripMeasured(_ duration: Duration) {}

    func transportClosed(_ closure: TransportClosure) { ending.reached() }
}

/// The end of a connection, for which one task waits.
private struct Ending: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func wait() async {
        for await _ in stream {}
    }

    func reached() { continuation.finish() }
}
