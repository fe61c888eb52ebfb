// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TestSupport
import Testing
import WebSocket

/// A call of a handler.
enum HandlerEvent: Sendable {
    case opened
    case message([UInt8], isBinary: Bool, isBorrowed: Bool)
    case drained
    case roundTrip(Duration)
    case closed(TransportClosure)

    var isOpened: Bool { if case .opened = self { true } else { false } }
    var isDrained: Bool { if case .drained = self { true } else { false } }
    var isRoundTrip: Bool { if case .roundTrip = self { true } else { false } }
    var text: String? {
        if case .message(let bytes, false, _) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
    var binary: [UInt8]? { if case .message(let bytes, true, _) = self { bytes } else { nil } }
    var closure: TransportClosure? { if case .closed(let closure) = self { closure } else { nil } }
}

/// Records its calls, and may react to them.
final class RecordingHandler: MessageReceiver {
    let events = EventLog<HandlerEvent>()
    private let current = Mutex<WebSocketConnection?>(nil)
    private let onMessage: (@Sendable (WebSocketConnection, [UInt8], Bool) -> Void)?
    private let onOpen: (@Sendable (WebSocketConnection) -> Void)?
    private let onDrained: (@Sendable (WebSocketConnection) -> Void)?

    init(
        onOpen: (@Sendable (WebSocketConnection) -> Void)? = nil,
        onDrained: (@Sendable (WebSocketConnection) -> Void)? = nil,
        onMessage: (@Sendable (WebSocketConnection, [UInt8], Bool) -> Void)? = nil
    ) {
        self.onOpen = onOpen
        self.onDrained = onDrained
        self.onMessage = onMessage
    }

    /// Echoes every message unchanged.
    static func echo() -> RecordingHandler {
        RecordingHandler(onMessage: { connection, bytes, isBinary in
            if isBinary {
                try? connection.send(binary: bytes)
            } else {
                try? connection.send(text: String(decoding: bytes, as: UTF8.self))
            }
        })
    }

    var connection: WebSocketConnection? { current.withLock { $0 } }

    func transportOpened(_ transport: any MessageTransport) {
        guard let connection = transport as? WebSocketConnection else {
            Issue.record("The transport is no WebSocket connection: \(transport)")
            return
        }
        current.withLock { $0 = connection }
        events.record(.opened)
        onOpen?(connection)
    }

    func messageReceived(_ message: InboundMessage) {
        let bytes = message.bytes
        var isBorrowed = false
        if case .borrowed = message.content { isBorrowed = true }
        events.record(.message(bytes, isBinary: message.isBinary, isBorrowed: isBorrowed))
        if let onMessage, let connection { onMessage(connection, bytes, message.isBinary) }
    }

    func outboxDrained() {
        events.record(.drained)
        if let onDrained, let connection { onDrained(connection) }
    }

    func roundTripMeasured(_ duration: Duration) { events.record(.roundTrip(duration)) }

    func transportClosed(_ closure: TransportClosure) {
        current.withLock { $0 = nil }
        events.record(.closed(closure))
    }

    /// Waits for the end.
    func closure() async -> TransportClosure? {
        await events.first { $0.closure != nil }?.closure
    }
}

extension TransportClosure {
    var closeCode: WebSocketCloseCode { WebSocketCloseCode(rawValue: code) }
    var webSocketError: WebSocketError? { error as? WebSocketError }
}
