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
/// Where the connector cannot be wrapped, record the trace of a session: `configuration.trace = recorder.record`. Such a
/// recording has no events of connections.
///
/// Events are recorded in the order of the wire. The recorder keeps at most a number of bytes; later events are counted
/// in ``droppedEventCount``. To record for longer, take the events away with ``takeEvents()``.
public final class SessionRecorder: Sendable {
    struct State {
        var events: [SessionRecording.Event] = []
        var byteCount = 0
        var droppedCount = 0
        var connections = 0
        var lastTime = Duration.zero
    }

    /// The maximum number of bytes of the messages that are kept.
    public let maximumBytes: Int
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    /// Makes a recorder.
    ///
    /// - Parameters:
    ///   - clock: The clock of the times of events. The default is the continuous clock. It is read while the session's
    ///     lock is held, so it must return at once and must not use the session.
    ///   - maximumBytes: The maximum number of bytes of the messages that are kept. The default is 256 MiB.
    public init(clock: any Clock<Duration> = ContinuousClock(), maximumBytes: Int = 256 * 1024 * 1024) {
        self.maximumBytes = maximumBytes
        elapsed = Self.stopwatch(clock)
    }

    private static func stopwatch<Base: Clock<Duration>>(_ clock: Base) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

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

    /// Returns a connector whose connections are recorded.
    ///
    /// - Parameter base: The connector that makes the connections.
    public func connector(over base: any MessageConnector) -> RecordingConnector {
        RecordingConnector(recorder: self, base: base)
    }

    /// Returns a receiver for one connection, which records it and passes everything to another receiver.
    ///
    /// Use it on the side of a server, or where a transport is opened without a connector.
    public func receiver(for receiver: any MessageReceiver) -> any MessageReceiver {
        RecordingTransport(recorder: self, receiver: receiver)
    }

    /// Records an event of a session's trace. The time is the recorder's.
    public func record(_ event: WireTraceEvent) {
        switch event.direction {
        case .sent: record(.sent(.init(bytes: event.bytes)), connection: 1)
        case .received: record(.received(.init(bytes: event.bytes, isBinary: event.isBinary)), connection: 1)
        case .withdrawn:
            if let id = try? RawJSON(validating: event.bytes) { record(.withdrawn(id), connection: 1) }
        }
    }

    func opened() -> Int {
        let connection = state.withLock { state in
            state.connections += 1
            return state.connections
        }
        record(.opened, connection: connection)
        return connection
    }

    func record(_ kind: SessionRecording.Event.Kind, connection: Int) {
        let time = elapsed()
        state.withLock { $0.append(kind, connection, time, maximumBytes: maximumBytes) }
    }

    /// Records a message that `enqueue` puts into an outbox, unless the outbox refuses it. The lock keeps the order.
    func record(
        _ message: SessionRecording.Message, connection: Int, enqueue: () -> EnqueueOutcome
    ) -> EnqueueOutcome {
        let time = elapsed()
        return state.withLock { state in
            let outcome = enqueue()
            if case .queued = outcome { state.append(.sent(message), connection, time, maximumBytes: maximumBytes) }
            return outcome
        }
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

/// A connector whose connections a ``SessionRecorder`` records.
public struct RecordingConnector: MessageConnector {
    /// The recorder.
    public let recorder: SessionRecorder
    /// The connector that makes the connections.
    public let base: any MessageConnector

    /// Makes a connection. A client calls this method.
    ///
    /// - Throws: The error of the base connector.
    public func connect(receiver: any MessageReceiver) async throws {
        try await base.connect(receiver: recorder.receiver(for: receiver))
    }
}
