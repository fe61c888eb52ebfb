// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Logging
import Synchronization
import WireJSON

/// Collects trace events under the session's lock, and delivers them to the program without the lock.
///
/// Events are collected in the order of the wire. A message is put into the outbox while the tracer's lock is held, so
/// the event of a request precedes the event of its response. The events are delivered by one thread at a time, in the
/// order in which they were collected, while no lock is held. A program that is slower than the messages gets an event
/// with the number of those that it missed.
final class WireTracer: Sendable {
    private struct Entry {
        /// Its bytes are empty if they are in ``shared``.
        var event: WireTraceEvent
        /// A long message, which is not copied under the session's lock.
        var shared: [ArraySlice<UInt8>] = []

        /// The bytes that it holds, with those of itself.
        var heldBytes: Int { event.bytes.count + shared.reduce(0) { $0 + $1.count } + MemoryLayout<Self>.size }
    }

    private struct State {
        var entries: [Entry] = []
        /// The bytes that the entries hold.
        var bytes = 0
        /// The number of events that found no room after the entries.
        var missed = 0
        var isDelivering = false

        mutating func append(_ entry: Entry) {
            let size = entry.heldBytes
            // A long event is kept if it is the only one.
            guard missed == 0, bytes == 0 || bytes + size <= WireTracer.maximumWaitingBytes else {
                missed += 1
                return
            }
            entries.append(entry)
            bytes += size
        }

        /// Removes and returns the entries, and an event for those that were missed.
        mutating func takeEntries(at time: Duration) -> [Entry] {
            if missed > 0 {
                let bytes = Array("\(missed)".utf8)
                entries.append(Entry(event: WireTraceEvent(direction: .missed, bytes: bytes, time: time)))
            }
            defer { (entries, bytes, missed) = ([], 0, 0) }
            return entries
        }
    }

    /// The most bytes of events that wait for delivery.
    static let maximumWaitingBytes = 16 << 20

    private let trace: (@Sendable (WireTraceEvent) -> Void)?
    /// `nil` if messages are not logged.
    private let logger: Logger?
    private let redaction: (@Sendable (WireTraceEvent) -> String?)?
    /// It is not the configuration's clock, which may be a program's own, because it is read under the session's lock.
    private let clock = ContinuousSessionClock(ContinuousClock())
    /// Held while a message is put into the outbox, which never blocks.
    private let state = Mutex(State())

    /// Returns `nil` if there is neither a trace closure nor a logger at `trace` level.
    init?(_ configuration: SessionConfiguration) {
        logger = configuration.diagnostics.logger.logLevel <= .trace ? configuration.diagnostics.logger : nil
        guard configuration.diagnostics.trace != nil || logger != nil else { return nil }
        trace = configuration.diagnostics.trace
        redaction = configuration.diagnostics.logRedaction
    }

    // MARK: Collecting

    /// Puts a message into an outbox, and collects it unless the outbox refuses it. It is called under the session's
    /// lock.
    func send(
        _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>, to transport: any MessageTransport
    ) -> EnqueueOutcome {
        let event = WireTraceEvent(direction: .sent, bytes: [UInt8](concatenating: pieces), time: time)
        return collect(Entry(event: event)) { transport.enqueue(pieces) }
    }

    /// Puts a long message into an outbox, and collects it unless it was refused. Called under the session's lock.
    func send(sharing pieces: [ArraySlice<UInt8>], to transport: any MessageTransport) -> EnqueueOutcome {
        let event = WireTraceEvent(direction: .sent, bytes: [], time: time)
        return collect(Entry(event: event, shared: pieces)) { transport.enqueue(sharing: pieces) }
    }

    private func collect(_ entry: Entry, of enqueue: () -> EnqueueOutcome) -> EnqueueOutcome {
        state.withLock { state in
            let outcome = enqueue()
            if case .queued = outcome { state.append(entry) }
            return outcome
        }
    }

    func received(_ message: InboundMessage) {
        collect(WireTraceEvent(direction: .received, bytes: message.bytes, isBinary: message.isBinary, time: time))
    }

    /// Collects the event of a request that was removed from the outbox. It is called under the session's lock.
    func withdrawn(_ id: RequestID) {
        var bytes: [UInt8] = []
        id.write(into: &bytes)
        collect(WireTraceEvent(direction: .withdrawn, bytes: bytes, time: time))
    }

    private var time: Duration { clock.now.duration(since: .zero) }

    private func collect(_ event: WireTraceEvent) { state.withLock { $0.append(Entry(event: event)) } }

    // MARK: Delivering

    /// Delivers the collected events. It is called without a lock. If another thread is delivering, that thread
    /// delivers these events, too.
    func deliver() {
        var isFirst = true
        while true {
            let entries = state.withLock { state -> [Entry] in
                if isFirst, state.isDelivering { return [] }
                isFirst = false
                state.isDelivering = !state.entries.isEmpty
                return state.isDelivering ? state.takeEntries(at: time) : []
            }
            guard !entries.isEmpty else { return }
            for entry in entries {
                var event = entry.event
                if !entry.shared.isEmpty { event.bytes = [UInt8](concatenating: entry.shared) }
                deliver(event)
            }
        }
    }

    private func deliver(_ event: WireTraceEvent) {
        trace?(event)
        guard let logger else { return }
        guard let redaction else { return log(event, event.text.escapingControls, logger) }
        if let text = redaction(event) { log(event, text, logger) }
    }

    private func log(_ event: WireTraceEvent, _ text: String, _ logger: Logger) {
        logger.trace(
            "\(text)",
            metadata: ["jsonrpc.direction": "\(event.direction)", "jsonrpc.bytes": "\(event.bytes.count)"])
    }
}

/// A message on the wire, for ``SessionConfiguration/Diagnostics/trace``.
public struct WireTraceEvent: Sendable, Hashable {
    /// The direction of a message.
    public enum Direction: Sendable, Hashable {
        /// The session put the message into the transport's outbox.
        case sent
        /// The session received the message from the peer.
        case received
        /// The session removed the message from the outbox before it was sent, because its call was cancelled or timed
        /// out. ``WireTraceEvent/bytes`` holds the id of the request as JSON. There is an event for each member of a
        /// batch.
        case withdrawn
        /// Messages are missing at this place, because more than 16 MiB of them waited for a slow trace closure or
        /// logger. ``WireTraceEvent/bytes`` holds their number as text.
        case missed
    }

    /// The direction of the message.
    public var direction: Direction
    /// The whole message, or the id of a withdrawn request.
    public var bytes: [UInt8]
    /// Whether the message is a binary message from the peer.
    public var isBinary: Bool
    /// The time since the session was made, measured by the continuous clock.
    public var time: Duration

    public init(direction: Direction, bytes: [UInt8], isBinary: Bool = false, time: Duration) {
        self.direction = direction
        self.bytes = bytes
        self.isBinary = isBinary
        self.time = time
    }

    /// The bytes as text; invalid UTF-8 is replaced.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension WireTraceEvent: CustomStringConvertible {
    /// The time, the direction and the message on one line, such as `0.125 s --> {"jsonrpc":"2.0",…}`. Control
    /// characters are escaped.
    public var description: String {
        let milliseconds = SessionTime.nanoseconds(in: time) / 1_000_000
        let fraction = String(milliseconds % 1000 + 1000).dropFirst()
        let mark =
            switch direction {
            case .sent: "-->"
            case .received: isBinary ? "<-- (binary)" : "<--"
            case .withdrawn: "--> withdrawn:"
            case .missed: "missed:"
            }
        return "\(milliseconds / 1000).\(fraction) s \(mark) \(text.escapingControls)"
    }
}
