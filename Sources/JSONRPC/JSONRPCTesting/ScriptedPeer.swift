// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
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
/// If the client closes the connection, a waiting method throws at once. If the connection is lost, or this peer ends it, the
/// method waits for a message on the next connection, because a client may connect again. A script belongs to one connection
/// and ends with it.
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

    enum Event: Sendable {
        case message(ReceivedMessage)
        /// No message matched. The text is half a sentence with the reason.
        case none(String)
        /// The task was cancelled.
        case cancelled
    }

    struct Waiter: Sendable {
        var fits: @Sendable (ReceivedMessage) -> Bool
        let wait = CancellableWait<Event>()
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
        /// Tasks that wait for a count of connections and closures.
        var waits = ConditionWaits<(connections: Int, closures: Int)>()
        /// The script that begins with the first connection.
        var script: (script: PeerScript, place: ScriptFailure.Location)?
        /// The task that plays the script.
        var playing: Task<Void, any Error>?
    }

    /// The rule by which an `expect…` method chooses a message.
    public let matching: Matching
    /// The maximum time for which an `expect…` method waits.
    public let patience: Duration
    /// The clock of the `wait` lines of scripts.
    public let clock: any Clock<Duration>
    let state = Mutex(State())

    /// Makes a peer.
    ///
    /// - Parameters:
    ///   - matching: The rule by which an `expect…` method chooses a message. The default is ``Matching/inOrder``.
    ///   - patience: The maximum time for which an `expect…` method waits. The default is 20 seconds. Only a test that
    ///     fails takes that long.
    ///   - clock: The clock of the `wait` lines of scripts. The default is the continuous clock.
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
    ///
    /// - Parameter configuration: The options of the connections.
    public func connector(configuration: InMemoryTransport.Configuration) -> InMemoryConnector {
        InMemoryConnector(configuration: configuration) { try self.accept() }
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
        let number = state.withLock { state in
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
        notifyObservers()
        return number
    }

    fileprivate func received(_ message: ReceivedMessage) {
        state.withLock { $0.received.append(message) }
        // A task that is cancelled meanwhile takes no message.
        while let waiter = state.withLock({ $0.take(message, matching) }) {
            if waiter.wait.resume(returning: .message(message)) { return }
        }
    }

    fileprivate func closed(_ closure: TransportClosure) {
        let waiters = state.withLock { state in
            state.closures.append(closure)
            guard state.finalClosure != nil else { return [] as [Waiter] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters {
            waiter.wait.resume(returning: .none("the connection closed with code \(closure.code)"))
        }
        notifyObservers()
    }

    // MARK: Waiting

    /// Waits for the next message that matches.
    func next(where fits: @escaping @Sendable (ReceivedMessage) -> Bool) async -> Event {
        let waiter = Waiter(fits: fits)
        if let event = state.withLock({ $0.take(waiter, matching) }) { return event }
        after(patience) { [weak self] in
            if let self { waiter.wait.resume(returning: state.withLock { $0.naming(.none(silence(in: $0))) }) }
        }
        defer { state.withLock { state in state.waiters.removeAll { $0.wait === waiter.wait } } }
        do { return try await waiter.wait.value() } catch { return .cancelled }
    }

    /// The absence of a message for the whole ``patience``, as half a sentence.
    private func silence(in state: borrowing State) -> String {
        let lost = state.closures.count == state.connections ? state.closures.last : nil
        guard let lost else { return "no message came within \(patience)" }
        return "the connection ended with code \(lost.code), and no message came on another within \(patience)"
    }
}

/// Calls a closure after a time of the system's clock.
func after(_ time: Duration, _ body: @escaping @Sendable () -> Void) {
    let nanoseconds = Int(min(max(time / .nanoseconds(1), 0), 1e18))
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
}

extension ScriptedPeer.State {
    /// The end of the latest connection, if no message can follow: the client has closed it, or a script is played, which
    /// belongs to one connection.
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

    /// Gives a waiter its message, or puts it into the queue.
    ///
    /// - Returns: `nil` if the waiter was put into the queue.
    fileprivate mutating func take(
        _ waiter: ScriptedPeer.Waiter, _ matching: ScriptedPeer.Matching
    ) -> ScriptedPeer.Event? {
        let index = matching == .inOrder ? waiting.indices.first : waiting.firstIndex(where: waiter.fits)
        if let index { return .message(waiting.remove(at: index)) }
        if let closure = finalClosure {
            return naming(.none("the connection had closed with code \(closure.code)"))
        }
        waiters.append(waiter)
        return nil
    }

    /// Returns the event with the messages that arrived and did not match.
    fileprivate func naming(_ event: ScriptedPeer.Event) -> ScriptedPeer.Event {
        guard case .none = event, !waiting.isEmpty else { return event }
        let rest = waiting.count > 3 ? " and \(waiting.count - 3) other messages" : ""
        return .none("received " + waiting.prefix(3).map(\.shownText).joined(separator: " and ") + rest)
    }
}

/// One connection of a peer.
private final class PeerReceiver: MessageReceiver {
    private let peer: ScriptedPeer
    private let number = Mutex(0)

    init(peer: ScriptedPeer) { self.peer = peer }

    func transportOpened(_ transport: any MessageTransport) {
        let opened = peer.opened(transport)
        number.withLock { $0 = opened }
    }

    func messageReceived(_ message: InboundMessage) {
        let bytes =
            switch message.content {
            case .borrowed(let bytes): Array(bytes)
            case .owned(let bytes): bytes
            }
        peer.received(
            ReceivedMessage(bytes: bytes, isBinary: message.isBinary, connection: number.withLock { $0 }))
    }

    func outboxDrained() {}

    func roundTripMeasured(_ duration: Duration) {}

    func transportClosed(_ closure: TransportClosure) { peer.closed(closure) }
}
