// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import Synchronization
import ToolSupport
import WebSocket

/// Passes the messages of one client to the server and back, unchanged and in order, and records them.
///
/// The end of one connection ends the other one in the same way.
final class Relay: Sendable {
    enum Side: Sendable { case client, server }

    private struct State {
        var client: WebSocketConnection?
        var server: WebSocketConnection?
        /// The messages of the client that arrived before the server was connected.
        var early: [SessionRecording.Message] = []
        var earlyByteCount = 0
        /// The number of the connection in the recording.
        var number = 0
        var hasEnded = false
        var dialing: Task<Void, Never>?
    }

    /// The number of queued bytes of one connection at which the other one is not read any more.
    static let highWaterBytes = 4 << 20
    /// The number of bytes, in addition to one message of the largest size, that may wait for a side that does not read.
    /// Holds of the other side end after some seconds, so without a limit they would only slow down the growth.
    static let maximumWaitingBytes = 4 * highWaterBytes
    /// The bytes that a message which waits for the server's connection counts for in addition to its own.
    static let messageOverhead = 64

    /// The time for the queued messages of one connection, and its closing handshake, when the other one has ended.
    private static let closeTimeout = Duration.seconds(5)

    private let file: RecordingFile
    private let context: CallFailure.Context
    private let say: @Sendable (String) -> Void
    private let connect: @Sendable (any MessageReceiver) async throws -> Void
    private let ended: @Sendable (Relay) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - context: The context of the failures of both connections.
    ///   - ended: A closure that is called once when a connection has ended.
    init(
        recordingTo file: RecordingFile, context: CallFailure.Context = CallFailure.Context(),
        say: @escaping @Sendable (String) -> Void = { OutputStream.diagnostics.say("jsonrpc: \($0)") },
        connect: @escaping @Sendable (any MessageReceiver) async throws -> Void,
        ended: @escaping @Sendable (Relay) -> Void
    ) {
        self.file = file
        self.context = context
        self.say = say
        self.connect = connect
        self.ended = ended
    }

    var client: any MessageReceiver { RelayHandler(relay: self, side: .client) }

    /// Closes both connections, as if the client had closed its own.
    func close() {
        finish(.closed(code: 1001, reason: "", by: .local)) { connection in
            connection.close(code: .goingAway, deadline: .seconds(2))
        }
    }

    // MARK: From the connections

    fileprivate func opened(_ connection: WebSocketConnection, _ side: Side) {
        switch side {
        case .client:
            // Messages that arrived with the handshake may still be delivered. They are kept until
            // the server is connected.
            connection.setReading(false)
            state.withLock { state in
                state.client = connection
                state.dialing = Task { await dial() }
            }
        case .server: serverOpened(connection)
        }
    }

    private func dial() async {
        do {
            try await connect(RelayHandler(relay: self, side: .server))
        } catch {
            let isFirst = finish(nil) {
                $0.close(code: .internalError, reason: "The server could not be reached.", deadline: .seconds(2))
            }
            guard isFirst else { return }
            say(CallFailure(ClientError(.connectFailed, "Could not connect.", cause: error), context).message)
        }
    }

    private func serverOpened(_ connection: WebSocketConnection) {
        let (early, client, hasEnded) = state.withLock { state in
            state.server = connection
            if !state.hasEnded { state.number = file.opened() }
            defer { state.early = [] }
            return (state.early, state.client, state.hasEnded)
        }
        guard !hasEnded else { return connection.close(deadline: .zero) }
        for message in early { received(message, .client) }
        client?.setReading(true)
    }

