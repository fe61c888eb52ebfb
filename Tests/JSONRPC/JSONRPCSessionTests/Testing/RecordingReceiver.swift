// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import TestSupport

/// Notes what a transport tells, in words.
final class RecordingReceiver: MessageReceiver {
    let log = EventLog<String>()

    func transportOpened(_ transport: any MessageTransport) { log.record("opened") }

    func messageReceived(_ message: InboundMessage) {
        let (kind, bytes) =
            switch message.content {
            case .borrowed(let bytes): ("lent", Array(bytes))
            case .owned(let bytes): ("given", bytes)
            }
        log.record("\(kind)\(message.isBinary ? " binary" : ""): \(String(decoding: bytes, as: UTF8.self))")
    }

    func outboxDrained() { log.record("drained") }

    func roundTripMeasured(_ duration: Duration) { log.record("round trip \(duration)") }

    func transportClosed(_ closure: TransportClosure) {
        let error = closure.error.map { " \($0)" } ?? ""
        log.record(
            "closed \(closure.initiator) \(closure.code) \(closure.reason) from \(closure.unsentFrom.position)\(error)")
    }

    /// Waits for the transport's end.
    func closed() async -> String? {
        await log.first { $0.hasPrefix("closed") }
    }
}

extension MessageTransport {
    /// Puts text into the outbox as a session does, but wakes nobody.
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

    /// The same, for a text that must be accepted; wakes.
    @discardableResult
    func post(_ text: String) -> OutboxTicket? {
        guard case .queued(let ticket, let mustWake) = enqueue(text) else { return nil }
        if mustWake { wake() }
        return ticket
    }
}
