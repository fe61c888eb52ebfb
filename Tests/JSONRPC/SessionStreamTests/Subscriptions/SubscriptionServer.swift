// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import Synchronization
import TestTurns
import WireJSON

@testable import JSONRPCSession

/// An in-memory server with a table of its subscriptions, which end with their connection.
final class SubscriptionServer: Sendable {
    struct Connection: Sendable {
        var session: DuplexSession
        var far: InMemoryTransport
        /// The names of the subscriptions, by their ids.
        var table: [Int: String] = [:]
    }

    struct State: Sendable {
        var connections: [Connection] = []
        var nextID = 0
        var refused: Set<Int> = []
    }

    private let state = Mutex(State())

    /// The subscriptions of the latest connection.
    var table: [Int: String] { state.withLock { $0.connections.last?.table ?? [:] } }
    var connectionCount: Int { state.withLock { $0.connections.count } }
    /// The number of unsubscribe requests with an unknown id.
    var refusals: Int { state.withLock { $0.refused.count } }

    struct Connector: MessageConnector {
        let server: SubscriptionServer

        func connect(receiver: any MessageReceiver) async throws {
            let (near, far) = InMemoryTransport.pair()
            let session = server.accept(far)
            await far.open(receiver: session.receiver)
            await near.open(receiver: receiver)
        }
    }

    var connector: Connector { Connector(server: self) }

    private func accept(_ far: InMemoryTransport) -> DuplexSession {
        let session = DuplexSession()
        let place = state.withLock { state in
            state.connections.append(Connection(session: session, far: far))
            return state.connections.count - 1
        }
        session.handleSynchronously("echo") { (params: [Int]) in params[0] }
        session.handleSynchronously("subscribe") { [weak self] (params: [String]) in
            guard let self else { throw ErrorObject(.internalError) }
            return state.withLock { state in
                state.nextID += 1
                state.connections[place].table[state.nextID] = params[0]
                return state.nextID
            }
        }
        session.handleSynchronously("unsubscribe") { [weak self] (params: [Int]) in
            guard let self else { throw ErrorObject(.internalError) }
            return state.withLock { state in
                let isKnown = state.connections[place].table.removeValue(forKey: params[0]) != nil
                if !isKnown { state.refused.insert(params[0]) }
                return isKnown
            }
        }
        return session
    }

    /// Waits until the latest connection has some subscriptions.
    func reaches(subscriptions count: Int, connections: Int = 1) async throws {
        try await yieldUntil("connection \(connections) has \(count) subscriptions") {
            connectionCount >= connections && table.count >= count
        }
    }

    /// Sends a value to all subscriptions.
    func publish(_ value: Int) async throws {
        let latest = state.withLock { $0.connections.last }
        guard let latest else { return }
        for id in latest.table.keys.sorted() {
            try await latest.session.notify("event", params: ["subscription": id, "result": value])
        }
    }

    /// Ends the latest connection without a handshake.
    func drop() { state.withLock { $0.connections.last }?.far.dropConnection() }
}

extension JSONRPCEndpoint {
    /// Subscribes to numbers of a ``SubscriptionServer``.
    func stream(
        _ name: String, overflow: NotificationOverflow = .standard, sharing: Bool = false
    ) async throws -> Subscription<Int> {
        try await subscribe(
            "subscribe", params: [name], unsubscribe: "unsubscribe", overflow: overflow, sharing: sharing, as: Int.self)
    }
}
