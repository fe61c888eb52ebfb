// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import Synchronization
import TestSupport

/// One side of a connection, which records the calls of its transport and can send any text.
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
        let owner = if case .owned = message.content { "assembled " } else { "" }
        log.record(owner + kind + String(decoding: message.bytes, as: UTF8.self))
    }

    func outboxDrained() { log.record("drained") }

    func roundTripMeasured(_ duration: Duration) { log.record("round trip \(duration)") }

    func transportClosed(_ closure: TransportClosure) {
        state.withLock { $0.closure = closure }
        let error = closure.error.map { " \($0)" } ?? ""
        log.record(
            "closed \(closure.initiator) \(closure.code) \(closure.reason) from \(closure.unsentFrom.position)\(error)")
    }

    /// Sends a text.
    @discardableResult
    func post(_ text: String) -> OutboxTicket? { transport?.post(text) }

    /// Waits for the transport's end.
    func closed() async -> TransportClosure? {
        _ = await closedText()
        return closure
    }

    /// Waits for the transport's end, and returns it as the log shows it.
    func closedText() async -> String? { await log.first { $0.hasPrefix("closed ") } }
}

extension MessageTransport {
    /// Puts text into the outbox as a session does, but does not wake the transport.
    func enqueue(_ pieces: String...) -> EnqueueOutcome {
        let bytes = pieces.map { Array($0.utf8) }
        return withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: bytes.count) { buffer in
            func fill(_ index: Int) -> EnqueueOutcome {
                guard index < bytes.count else { return enqueue(UnsafeBufferPointer(buffer)) }
                return bytes[index].withUnsafeBytes {
                    buffer.initializeElement(at: index, to: $0)
                    return fill(index + 1)
                }
            }
            return fill(0)
        }
    }

    /// The same for a text that must be accepted, and wakes the transport.
    @discardableResult
    func post(_ text: String) -> OutboxTicket? {
        guard case .queued(let ticket, let mustWake) = enqueue(text) else { return nil }
        if mustWake { wake() }
        return ticket
    }
}
