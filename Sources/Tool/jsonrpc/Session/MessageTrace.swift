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
/// a slow terminal.
final class MessageTrace: Sendable {
    private let queue = DispatchQueue(label: "jsonrpc.trace")
    private let output: OutputStream
    private let isOn: Atomic<Bool>
    /// The results of the first handshake, also while no messages are shown. One task may wait for them.
    let handshake = CancellableWait<String>()

    init(output: OutputStream, isOn: Bool = true) {
        self.output = output
        self.isOn = Atomic(isOn)
    }

    /// Shows messages, or shows none, from now on.
    func turn(on: Bool) { isOn.store(on, ordering: .relaxed) }

    func show(_ event: WireTraceEvent) {
        switch event.direction {
        case .sent: write("--> ", event.bytes)
        case .received: write(event.isBinary ? "<-- (binary) " : "<-- ", event.bytes)
        case .withdrawn: happened("request \(event.text) was taken back before it was sent")
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
        happened("\(by), code \(closure.code)\(closure.reason.isEmpty ? "" : ", \(closure.reason)")")
    }

    func happened(_ text: String) { write("* ", Array(text.utf8)) }

    /// Returns when everything so far is written.
    func flush() {
        if isOn.load(ordering: .relaxed) { queue.sync {} }
    }

    private func write(_ mark: String, _ bytes: [UInt8]) {
        guard isOn.load(ordering: .relaxed) else { return }
        queue.async { [output] in
            // Nobody reads standard error any more: no reason to stop.
            try? output.writeUntraced(Array((mark + TerminalText.line(bytes) + "\n").utf8))
        }
    }
}
