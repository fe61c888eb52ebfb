// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import Dispatch
public import JSONRPCSession
import Synchronization

/// One end of a connection inside the process: what a session talks to in a test that needs no socket.
///
/// Two ends make a connection (``pair(configuration:)``), and what one accepts the other receives, whole and in order.
/// Each end calls its receiver on a queue of its own, never inside the caller's call, as a transport over a socket
/// does. A pair lives until it is closed or dropped.
///
/// A test can look at and steer what is invisible over a socket: hold messages in the outbox
/// (``holdOutbox()``), keep received ones from being delivered (``holdInbox()``), make the peer slow
/// (``Configuration/windowBytes``), and cut the connection (``dropConnection(discardingUndelivered:error:)``).
public final class InMemoryTransport: MessageTransport {
    /// What a pair is made with.
    public struct Configuration: Sendable, Hashable {
        /// The receiver is told when the outbox has come down to this many bytes after it was above.
        public var lowWaterMarkBytes = 64 * 1024
        /// How many bytes may be under way: handed over by one end, and not delivered to the other's receiver. At the
        /// limit, messages stay in the outbox. One message goes through in any case.
        public var windowBytes = 256 * 1024

        public init() {}
    }

    /// What arrives at an end, in order.
    enum Arrival: Sendable {
        case message(InMemoryOutbox.Message)
        case close(code: UInt16, reason: String)
        case drop((any Error)?)

        var size: Int {
            if case .message(let message) = self { message.size } else { 0 }
        }
    }

    struct State {
        var receiver: (any MessageReceiver)?
        /// The other end, until this one is closed.
        var peer: InMemoryTransport?
        var outbox = InMemoryOutbox()
        /// How many more messages may leave the outbox; nil for any number.
        var allowance: Int?
        var wakeIsPending = false
        var isAboveLowWaterMark = false
        var inbox: Deque<Arrival> = []
        var inboxBytes = 0
        var isReading = true
        var isInboxHeld = false
        var isOpen = false
        var isClosed = false
        /// Tests that wait for the outbox to be so or so full.
        var observers: [(isContent: @Sendable (Int) -> Bool, observer: CheckedContinuation<Void, Never>)] = []
        /// Set by the first ``InMemoryTransport/close(code:reason:deadline:)``.
        var closing: (code: UInt16, reason: String)?
        var closeWasSent = false
    }

    let configuration: Configuration
    let state = Mutex(State())
    /// All calls of the receiver are made here.
    let queue = DispatchQueue(label: "jsonrpc.in-memory")

    private init(configuration: Configuration) { self.configuration = configuration }

    /// Makes the two ends of a connection. Each begins to work when it is opened with its receiver.
    public static func pair(
        configuration: Configuration = Configuration()
    ) -> (InMemoryTransport, InMemoryTransport) {
        let (left, right) = (Self(configuration: configuration), Self(configuration: configuration))
        left.state.withLock { $0.peer = right }
        right.state.withLock { $0.peer = left }
        return (left, right)
    }

    /// Gives the end its receiver and tells that the connection stands; returns after
    /// `transportOpened` has. To be called once.
    public func open(receiver: any MessageReceiver) async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.state.withLock { state in
                    state.receiver = receiver
                    state.isOpen = true
                }
                receiver.transportOpened(self)
                continuation.resume()
                self.turn()
            }
        }
    }

    // MARK: MessageTransport

    public func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { bytes.append(contentsOf: piece) }
        return enqueue([bytes[...]], isBinary: false, isAssembled: false)
    }

    public func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome {
        enqueue(pieces, isBinary: false, isAssembled: false)
    }

    public func wake() { schedule() }

    public func withdraw(_ ticket: OutboxTicket) -> Bool {
        let (isWithdrawn, isOfInterest) = state.withLock { state in
            let isWithdrawn = state.outbox.withdraw(ticket)
            let isDrained =
                state.isAboveLowWaterMark && state.outbox.queuedBytes <= configuration.lowWaterMarkBytes
            return (isWithdrawn, isDrained || !state.observers.isEmpty)
        }
        // Others hear of it on the queue: this is called under the session's lock.
        if isOfInterest { schedule() }
        return isWithdrawn
    }

    public var queuedByteCount: Int { state.withLock { $0.outbox.queuedBytes } }

    public func setReading(_ isReading: Bool) {
        state.withLock { $0.isReading = isReading }
        if isReading { schedule() }
    }

    public func close(code: UInt16, reason: String, deadline: Duration) {
        state.withLock { state in
            if state.closing == nil { state.closing = (code, reason) }
        }
        schedule()
        let (seconds, attoseconds) = deadline.components
        let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
        let interval = DispatchTimeInterval.nanoseconds(Int(min(max(nanoseconds, 0), 1e18)))
        queue.asyncAfter(deadline: .now() + interval) { [weak self] in
            self?.finish(initiator: .local, code: 1006, reason: "", tellingPeer: .drop(nil))
        }
    }

    // MARK: Parts

    func enqueue(_ pieces: [ArraySlice<UInt8>], isBinary: Bool, isAssembled: Bool) -> EnqueueOutcome {
        let (outcome, isOfInterest) = state.withLock { state -> (EnqueueOutcome, Bool) in
            guard !state.isClosed, state.closing == nil else { return (.refused, false) }
            let ticket = state.outbox.append(pieces, isBinary: isBinary, isAssembled: isAssembled)
            if state.outbox.queuedBytes > configuration.lowWaterMarkBytes { state.isAboveLowWaterMark = true }
            let mustWake = !state.wakeIsPending
            state.wakeIsPending = true
            return (.queued(ticket, mustWake: mustWake), !state.observers.isEmpty)
        }
        if isOfInterest { queue.async { self.tellObservers() } }
        return outcome
    }

    func schedule() { queue.async { self.turn() } }
}
