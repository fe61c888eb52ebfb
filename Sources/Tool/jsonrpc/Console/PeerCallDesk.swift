// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization

/// The calls that the peer makes of the user, who answers them by rule or by hand.
final class PeerCallDesk: Sendable {
    /// The largest number of calls that wait for the user. Further calls get an error object: 100.
    static let maximumWaiting = 100

    private struct Waiting {
        var method: String
        var params: RawJSON?
        var continuation: CheckedContinuation<RawJSON, any Error>
    }

    private struct State {
        var rules: [String: RawJSON] = [:]
        var waiting: [Int: Waiting] = [:]
        var lastNumber = 0
        /// False if no user is there to answer calls.
        var answersByHand: Bool
    }

    enum Treatment: Equatable, Sendable {
        case rule(RawJSON)
        /// The call waits for the user under this number.
        case hand(Int)
        /// Nobody answers this method, or too many calls wait.
        case refused
    }

    private let state: Mutex<State>
    private let show: @Sendable (_ method: String, _ params: RawJSON?, Treatment) -> Void

    init(
        answersByHand: Bool, rules: [String: RawJSON] = [:],
        show: @escaping @Sendable (_ method: String, _ params: RawJSON?, Treatment) -> Void
    ) {
        self.show = show
        state = Mutex(State(rules: rules, answersByHand: answersByHand))
    }

    /// Serves all calls of a client's peer.
    func serve(_ client: JSONRPCClient) {
        for method in state.withLock({ $0.rules.keys }) { client.removeHandler(for: method) }
        client.setFallbackHandler { [self] call in try await result(of: call.method, call.params) }
    }

    /// Returns the result of a call when it is known.
    ///
    /// - Throws: The error object of the user, or one that refuses the call.
    func result(of method: String, _ params: RawJSON?) async throws -> RawJSON {
        let (rule, answersByHand) = state.withLock { ($0.rules[method], $0.answersByHand) }
        if let rule {
            show(method, params, .rule(rule))
            return rule
        }
        guard answersByHand else {
            show(method, params, .refused)
            throw ErrorObject(.methodNotFound)
        }
        let number = state.withLock { state -> Int in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(number, Waiting(method: method, params: params, continuation: continuation))
            }
        } onCancel: {
            _ = settle(number, .failure(CancellationError()))
        }
    }

    private func wait(_ number: Int, _ waiting: Waiting) {
        let isTaken = state.withLock { state in
            guard state.answersByHand, state.waiting.count < Self.maximumWaiting else { return false }
            state.waiting[number] = waiting
            return true
        }
        show(waiting.method, waiting.params, isTaken ? .hand(number) : .refused)
        if !isTaken {
            waiting.continuation.resume(
                throwing: ErrorObject(
                    code: SessionConfiguration.serverBusy, message: "Too many calls wait for an answer."))
        } else if Task.isCancelled {
            // The cancellation may have come before the entry.
            _ = settle(number, .failure(CancellationError()))
        }
    }

    /// Answers a call. Returns its method; `nil` if no call with this number waits.
    func settle(_ number: Int, _ outcome: Result<RawJSON, any Error>) -> String? {
        guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: number) }) else { return nil }
        waiting.continuation.resume(with: outcome)
        return waiting.method
    }

    /// Refuses the calls that wait, and from now on all calls without a rule. Returns the number of those that waited.
    func refuseAll() -> Int {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.answersByHand = false
            return state.waiting.values.map(\.continuation)
        }
        let error = ErrorObject(code: SessionConfiguration.serverBusy, message: "The user has left.")
        for continuation in waiting { continuation.resume(throwing: error) }
        return waiting.count
    }

    /// Sets the rule for a method; `nil` removes it. Returns whether there was a rule.
    @discardableResult
    func setRule(_ method: String, _ result: RawJSON?) -> Bool {
        state.withLock { state in
            defer { state.rules[method] = result }
            return state.rules[method] != nil
        }
    }

    /// The rules, sorted by method.
    var rules: [(method: String, result: RawJSON)] {
        state.withLock { $0.rules }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The calls that wait, in their order.
    var waiting: [(number: Int, method: String, params: RawJSON?)] {
        state.withLock { $0.waiting }.sorted { $0.key < $1.key }.map { ($0.key, $0.value.method, $0.value.params) }
    }
}
