// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import Synchronization
import TestSupport

/// One side of a connection, which notes what its transport tells and can send any text.
final class RecordingSide: MessageReceiver {
    let log = EventLog<String>()
    private let state = Mutex<(transport: (any MessageTransport)?, closure: TransportClosure?)>((nil, nil))

    var transport: (any MessageTransport)? { state.withLock { $0.transport } }
    var closure: TransportClosure? { state.withLock { $0.closure } }

    /// The messages so far.
    var messages: [String] { log.elements.filter { $0 != "opened" && $0 != "drained" && !$0.hasPrefix("closed ") } }

    func transportOpened(_ transport: any MessageTransport) {
        state.withLock { $0.transport = transport }
        log.record("opened")
    }

    func messageReceived(_ message: InboundMessage) {
        let kind = message.isBinary ? "binary " : ""
        switch message.content {
        case .borrowed(let bytes): log.record(kind + String(decoding: bytes, as: UTF8.self))
        case .owned(let bytes): log.record("assembled " + kind + String(decoding: bytes, as: UTF8.self))
        }
    }

    func outboxDrained() { log.record("drained") }

    func roundTripMeasured(_ duration: Duration) { log.record("round trip \(duration)") }

    func transportClosed(_ closure: TransportClosure) {
        state.withLock { $0.closure = closure }
        log.record("closed \(closure.initiator) \(closure.code) \(closure.reason)")
    }

    /// Sends a text.
    @discardableResult
    func post(_ text: String) -> OutboxTicket? {
        guard let transport,
            case .queued(let ticket, let mustWake) = transport.enqueue(sharing: [Array(text.utf8)[...]])
        else { return nil }
        if mustWake { transport.wake() }
        return ticket
    }

    /// Waits for the transport's end.
    func closed() async -> TransportClosure? {
        _ = await log.first { $0.hasPrefix("closed ") }
        return closure
    }
}
