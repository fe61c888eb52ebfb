// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
import Synchronization
import TaskWaits

/// The far end of a connection, controlled by a test.
///
/// ```swift
/// let peer = ScriptedPeer()
/// let session = DuplexSession()
/// try await peer.connector.connect(receiver: session.receiver)
/// async let sum: Int = session.call("subtract", params: [42, 23])
/// let request = try await peer.expectRequest("subtract", params: [42, 23])
/// try peer.reply(to: request, result: 19)
/// #expect(try await sum == 19)
/// ```
///
/// The peer records all messages, and the `expect…` methods take them. Each method waits for its message, at most for
/// ``patience``, and throws at once if its task is cancelled. If another message arrives, or none, it throws a
/// ``ScriptFailure`` that names the line of the test.
///
/// If the client closes the connection, a waiting method throws at once. If the connection is lost, or this peer ends
/// it, the method waits for a message on the next connection, because a client may connect again. A script belongs to
/// one connection and ends with it.
public final class ScriptedPeer: Sendable {
    /// The rule by which an `expect…` method chooses a message.
    public enum Matching: Sendable, Hashable {
        /// The method takes the oldest message that was not taken. If it is not the expected message, the method
        /// throws.
        case inOrder
        /// The method takes the oldest message that matches, and leaves the others for later. Use it for concurrent
        /// calls.
        case anyOrder
    }

    /// The error of a wait for which no message matched.
    struct NoMessage: Error {
        /// The reason as half a sentence.
        var reason: String
    }

    struct Waiter: Sendable {
        var fits: @Sendable (ReceivedMessage) -> Bool
        let wait = CancellableWait<ReceivedMessage>()
    }

    struct State: Sendable {
        var transport: (any MessageTransport)?
        var connections = 0
        /// The number of attempts to connect that fail.
        var refusals = 0
        var received: [ReceivedMessage] = []
        /// The elements of ``received`` that no `expect…` method has taken.
        var waiting: [ReceivedMessage] = []
        var waiters: [Waiter] = []
        var closures: [TransportClosure] = []
        /// The script that begins with the first connection.
        var script: (script: PeerScript, place: ScriptFailure.Location)?
        var playing: Task<Void, any Error>?
    }

    /// The rule by which an `expect…` method, or a `-->` line of a script, chooses a message. The default is
    /// ``Matching/inOrder``.
    public let matching: Matching
    /// The maximum time for which an `expect…` method, or a `-->` line of a script, waits. The default is 20 seconds.
    /// Only a test that fails takes that long.
    public let patience: Duration
    /// The clock of the `wait` lines of scripts. The default is the continuous clock.
    public let clock: any Clock<Duration>
    let state = Watched(State())

    public init(
        matching: Matching = .inOrder, patience: Duration = .seconds(20),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.matching = matching
        self.patience = patience
        self.clock = clock
    }

    /// A connector that connects any number of sessions to this peer, in memory.
    public var connector: InMemoryConnector { connector(configuration: InMemoryTransport.Configuration()) }

    /// Returns a connector that connects any number of sessions to this peer, in memory, with options.
    public func connector(configuration: InMemoryTransport.Configuration) -> InMemoryConnector {
        InMemoryConnector(configuration: configuration) { try self.accept() }
    }

    /// The error of an attempt to connect that the peer refuses. Another attempt may succeed.
    public struct ConnectionRefused: ConnectError, Hashable, CustomStringConvertible {
        public var isRetryable: Bool { true }
        public var description: String { "The scripted peer refused the connection." }
    }

    /// Refuses attempts to connect, as a server that is down does: those of the connectors of this peer throw
    /// ``ConnectionRefused``.
    ///
    /// - Parameter count: The number of attempts that fail from now on. Zero ends the refusal.
    public func refuseConnections(_ count: Int) { state.withLock { $0.refusals = max(0, count) } }

    /// Returns the receiver of one connection, unless the attempt is refused.
    private func accept() throws -> any MessageReceiver {
        try state.withLock { state in
            guard state.refusals > 0 else { return }
            state.refusals -= 1
            throw ConnectionRefused()
        }
        return receiver
    }

    /// A receiver for one connection over a transport of any kind.
    public var receiver: any MessageReceiver { PeerReceiver(peer: self) }

    /// The latest connection's transport; `nil` before the first.
    public var transport: (any MessageTransport)? { state.withLock { $0.transport } }

    /// The latest connection's transport, if it is in memory. It can hold messages and drop the connection.
    public var inMemory: InMemoryTransport? { transport as? InMemoryTransport }

    /// All messages of all connections, in order.
    public var received: [ReceivedMessage] { state.withLock { $0.received } }

    /// The messages that no `expect…` method has taken.
    public var untaken: [ReceivedMessage] { state.withLock { $0.waiting } }

