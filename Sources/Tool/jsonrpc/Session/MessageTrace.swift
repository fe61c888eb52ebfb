// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import JSONRPCWebSocket
import Synchronization
import TaskWaits
import ToolSupport

/// Shows each message on standard error: `-->` for sent messages, `<--` for received ones, `*` for events of the
/// connection.
///
/// Lines are handed to a queue, which keeps their order, and written from there: sending and receiving must not wait for
/// a slow terminal. If standard error is read too slowly, messages are left out, and a line tells their number.
final class MessageTrace: Sendable {
    /// The size of the messages that may wait to be written. A message that is larger waits alone.
    static let maximumWaitingBytes = 16 << 20
    /// The bytes that each message counts for in addition to its own.
    static let messageOverhead = 256

    private struct Backlog {
        var bytes = 0
        /// The number of messages that were left out since the last one that was not.
        var omitted = 0
    }

    private let queue = DispatchQueue(label: "jsonrpc.trace")
    private let output: OutputStream
    private let isOn: Atomic<Bool>
    private let limit: Int
    private let backlog = Mutex(Backlog())
    /// The results of the first handshake, also while no messages are shown. One task may wait for them.
    let handshake = CancellableWait<String>()

    init(output: OutputStream, isOn: Bool = true, limit: Int = maximumWaitingBytes) {
        self.output = output
        self.limit = limit
        self.isOn = Atomic(isOn)
    }

    func turn(on: Bool) { isOn.store(on, ordering: .relaxed) }

    func show(_ event: WireTraceEvent) {
        switch event.direction {
        case .sent: write("--> ", event.bytes)
        case .received: write(event.isBinary ? "<-- (binary) " : "<-- ", event.bytes)
        case .withdrawn: happened("request \(event.text) was taken back before it was sent")
        case .missed: happened("\(event.text) messages are not shown, because others waited to be shown")
        }
    }

    func sent(_ body: [UInt8]) { write("--> ", body) }

    func received(_ body: [UInt8]) { write("<-- ", body) }

    /// The connection is open. Shows the results of the handshake.
    func opened(subprotocol: String?, tlsVersion: String?) {
        let results = (tlsVersion ?? "no TLS") + (subprotocol.map { ", subprotocol \($0)" } ?? ", no subprotocol")
        handshake.resume(returning: results)
        happened("connected, \(results)")
    }

    /// Shows the PONGs of a client's connection, and its end. Ends when everything was shown.
    func follow(_ client: JSONRPCClient) -> BackgroundTask {
        let events = client.events
        return Task {
            for await event in events {
                switch event {
                case .roundTrip(let duration): happened("pong after \(duration)")
                case .closed(let closure): closed(closure)
                default: continue
                }
            }
            flush()
        }
    }

    private func closed(_ closure: DuplexSession.Closure) {
        let by =
            switch closure.initiator {
            case .local: "closed from here"
            case .remote: "closed by the peer"
            case .failure: "lost"
            }
        let reason = closure.shownReason
        happened("\(by), code \(closure.code)\(reason.isEmpty ? "" : ", \(reason)")")
    }

    func happened(_ text: String) { write("* ", Array(text.utf8)) }

    /// Returns when everything so far is written.
    func flush() {
        if isOn.load(ordering: .relaxed) { queue.sync {} }
    }

    private func write(_ mark: String, _ bytes: [UInt8]) {
        guard isOn.load(ordering: .relaxed) else { return }
        let size = bytes.count + Self.messageOverhead
        backlog.withLock { backlog in
            guard backlog.bytes == 0 || backlog.bytes + size <= limit else {
                backlog.omitted += 1
                return
            }
            backlog.bytes += size
            let omitted = backlog.omitted
            backlog.omitted = 0
            queue.async { [self] in
                printOmitted(omitted)
                printLine(mark + TerminalText.line(bytes))
                printOmitted(written(size))
            }
        }
    }

    /// Returns the number of messages that were left out if no message waits after them.
    private func written(_ size: Int) -> Int {
        backlog.withLock { backlog in
            backlog.bytes -= size
            guard backlog.bytes == 0 else { return 0 }
            defer { backlog.omitted = 0 }
            return backlog.omitted
        }
    }

    private func printOmitted(_ count: Int) {
        guard count > 0 else { return }
        printLine("* \(count) messages are not shown, because standard error is read too slowly")
    }

    private func printLine(_ line: String) {
        // Nobody reads standard error any more: no reason to stop.
        try? output.writeUntraced(Array((line + "\n").utf8))
    }
}
