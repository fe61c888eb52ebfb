// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
package import TestSupport

/// The executions of calls on a server and their outcomes at the client, by key. It finds contradictions between both.
package final class ChaosLedger: Sendable {
    enum Outcome: Sendable {
        case value(Int)
        case refused(ErrorObject)
        case failed(ClientError)
        case cancelled
        case unexpected(any Error)

        init(_ error: any Error) {
            switch error {
            case let error as ErrorObject: self = .refused(error)
            case let error as ClientError: self = .failed(error)
            case let error as CallError: self = Outcome(error.underlying)
            case is CancellationError: self = .cancelled
            default: self = .unexpected(error)
            }
        }

        /// The kind, for statistics.
        var kind: String {
            switch self {
            case .value: "answered"
            case .refused: "refused"
            case .failed(let error): "\(error.code) \(error.delivery.map { "\($0)" } ?? "without delivery")"
            case .cancelled: "cancelled"
            case .unexpected: "unexpected"
            }
        }
    }

    private struct Entry {
        var call: ChaosPlan.Call
        /// The numbers of the connections on which the server executed it.
        var executions: [Int] = []
        var outcomes: [Outcome] = []
        /// The number of connections at the time of the outcome.
        var connections = 0
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var connections = 0
        var strangers: [Int] = []
    }

    private let state = Mutex(State())

    package init() {}

    // MARK: Notes

    /// Notes that a call begins.
    package func begins(_ call: ChaosPlan.Call) {
        state.withLock { state in
            for key in call.keys { state.entries[key] = Entry(call: call) }
        }
    }

    /// Notes a connection, and returns its number, from 1.
    package func connects() -> Int {
        state.withLock { state in
            state.connections += 1
            return state.connections
        }
    }

    /// Notes an execution on the server.
    package func executes(_ key: Int, connection: Int) {
        state.withLock { state in
            if state.entries[key] == nil { state.strangers.append(key) }
            state.entries[key]?.executions.append(connection)
        }
    }

    /// Notes the outcome of a call.
    func ends(_ key: Int, _ outcome: Outcome) {
        state.withLock { state in
            state.entries[key]?.outcomes.append(outcome)
            state.entries[key]?.connections = state.connections
        }
    }

    // MARK: Results

    /// The number of connections.
    package var connectionCount: Int { state.withLock { $0.connections } }

    /// The number of outcomes of each kind.
    package var counts: [String: Int] {
        state.withLock { state in
            state.entries.values.reduce(into: [:]) { counts, entry in
                for outcome in entry.outcomes { counts[outcome.kind, default: 0] += 1 }
            }
        }
    }

    /// The keys of the calls without an outcome, at most 20.
    package var unsettled: [Int] {
        state.withLock { $0.entries.filter { $0.value.outcomes.isEmpty }.keys.sorted().prefix(20).map { $0 } }
    }

    /// The contradictions, in words; at most 20.
    ///
    /// - Parameter maximumExecutions: The limit for an idempotent call.
    package func contradictions(maximumExecutions: Int) -> [String] {
        state.withLock { state in
            var found = state.strangers.map { "the server executed a call \($0) that nobody made" }
            for (key, entry) in state.entries.sorted(by: { $0.key < $1.key }) {
                for complaint in Self.complaints(key, entry, maximumExecutions) {
                    found.append("call \(key): \(complaint); executed on connections \(entry.executions), \(entry)")
                }
            }
            return Array(found.prefix(20))
        }
    }

    private static func complaints(_ key: Int, _ entry: Entry, _ maximumExecutions: Int) -> [String] {
        var found: [String] = []
        let count = entry.executions.count
        var limit = 1
        if case .idempotent = entry.call.form { limit = maximumExecutions }
        if count > limit { found.append("executed \(count) times") }
        guard let outcome = entry.outcomes.first, entry.outcomes.count == 1 else {
            return found + ["\(entry.outcomes.count) outcomes"]
        }
        if entry.executions.contains(where: { $0 > entry.connections }) {
            found.append("sent again after its outcome")
        }
        switch outcome {
        case .value(let value):
            if value != key { found.append("answered with \(value)") }
            if count == 0 { found.append("answered without an execution") }
            if entry.call.behaviour == .refuses { found.append("answered, though the server refuses it") }
        case .refused(let error):
            if count == 0 { found.append("refused without an execution") }
            if entry.call.behaviour != .refuses { found.append("refused with \(error)") }
        case .failed(let error):
            found += complaints(about: error, entry, count)
        case .cancelled:
            if entry.call.cancellation == nil { found.append("cancelled by nobody") }
        case .unexpected(let error): found.append("failed with \(error)")
        }
        return found
    }

    private static func complaints(about error: ClientError, _ entry: Entry, _ count: Int) -> [String] {
        var found: [String] = []
        switch error.delivery {
        case .notSent: if count > 0 { found.append("not sent, but executed") }
        case .outcomeUnknown: break
        case .answered, nil: found.append("the delivery is \(error.delivery.map { "\($0)" } ?? "nil")")
        }
        switch error.code {
        case .timedOut: if entry.call.timeout == nil { found.append("timed out without a timeout") }
        case .connectionLost, .notConnected, .closed: break
        default: found.append("failed with \(error)")
        }
        return found
    }
}
