// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import Dispatch
public import JSONRPCSession
import TaskWaits

/// One end of a connection inside the process: a transport for tests that need no socket.
///
/// Two ends make a connection: see ``pair(configuration:)``. Messages that one end accepts arrive at the other end,
/// whole and in order. As over a socket, each end calls its receiver on a queue of its own, never inside a call of the
/// transport. A connection lasts until it is closed or dropped.
///
/// A test can control the connection. It can hold messages in the outbox (``holdOutbox()``), hold received messages
/// (``holdInbox()``), slow the peer down (``Configuration/windowBytes``), and end the connection without a handshake
/// (``dropConnection(discardingUndelivered:error:)``).
public final class InMemoryTransport: MessageTransport {
    /// The options of a pair.
    public struct Configuration: Sendable, Hashable {
        /// The low-water mark of the outbox, in bytes. The default is 64 KiB.
        ///
        /// The receiver is notified when the outbox falls from above the mark to the mark or below.
        public var lowWaterMarkBytes = 64 * 1024
        /// The maximum number of bytes that one end has sent and the other end has not delivered to its receiver. The
        /// default is 256 KiB.
        ///
        /// At the limit, messages stay in the outbox. A single message is sent whatever its size.
        public var windowBytes = 256 * 1024

        public init() {}
    }

    /// An event that arrives at an end, in order.
    enum Arrival: Sendable {
        case message(InMemoryOutbox.Message)
        case close(code: UInt16, reason: String)
        case drop((any Error)?)

        var size: Int {
            if case .message(let message) = self { message.size } else { 0 }
        }
    }

    struct State {
        /// The receiver while this end is open.
        var receiver: (any MessageReceiver)?
        /// The other end, until this one is closed.
        var peer: InMemoryTransport?
        var outbox = InMemoryOutbox()
        /// The number of messages that can still leave the outbox; `nil` for no limit.
        var allowance: Int?
        var wakeIsPending = false
        var isAboveLowWaterMark = false
        var inbox: Deque<Arrival> = []
        var inboxBytes = 0
        var isReading = true
        var isInboxHeld = false
        var isClosed = false
        /// Set by the first ``InMemoryTransport/close(code:reason:deadline:)``.
        var closing: (code: UInt16, reason: String)?
        var closeWasSent = false
    }

    let configuration: Configuration
    let state = Watched(State())
    let queue = DispatchQueue(label: "jsonrpc.in-memory")

    private init(configuration: Configuration) { self.configuration = configuration }

    /// Makes the two ends of a connection. Each end starts when ``open(receiver:)`` is called.
    public static func pair(
        configuration: Configuration = Configuration()
    ) -> (InMemoryTransport, InMemoryTransport) {
        let (left, right) = (Self(configuration: configuration), Self(configuration: configuration))
        left.state.withLock { $0.peer = right }
        right.state.withLock { $0.peer = left }
        return (left, right)
    }

    /// Starts the end with a receiver. Returns when the receiver's `transportOpened(_:)` has returned. Call it once.
    public func open(receiver: any MessageReceiver) async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.state.withLock { $0.receiver = receiver }
                receiver.transportOpened(self)
                continuation.resume()
                self.turn()
            }
        }
    }

    // MARK: MessageTransport

    public func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        enqueue(sharing: [[UInt8](concatenating: pieces)[...]])
    }

    public func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome {
        enqueue(pieces, isBinary: false, isAssembled: false)
    }

    public func wake() { schedule() }

    public func withdraw(_ ticket: OutboxTicket) -> Bool {
        let isWithdrawn = state.withLock { $0.outbox.remove(ticket) != nil }
        // Other tasks are notified on the queue, because this method is called while the session's lock is held.
        if isWithdrawn { schedule() }
        return isWithdrawn
    }

    /// The number of bytes in the outbox, plus 8 for each message.
    public var queuedByteCount: Int { state.withLock { $0.outbox.queuedBytes } }

    /// Suspends or resumes the delivery of messages to the receiver.
    public func setReading(_ isReading: Bool) {
        state.withLock { $0.isReading = isReading }
        if isReading { schedule() }
    }

    /// Sends the messages in the outbox and does the closing handshake. When the deadline is over, the connection ends
    /// without a handshake.
    public func close(code: UInt16, reason: String, deadline: Duration) {
        state.withLock { state in
            if state.closing == nil { state.closing = (code, reason) }
        }
        schedule()
        after(deadline, on: queue) { [weak self] in
            self?.finish(initiator: .local, code: 1006, reason: "", tellingPeer: .drop(nil))
        }
    }

    // MARK: Parts

    func enqueue(_ pieces: [ArraySlice<UInt8>], isBinary: Bool, isAssembled: Bool) -> EnqueueOutcome {
        state.withLock { state in
            guard !state.isClosed, state.closing == nil else { return .refused }
            let message = InMemoryOutbox.Message(pieces: pieces, isBinary: isBinary, isAssembled: isAssembled)
            let ticket = state.outbox.append(message)
            if state.outbox.queuedBytes > configuration.lowWaterMarkBytes { state.isAboveLowWaterMark = true }
            defer { state.wakeIsPending = true }
            return .queued(ticket, mustWake: !state.wakeIsPending)
        }
    }

    func schedule() { queue.async { self.turn() } }
}

/// A connector that connects a client to a receiver in the same process.
public struct InMemoryConnector: MessageConnector {
    /// The options of each pair of transports.
    public var configuration: InMemoryTransport.Configuration

    private let accept: @Sendable () async throws -> any MessageReceiver

    /// Makes a connector.
    ///
    /// - Parameters:
    ///   - configuration: The options of each pair of transports.
    ///   - accept: Returns the far end's receiver for each attempt to connect, or throws the error of the attempt.
    ///     While it waits, connecting waits; cancelling the task cancels the attempt.
    public init(
        configuration: InMemoryTransport.Configuration = InMemoryTransport.Configuration(),
        accept: @escaping @Sendable () async throws -> any MessageReceiver
    ) {
        self.configuration = configuration
        self.accept = accept
    }

    /// Makes a pair of transports, and opens the near end with a receiver. A client calls this method.
    ///
    /// - Throws: The error of the `accept` closure, or `CancellationError`.
    public func connect(receiver: any MessageReceiver) async throws {
        let farReceiver = try await accept()
        try Task.checkCancellation()
        let (near, far) = InMemoryTransport.pair(configuration: configuration)
        await far.open(receiver: farReceiver)
        await near.open(receiver: receiver)
    }
}
