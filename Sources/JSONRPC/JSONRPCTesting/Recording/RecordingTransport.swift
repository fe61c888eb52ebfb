// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import Synchronization
import WireJSON

/// One connection between a transport and a receiver, which is recorded.
final class RecordingTransport: MessageTransport, MessageReceiver {
    private struct State {
        var base: (any MessageTransport)?
        var connection = 0
        /// The messages that may still be in the outbox.
        var queued: [(ticket: OutboxTicket, bytes: [UInt8])] = []
    }

    private let recorder: SessionRecorder
    private let receiver: any MessageReceiver
    private let state = Mutex(State())

    init(recorder: SessionRecorder, receiver: any MessageReceiver) {
        self.recorder = recorder
        self.receiver = receiver
    }

    // MARK: MessageTransport

    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { bytes.append(contentsOf: piece) }
        return enqueue(bytes)
    }

    func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome { enqueue([UInt8](concatenating: pieces)) }

    private func enqueue(_ bytes: [UInt8]) -> EnqueueOutcome {
        state.withLock { state in
            guard let base = state.base else { return .refused }
            if !state.queued.isEmpty, base.queuedByteCount == 0 { state.queued = [] }
            let outcome = recorder.record(.init(bytes: bytes), connection: state.connection) {
                base.enqueue(sharing: [bytes[...]])
            }
            if case .queued(let ticket, _) = outcome { state.queued.append((ticket, bytes)) }
            return outcome
        }
    }

    func wake() { base?.wake() }

    func withdraw(_ ticket: OutboxTicket) -> Bool {
        state.withLock { state in
            guard let base = state.base, base.withdraw(ticket) else { return false }
            guard let index = state.queued.firstIndex(where: { $0.ticket == ticket }) else { return true }
            for id in Self.requestIDs(in: state.queued.remove(at: index).bytes) {
                recorder.record(.withdrawn(id), connection: state.connection)
            }
            return true
        }
    }

    private static func requestIDs(in message: [UInt8]) -> [RawJSON] {
        guard let json = try? RawJSON(validating: message) else { return [] }
        let requests = (try? json.elements()) ?? [json]
        return requests.compactMap { request in (try? request.members())?.last { $0.name == "id" }?.value }
    }

    var queuedByteCount: Int { base?.queuedByteCount ?? 0 }

    func setReading(_ isReading: Bool) { base?.setReading(isReading) }

    func afterReading(_ action: @escaping @Sendable () -> Void) {
        guard let base else { return action() }
        base.afterReading(action)
    }

    func close(code: UInt16, reason: String, deadline: Duration) {
        base?.close(code: code, reason: reason, deadline: deadline)
    }

    private var base: (any MessageTransport)? { state.withLock { $0.base } }
    private var connection: Int { state.withLock { $0.connection } }

    // MARK: MessageReceiver

    func transportOpened(_ transport: any MessageTransport) {
        let connection = recorder.opened()
        state.withLock { ($0.base, $0.connection) = (transport, connection) }
        receiver.transportOpened(self)
    }

    func readBegan() { receiver.readBegan() }

    func readEnded() { receiver.readEnded() }

    func messageReceived(_ message: InboundMessage) {
        let bytes =
            switch message.content {
            case .borrowed(let bytes): Array(bytes)
            case .owned(let bytes): bytes
            }
        recorder.record(.received(.init(bytes: bytes, isBinary: message.isBinary)), connection: connection)
        receiver.messageReceived(message)
    }

    func outboxDrained() { receiver.outboxDrained() }

    func roundTripMeasured(_ duration: Duration) { receiver.roundTripMeasured(duration) }

    func transportClosed(_ closure: TransportClosure) {
        recorder.record(
            .closed(code: closure.code, reason: closure.reason, by: closure.initiator), connection: connection)
        state.withLock { ($0.base, $0.queued) = (nil, []) }
        receiver.transportClosed(closure)
    }
}
