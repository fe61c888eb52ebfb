// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
import Synchronization
import WireJSON

/// A recorder of the messages of connections.
///
/// ```swift
/// let recorder = SessionRecorder()
/// let client = JSONRPCClient(connector: recorder.connector(over: connector))
/// …
/// try recorder.recording.write(toFile: path)
/// ```
///
/// Where the connector cannot be wrapped, record the trace of a session:
/// `configuration.diagnostics.trace = recorder.record`. Such a recording has no events of connections.
///
/// Events are recorded in the order of the wire. The recorder keeps at most ``maximumBytes``; later events are counted
/// in ``droppedEventCount``. To record for longer, take the events away with ``takeEvents()``.
public final class SessionRecorder: Sendable {
    struct State {
        var events: [SessionRecording.Event] = []
        var byteCount = 0
        var droppedCount = 0
        var connections = 0
        var lastTime = Duration.zero
        /// The messages of each connection that may still be in its outbox.
        var queued: [Int: [(ticket: OutboxTicket, bytes: [UInt8])]] = [:]
    }

    /// The maximum number of bytes of the messages that are kept. The default is 256 MiB.
    public let maximumBytes: Int
    private let clock: any SessionClock
    private let state = Mutex(State())

    /// Makes a recorder.
    ///
    /// - Parameters:
    ///   - clock: The clock of the times of events. It is read while the session's lock is held, so it must return at
    ///     once and must not use the session. The default is the continuous clock.
    ///   - maximumBytes: The maximum number of bytes of the messages that are kept. The default is 256 MiB.
    public init(clock: any Clock<Duration> = ContinuousClock(), maximumBytes: Int = 256 * 1024 * 1024) {
        self.maximumBytes = maximumBytes
        self.clock = anchored(clock)
    }

    private var elapsed: Duration { clock.now.duration(since: .zero) }

    /// The events so far, except those that were taken away.
    public var recording: SessionRecording { SessionRecording(events: state.withLock { $0.events }) }

    /// The number of events that were not recorded because the recorder was full.
    public var droppedEventCount: Int { state.withLock { $0.droppedCount } }

    /// Removes and returns the events so far.
    public func takeEvents() -> [SessionRecording.Event] {
        state.withLock { state in
            defer { (state.events, state.byteCount) = ([], 0) }
            return state.events
        }
    }

    // MARK: Recording

    /// Returns a connector that wraps another connector and records its connections.
    public func connector(over base: any MessageConnector) -> some MessageConnector {
        WrappingConnector(base: base, wrap: receiver)
    }

    /// Returns a receiver for one connection, which records it and passes everything to another receiver.
    ///
    /// Use it on the side of a server, or where a transport is opened without a connector.
    public func receiver(for receiver: any MessageReceiver) -> any MessageReceiver {
        RecordingReceiver(recorder: self, receiver: receiver)
    }

    /// Records an event of a session's trace. The time is the recorder's. Messages that the trace has missed are not in the
    /// recording.
    public func record(_ event: WireTraceEvent) {
        switch event.direction {
        case .sent: record(.sent(.init(bytes: event.bytes)), connection: 1)
        case .received: record(.received(.init(bytes: event.bytes, isBinary: event.isBinary)), connection: 1)
        case .withdrawn:
            if let id = try? RawJSON(validating: event.bytes) { record(.withdrawn(id), connection: 1) }
        case .missed: break
        }
    }

    fileprivate func opened() -> Int {
        let connection = state.withLock { state in
            state.connections += 1
            return state.connections
        }
        record(.opened, connection: connection)
        return connection
    }

    fileprivate func closed(_ connection: Int, by closure: TransportClosure) {
        record(.closed(code: closure.code, reason: closure.reason, by: closure.initiator), connection: connection)
        state.withLock { $0.queued[connection] = nil }
    }

    fileprivate func record(_ kind: SessionRecording.Event.Kind, connection: Int) {
        let time = elapsed
        state.withLock { $0.append(kind, connection, time, maximumBytes: maximumBytes) }
    }

