// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import JSONRPCWebSocket

/// Shows each message on standard error: `-->` for what goes out, `<--` for what comes in, `*` for what happens to the
/// connection.
///
/// Messages are sent under the session's lock, where nothing may wait; so lines are handed to a queue, which keeps
/// their order, and written from there.
final class MessageTrace: Sendable {
    private let queue = DispatchQueue(label: "jsonrpc.trace")
    private let output: OutputStream

    init(output: OutputStream) { self.output = output }

    func sent(_ bytes: [UInt8]) { write("--> ", bytes) }

    func received(_ bytes: [UInt8], isBinary: Bool) { write(isBinary ? "<-- (binary) " : "<-- ", bytes) }

    func happened(_ text: String) { write("* ", Array(text.utf8)) }

    /// The connection is open; with what the handshake agreed on.
    func opened(subprotocol: String?, tlsVersion: String?) {
        happened(
            "connected" + (tlsVersion.map { ", \($0)" } ?? ", no TLS")
                + (subprotocol.map { ", subprotocol \($0)" } ?? ", no subprotocol"))
    }

    /// Returns when everything so far is written.
    func flush() { queue.sync {} }

    private func write(_ mark: String, _ bytes: [UInt8]) {
        queue.async { [output] in
            // Nobody reads standard error any more: no reason to stop.
            try? output.write(line: mark + TerminalText.line(bytes))
        }
    }
}

/// Makes the connections of another connector, and shows what goes over them.
struct TracingConnector: MessageConnector {
    var base: any MessageConnector
    var trace: MessageTrace

    func connect(receiver: any MessageReceiver) async throws {
        try await base.connect(receiver: TracingReceiver(base: receiver, trace: trace))
    }
}

private final class TracingReceiver: MessageReceiver {
    private let base: any MessageReceiver
    private let trace: MessageTrace

    init(base: any MessageReceiver, trace: MessageTrace) {
        self.base = base
        self.trace = trace
    }

    func transportOpened(_ transport: any MessageTransport) {
        base.transportOpened(TracingTransport(base: transport, trace: trace))
    }

    func readBegan() { base.readBegan() }

    func readEnded() { base.readEnded() }

    func messageReceived(_ message: InboundMessage) {
        switch message.content {
        case .borrowed(let buffer): trace.received(Array(buffer), isBinary: message.isBinary)
        case .owned(let bytes): trace.received(bytes, isBinary: message.isBinary)
        }
        base.messageReceived(message)
    }

    func outboxDrained() { base.outboxDrained() }

    func roundTripMeasured(_ duration: Duration) {
        trace.happened("pong after \(duration)")
        base.roundTripMeasured(duration)
    }

    func transportClosed(_ closure: TransportClosure) {
        let by =
            switch closure.initiator {
            case .local: "closed from here"
            case .remote: "closed by the peer"
            case .failure: "lost"
            }
        trace.happened("\(by), code \(closure.code)\(closure.reason.isEmpty ? "" : ", \(closure.reason)")")
        base.transportClosed(closure)
    }
}

private final class TracingTransport: MessageTransport {
    private let base: any MessageTransport
    private let trace: MessageTrace

    init(base: any MessageTransport, trace: MessageTrace) {
        self.base = base
        self.trace = trace
    }

    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        let outcome = base.enqueue(pieces)
        if case .queued = outcome { trace.sent(pieces.flatMap { Array($0) }) }
        return outcome
    }

    func wake() { base.wake() }

    func withdraw(_ ticket: OutboxTicket) -> Bool {
        let isWithdrawn = base.withdraw(ticket)
        if isWithdrawn { trace.happened("a message was taken back before it was sent") }
        return isWithdrawn
    }

    var queuedByteCount: Int { base.queuedByteCount }

    func setReading(_ isReading: Bool) { base.setReading(isReading) }

    func close(code: UInt16, reason: String, deadline: Duration) {
        base.close(code: code, reason: reason, deadline: deadline)
    }
}
