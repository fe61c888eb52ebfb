// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
public import JSONRPCSession
import Synchronization

/// The far end of a connection, played by a test.
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
/// What comes is recorded, and taken by the `expect…` methods. Each waits for its message, but no longer than the
/// peer's patience, and then throws a ``ScriptFailure``, which names what was expected and what came.
public final class ScriptedPeer: Sendable {
    /// Which message an `expect…` method takes.
    public enum Matching: Sendable, Hashable {
        /// The oldest that was not taken. When it is not what was expected, the method throws at once.
        case inOrder
        /// The oldest that fits; others are left for later. For callers whose order is not certain.
        case anyOrder
    }

    enum Event: Sendable {
        case message(ReceivedMessage)
        /// No message has come that would do.
        case none(came: String)
    }

    struct Waiter: Sendable {
        var fits: @Sendable (ReceivedMessage) -> Bool
        var continuation: CheckedContinuation<Event, Never>
    }

    struct State: Sendable {
        var transport: (any MessageTransport)?
        var connections = 0
        var received: [ReceivedMessage] = []
        /// Those of ``received`` that no `expect…` method has taken.
        var waiting: [ReceivedMessage] = []
        var waiters: [(id: UInt64, waiter: Waiter)] = []
        var nextID: UInt64 = 0
        var closures: [TransportClosure] = []
        /// Those who wait for a count of connections and closures.
        var observers: [UInt64: (isContent: @Sendable (Int, Int) -> Bool, CheckedContinuation<Bool, Never>)] = [:]
    }

    public let matching: Matching
    /// How long an `expect…` method waits.
    public let patience: Duration
    let state = Mutex(State())

    /// Makes a peer.
    ///
    /// - Parameters:
    ///   - matching: whether what it expects must come in order.
    ///   - patience: how long it waits: a test that fails takes this long, one that passes does not.
    public init(matching: Matching = .inOrder, patience: Duration = .seconds(20)) {
        self.matching = matching
        self.patience = patience
    }

    /// Connects a session to this peer, in memory. It can be used again, for further connections.
    public var connector: InMemoryConnector { connector(configuration: InMemoryTransport.Configuration()) }

    public func connector(configuration: InMemoryTransport.Configuration) -> InMemoryConnector {
        InMemoryConnector(configuration: configuration) { self.receiver }
    }

    /// Takes what comes on one connection: to be given to a transport of any kind, once.
    public var receiver: any MessageReceiver { PeerReceiver(peer: self) }

    /// The latest connection's transport; nil before the first.
    public var transport: (any MessageTransport)? { state.withLock { $0.transport } }

    /// The same, where the connection is in memory: with it, a test steers what the peer does.
    public var inMemory: InMemoryTransport? { transport as? InMemoryTransport }

    /// All messages that came, in order, on all connections.
    public var received: [ReceivedMessage] { state.withLock { $0.received } }

    /// The messages that no `expect…` method has taken.
    public var untaken: [ReceivedMessage] { state.withLock { $0.waiting } }

    /// How many connections there were.
    public var connectionCount: Int { state.withLock { $0.connections } }

    // MARK: From the transports

    fileprivate func opened(_ transport: any MessageTransport) -> Int {
        let number = state.withLock { state in
            state.connections += 1
            state.transport = transport
            return state.connections
        }
        notifyObservers()
        return number
    }

    fileprivate func received(_ message: ReceivedMessage) {
        let waiter = state.withLock { state -> Waiter? in
            state.received.append(message)
            let index =
                matching == .inOrder
                ? state.waiters.indices.first
                : state.waiters.firstIndex { $0.waiter.fits(message) }
            guard let index else {
                state.waiting.append(message)
                return nil
            }
            return state.waiters.remove(at: index).waiter
        }
        waiter?.continuation.resume(returning: .message(message))
    }

    fileprivate func closed(_ closure: TransportClosure) {
        let waiters = state.withLock { state in
            state.closures.append(closure)
            defer { state.waiters = [] }
            return state.waiters
        }
        for (_, waiter) in waiters {
            waiter.continuation.resume(returning: .none(came: "the connection closed with code \(closure.code)"))
        }
        notifyObservers()
    }

    // MARK: Waiting

    /// The next message that is wanted.
    func next(where fits: @escaping @Sendable (ReceivedMessage) -> Bool) async -> Event {
        await withCheckedContinuation { continuation in
            let (id, event) = state.withLock { state -> (UInt64, Event?) in
                state.nextID += 1
                let index =
                    matching == .inOrder ? state.waiting.indices.first : state.waiting.firstIndex(where: fits)
                if let index { return (0, .message(state.waiting.remove(at: index))) }
                if let closure = state.closures.last, state.closures.count == state.connections {
                    return (0, .none(came: Self.came(state, "the connection had closed with code \(closure.code)")))
                }
                state.waiters.append((state.nextID, Waiter(fits: fits, continuation: continuation)))
                return (state.nextID, nil)
            }
            if let event { return continuation.resume(returning: event) }
            loseSometime(patience) { peer in
                let (waiter, came) = peer.state.withLock { state -> (Waiter?, String) in
                    guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return (nil, "") }
                    return (state.waiters.remove(at: index).waiter, Self.came(state, "nothing did"))
                }
                waiter?.continuation.resume(returning: .none(came: came))
            }
        }
    }

    private static func came(_ state: State, _ otherwise: String) -> String {
        if state.waiting.isEmpty { return otherwise }
        return "what came was " + state.waiting.map(\.text).joined(separator: " and ")
    }

    /// Waits for counts of connections and closures; false when patience ends.
    func wait(until isContent: @escaping @Sendable (_ connections: Int, _ closures: Int) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let id = state.withLock { state in
                state.nextID += 1
                state.observers[state.nextID] = (isContent, continuation)
                return state.nextID
            }
            notifyObservers()
            loseSometime(patience) { peer in
                peer.state.withLock { $0.observers.removeValue(forKey: id) }?.1.resume(returning: false)
            }
        }
    }

    private func notifyObservers() {
        let content = state.withLock { state in
            let content = state.observers.filter { $0.value.isContent(state.connections, state.closures.count) }
            for id in content.keys { state.observers[id] = nil }
            return content.values.map(\.1)
        }
        for observer in content { observer.resume(returning: true) }
    }

    private func loseSometime(_ patience: Duration, _ body: @escaping @Sendable (ScriptedPeer) -> Void) {
        let nanoseconds = Int(min(max(patience / .nanoseconds(1), 0), 1e18))
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            if let self { body(self) }
        }
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