    /// Puts a message into an outbox, and records it unless the outbox refuses it. The lock keeps the order.
    fileprivate func enqueue(_ bytes: [UInt8], connection: Int, to base: any MessageTransport) -> EnqueueOutcome {
        let time = elapsed
        return state.withLock { state in
            if base.queuedByteCount == 0 { state.queued[connection] = nil }
            let outcome = base.enqueue(sharing: [bytes[...]])
            if case .queued(let ticket, _) = outcome {
                state.append(.sent(.init(bytes: bytes)), connection, time, maximumBytes: maximumBytes)
                state.queued[connection, default: []].append((ticket, bytes))
            }
            return outcome
        }
    }

    fileprivate func withdraw(_ ticket: OutboxTicket, connection: Int, from base: any MessageTransport) -> Bool {
        let time = elapsed
        return state.withLock { state in
            guard base.withdraw(ticket) else { return false }
            let index = state.queued[connection]?.firstIndex { $0.ticket == ticket }
            guard let index, let message = state.queued[connection]?.remove(at: index) else { return true }
            for id in Self.requestIDs(in: message.bytes) {
                state.append(.withdrawn(id), connection, time, maximumBytes: maximumBytes)
            }
            return true
        }
    }

    private static func requestIDs(in message: [UInt8]) -> [RawJSON] {
        guard let json = try? RawJSON(validating: message) else { return [] }
        return ((try? json.elements()) ?? [json]).compactMap { $0.member("id") }
    }
}

extension SessionRecorder.State {
    fileprivate mutating func append(
        _ kind: SessionRecording.Event.Kind, _ connection: Int, _ time: Duration, maximumBytes: Int
    ) {
        // The clock is read before the lock is taken, so times can be a little out of order.
        lastTime = max(lastTime, time)
        let size =
            switch kind {
            case .sent(let message), .received(let message): message.bytes.count
            case .opened, .withdrawn, .closed: 0
            }
        // An event without a message counts as much as a short message.
        guard byteCount + size + 64 <= maximumBytes else {
            droppedCount += 1
            return
        }
        byteCount += size + 64
        events.append(SessionRecording.Event(kind, time: lastTime, connection: connection))
    }
}

private final class RecordingReceiver: MessageReceiver {
    private let recorder: SessionRecorder
    private let receiver: any MessageReceiver
    private let number = Atomic(0)

    init(recorder: SessionRecorder, receiver: any MessageReceiver) {
        self.recorder = recorder
        self.receiver = receiver
    }

    func transportOpened(_ transport: any MessageTransport) {
        let connection = recorder.opened()
        number.store(connection, ordering: .releasing)
        receiver.transportOpened(RecordingTransport(recorder: recorder, base: transport, connection: connection))
    }

    func readBegan() { receiver.readBegan() }

    func readEnded() { receiver.readEnded() }

    func messageReceived(_ message: InboundMessage) {
        recorder.record(
            .received(.init(bytes: message.bytes, isBinary: message.isBinary)),
            connection: number.load(ordering: .acquiring))
        receiver.messageReceived(message)
    }

    func outboxDrained() { receiver.outboxDrained() }

    func roundTripMeasured(_ duration: Duration) { receiver.roundTripMeasured(duration) }

    func transportClosed(_ closure: TransportClosure) {
        recorder.closed(number.load(ordering: .acquiring), by: closure)
        receiver.transportClosed(closure)
    }
}

private final class RecordingTransport: MessageTransport {
    private let recorder: SessionRecorder
    private let base: any MessageTransport
    private let connection: Int

    init(recorder: SessionRecorder, base: any MessageTransport, connection: Int) {
        self.recorder = recorder
        self.base = base
        self.connection = connection
    }

    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        recorder.enqueue([UInt8](concatenating: pieces), connection: connection, to: base)
    }

    func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome {
        recorder.enqueue([UInt8](concatenating: pieces), connection: connection, to: base)
    }

    func wake() { base.wake() }

    func withdraw(_ ticket: OutboxTicket) -> Bool { recorder.withdraw(ticket, connection: connection, from: base) }

    var queuedByteCount: Int { base.queuedByteCount }

    func setReading(_ isReading: Bool) { base.setReading(isReading) }

    func afterReading(_ action: @escaping @Sendable () -> Void) { base.afterReading(action) }

    func close(code: UInt16, reason: String, deadline: Duration) {
        base.close(code: code, reason: reason, deadline: deadline)
    }
}