    fileprivate func received(_ message: SessionRecording.Message, _ side: Side) {
        let (target, source, number) = state.withLock { state -> (WebSocketConnection?, WebSocketConnection?, Int) in
            guard !state.hasEnded else { return (nil, nil, 0) }
            if side == .server { return (state.client, state.server, state.number) }
            if state.server == nil {
                state.early.append(message)
                state.earlyByteCount += message.bytes.count + Self.messageOverhead
            }
            return (state.server, state.client, state.number)
        }
        guard let target else { return checkEarly() }
        file.write(side == .client ? .sent(message) : .received(message), ofConnection: number)
        let outcome =
            message.isBinary
            ? target.enqueue(binary: message.bytes) : target.enqueue(sharing: [message.bytes[...]])
        if case .queued(_, mustWake: true) = outcome { target.wake() }
        let waiting = target.queuedByteCount
        if waiting > Self.highWaterBytes { source?.setReading(false) }
        if waiting - (context.maximumMessageBytes ?? 0) > Self.maximumWaitingBytes {
            endUnread(target, side == .client ? .server : .client, waiting)
        }
    }

    /// Ends a side that does not read. For the other one, the connection is lost.
    private func endUnread(_ target: WebSocketConnection, _ side: Side, _ waiting: Int) {
        let isFirst = finish(.closed(code: 1006, reason: "", by: .failure)) { connection in
            if connection === target {
                connection.close(code: .policyViolation, reason: "Messages are not read.", deadline: .zero)
            } else {
                connection.end(code: 1006, reason: "", deadline: Self.closeTimeout)
            }
        }
        if isFirst { report("It was closed, because the \(side) does not read: \(waiting) bytes wait.", side) }
    }

    private func report(_ text: String, _ side: Side) {
        let number = state.withLock { $0.number }
        say("\(number > 0 ? "Connection \(number)" : "A connection") with the \(side): \(text)")
    }

    /// Ends a client that sends too much before the server is connected.
    private func checkEarly() {
        guard state.withLock({ $0.server == nil && !$0.hasEnded && $0.earlyByteCount > Self.highWaterBytes }) else {
            return
        }
        finish(nil) {
            $0.close(code: .tryAgainLater, reason: "The server is not connected yet.", deadline: .seconds(2))
        }
    }

    fileprivate func drained(_ side: Side) {
        let other = state.withLock { side == .client ? $0.server : $0.client }
        other?.setReading(true)
    }

    fileprivate func closed(_ closure: TransportClosure, _ side: Side) {
        let isLost = closure.initiator == .failure
        let by = isLost ? closure.initiator : side == .client ? .local : .remote
        // A close code would look like an orderly end. A client would then not reconnect, for example.
        let (code, reason) = isLost ? (1006, "") : (closure.code, closure.reason)
        let isFirst = finish(.closed(code: closure.code, reason: closure.reason, by: by)) {
            $0.end(code: code, reason: reason, deadline: Self.closeTimeout)
        }
        if isFirst, isLost, let error = closure.error { report(CallFailure.reason(error, context), side) }
    }

    /// Ends the relay, unless it has ended.
    ///
    /// - Parameters:
    ///   - event: The event to record, if the server was connected.
    ///   - end: Closes a connection. It has no effect on a connection that has ended.
    /// - Returns: Whether the relay had not ended before.
    @discardableResult
    private func finish(
        _ event: SessionRecording.Event.Kind?, _ end: (WebSocketConnection) -> Void
    ) -> Bool {
        let last = state.withLock { state -> State? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state
        }
        guard let last else { return false }
        last.dialing?.cancel()
        if let event, last.number > 0 { file.write(event, ofConnection: last.number) }
        for connection in [last.client, last.server].compactMap({ $0 }) { end(connection) }
        ended(self)
        return true
    }
}

private final class RelayHandler: MessageReceiver {
    private let relay: Relay
    private let side: Relay.Side

    init(relay: Relay, side: Relay.Side) {
        self.relay = relay
        self.side = side
    }

    func transportOpened(_ transport: any MessageTransport) {
        guard let connection = transport as? WebSocketConnection else { return }
        relay.opened(connection, side)
    }

    func messageReceived(_ message: InboundMessage) {
        relay.received(SessionRecording.Message(bytes: message.bytes, isBinary: message.isBinary), side)
    }

    func outboxDrained() { relay.drained(side) }

    func roundTripMeasured(_ duration: Duration) {}

    func transportClosed(_ closure: TransportClosure) { relay.closed(closure, side) }
}
