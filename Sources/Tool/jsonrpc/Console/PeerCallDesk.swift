// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization
import TaskWaits

/// The calls that the peer makes of the user, who answers them by rule or by hand.
final class PeerCallDesk: Sendable {
    /// The largest number of calls that wait for the user. Further calls get an error object: 100.
    static let maximumWaiting = 100

    private struct Waiting {
        var method: String
        var params: RawJSON?
        var answer: CancellableWait<RawJSON>
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
        let answer = CancellableWait<RawJSON>()
        let (treatment, answersByHand) = state.withLock { state -> (Treatment, Bool) in
            if let rule = state.rules[method] { return (.rule(rule), true) }
            guard state.answersByHand, state.waiting.count < Self.maximumWaiting else {
                return (.refused, state.answersByHand)
            }
            state.lastNumber += 1
            state.waiting[state.lastNumber] = Waiting(method: method, params: params, answer: answer)
            return (.hand(state.lastNumber), true)
        }
        show(method, params, treatment)
        switch treatment {
        case .rule(let result): return result
        case .refused where answersByHand:
            throw ErrorObject(code: SessionConfiguration.serverBusy, message: "Too many calls wait for an answer.")
        case .refused: throw ErrorObject(.methodNotFound)
        case .hand(let number):
            defer { state.withLock { $0.waiting[number] = nil } }
            return try await answer.value()
        }
    }

    /// Answers a call. Returns its method; `nil` if no call with this number waits.
    func settle(_ number: Int, _ outcome: Result<RawJSON, any Error>) -> String? {
        guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: number) }),
            waiting.answer.resume(with: outcome)
        else { return nil }
        return waiting.method
    }

    /// Refuses the calls that wait, and from now on all calls without a rule. Returns the number of those that waited.
    func refuseAll() -> Int {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.answersByHand = false
            return state.waiting.values
        }
        let error = ErrorObject(code: SessionConfiguration.serverBusy, message: "The user has left.")
        return waiting.count { $0.answer.resume(throwing: error) }
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
