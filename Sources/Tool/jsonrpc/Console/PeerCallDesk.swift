// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TaskWaits

/// The peer's calls to the user, which are answered by a rule or by hand.
actor PeerCallDesk {
    /// The largest number of calls that wait for the user. Further calls get an error object: 100.
    static let maximumWaiting = 100

    private struct Waiting: Sendable {
        var method: String
        var params: RawJSON?
        var answer: CancellableWait<RawJSON>
    }

    enum Treatment: Equatable, Sendable {
        case rule(RawJSON)
        /// The call waits for the user under this number.
        case hand(Int)
        /// There is no answer for this method, or too many calls wait.
        case refused
    }

    private var results: [String: RawJSON]
    private var calls: [Int: Waiting] = [:]
    private var lastNumber = 0
    /// False if there is no user to answer calls.
    private var answersByHand: Bool
    private let show: @Sendable (_ method: String, _ params: RawJSON?, Treatment) -> Void

    init(
        answersByHand: Bool, rules: [String: RawJSON] = [:],
        show: @escaping @Sendable (_ method: String, _ params: RawJSON?, Treatment) -> Void
    ) {
        self.show = show
        results = rules
        self.answersByHand = answersByHand
    }

    /// Serves all calls of a client's peer. `methods` are the methods that have handlers of their own, which are
    /// removed.
    nonisolated func serve(_ client: JSONRPCClient, insteadOf methods: [String]) {
        for method in methods { client.removeHandler(for: method) }
        client.setFallbackHandler { [self] call in try await result(of: call.method, call.params) }
    }

    /// Returns the result of a call when it is known. Throws the error object of the user, or one that refuses the
    /// call.
    nonisolated func result(of method: String, _ params: RawJSON?) async throws -> RawJSON {
        let answer = CancellableWait<RawJSON>()
        let (treatment, refusal) = await treatment(of: Waiting(method: method, params: params, answer: answer))
        show(method, params, treatment)
        switch treatment {
        case .rule(let result): return result
        case .refused: throw refusal
        case .hand(let number):
            let outcome = await Result(of: { try await answer.value() })
            await remove(number)
            return try outcome.get()
        }
    }

    private func treatment(of call: Waiting) -> (Treatment, refusal: ErrorObject) {
        let busy = ErrorObject(
            code: SessionConfiguration.Inbound.serverBusy, message: "Too many calls wait for an answer.")
        if let result = results[call.method] { return (.rule(result), busy) }
        guard answersByHand else { return (.refused, ErrorObject(.methodNotFound)) }
        guard calls.count < Self.maximumWaiting else { return (.refused, busy) }
        lastNumber += 1
        calls[lastNumber] = call
        return (.hand(lastNumber), busy)
    }

    private func remove(_ number: Int) { calls[number] = nil }

    /// Answers a call. Returns its method; `nil` if no call with this number waits.
    func settle(_ number: Int, _ outcome: Result<RawJSON, any Error>) -> String? {
        guard let call = calls.removeValue(forKey: number), call.answer.resume(with: outcome) else { return nil }
        return call.method
    }

    /// Refuses the calls that wait, and from now on all calls without a rule. Returns the number of those that waited.
    func refuseAll() -> Int {
        answersByHand = false
        defer { calls = [:] }
        let error = ErrorObject(code: SessionConfiguration.Inbound.serverBusy, message: "The user has left.")
        return calls.values.count { $0.answer.resume(throwing: error) }
    }

    /// Sets the rule for a method; `nil` removes it. Returns whether there was a rule.
    @discardableResult
    func setRule(_ method: String, _ result: RawJSON?) -> Bool {
        defer { results[method] = result }
        return results[method] != nil
    }

    var rules: [(method: String, result: RawJSON)] {
        results.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    var waiting: [(number: Int, method: String, params: RawJSON?)] {
        calls.sorted { $0.key < $1.key }.map { ($0.key, $0.value.method, $0.value.params) }
    }
}