    /// The number of connections so far.
    public var connectionCount: Int { state.withLock { $0.connections } }

    // MARK: From the transports

    fileprivate func opened(_ transport: any MessageTransport) -> Int {
        state.update { state in
            state.connections += 1
            state.transport = transport
            if let (script, place) = state.script.take() {
                state.playing = Task {
                    do {
                        try await self.play(script, at: place)
                    } catch {
                        self.drop(error: error)
                        throw error
                    }
                }
            }
            return state.connections
        }
    }

    fileprivate func received(_ message: ReceivedMessage) {
        state.withLock { $0.received.append(message) }
        // A task that is cancelled meanwhile takes no message.
        while let waiter = state.withLock({ $0.take(message, matching) }) {
            if waiter.wait.resume(returning: message) { return }
        }
    }

    fileprivate func closed(_ closure: TransportClosure) {
        let waiters = state.update { state -> [Waiter] in
            state.closures.append(closure)
            guard state.finalClosure != nil else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters {
            waiter.wait.resume(throwing: NoMessage(reason: "the connection closed with code \(closure.code)"))
        }
    }

    // MARK: Waiting

    /// Waits for the next message that matches.
    ///
    /// - Throws: ``NoMessage`` or `CancellationError`.
    func next(where fits: @escaping @Sendable (ReceivedMessage) -> Bool) async throws -> ReceivedMessage {
        let waiter = Waiter(fits: fits)
        if let message = try state.withLock({ state throws(NoMessage) in try state.take(waiter, matching) }) {
            return message
        }
        after(patience) { [weak self] in
            if let self { waiter.wait.resume(throwing: state.withLock { $0.silence(for: patience) }) }
        }
        defer { state.withLock { state in state.waiters.removeAll { $0.wait === waiter.wait } } }
        return try await waiter.wait.value()
    }
}

extension ScriptedPeer.State {
    /// The end of the latest connection, if no message can follow: the client has closed it, or a script is played,
    /// which belongs to one connection.
    fileprivate var finalClosure: TransportClosure? {
        // A later connection may be open when the end of this one is reported.
        guard closures.count == connections, let closure = closures.last else { return nil }
        return closure.initiator == .remote || playing != nil ? closure : nil
    }

    /// Removes and returns the waiter for a message. If there is none, the message waits.
    fileprivate mutating func take(
        _ message: ReceivedMessage, _ matching: ScriptedPeer.Matching
    ) -> ScriptedPeer.Waiter? {
        let index = waiters.firstIndex { !$0.wait.isOver && (matching == .inOrder || $0.fits(message)) }
        guard let index else {
            waiting.append(message)
            return nil
        }
        return waiters.remove(at: index)
    }

    /// Returns the message for a waiter. If there is none, the waiter waits.
    fileprivate mutating func take(
        _ waiter: ScriptedPeer.Waiter, _ matching: ScriptedPeer.Matching
    ) throws(ScriptedPeer.NoMessage) -> ReceivedMessage? {
        let index = matching == .inOrder ? waiting.indices.first : waiting.firstIndex(where: waiter.fits)
        if let index { return waiting.remove(at: index) }
        if let closure = finalClosure { throw noMessage("the connection had closed with code \(closure.code)") }
        waiters.append(waiter)
        return nil
    }

    /// Returns the error of a wait that has lasted for the whole patience.
    fileprivate func silence(for patience: Duration) -> ScriptedPeer.NoMessage {
        let lost = closures.count == connections ? closures.last : nil
        guard let lost else { return noMessage("no message came within \(patience)") }
        return noMessage(
            "the connection ended with code \(lost.code), and no message came on another within \(patience)")
    }

    /// Names the messages that arrived and did not match; if there are none, the reason.
    private func noMessage(_ reason: String) -> ScriptedPeer.NoMessage {
        guard !waiting.isEmpty else { return ScriptedPeer.NoMessage(reason: reason) }
        let rest = waiting.count > 3 ? " and \(waiting.count - 3) other messages" : ""
        return ScriptedPeer.NoMessage(
            reason: "received " + waiting.prefix(3).map(\.description).joined(separator: " and ") + rest)
    }
}

/// One connection of a peer.
private final class PeerReceiver: MessageReceiver {
    private let peer: ScriptedPeer
    private let number = Atomic(0)

    init(peer: ScriptedPeer) { self.peer = peer }

    func transportOpened(_ transport: any MessageTransport) {
        number.store(peer.opened(transport), ordering: .releasing)
    }

    func messageReceived(_ message: InboundMessage) {
        peer.received(
            ReceivedMessage(
                bytes: message.bytes, isBinary: message.isBinary, connection: number.load(ordering: .acquiring)))
    }

    func outboxDrained() {}

    func roundTripMeasured(_ duration: Duration) {}

    func transportClosed(_ closure: TransportClosure) { peer.closed(closure) }
}
