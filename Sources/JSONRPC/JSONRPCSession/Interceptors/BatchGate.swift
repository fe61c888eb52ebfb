// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import TaskWaits
import WireJSON

/// The gate after the interceptors, where the members of a batch wait for each other.
///
/// No lock is held while a task is resumed.
final class BatchGate: Sendable {
    private typealias Wait = CancellableWait<RawJSON>

    /// A member that is sent with the batch.
    struct Deposit: Sendable {
        var index: Int
        var call: OutboundCall
    }

    /// The progress of a member.
    private enum Stage {
        /// The member is in its interceptors. Can transition to: `waiting`, `over`.
        case coming
        /// The member waits for the other members. Can transition to: `sent`, `over`.
        case waiting(OutboundCall, Wait)
        /// The member was sent, and waits for its outcome. Can transition to: `over`.
        case sent(Wait)
        /// The member has left the gate, or may leave it with its outcome.
        case over(Result<RawJSON, any Error>? = nil)

        var isComing: Bool { if case .coming = self { true } else { false } }
    }

    private struct State {
        var stages: [Stage]
        /// The number of members that may still arrive.
        var missing: Int
        /// Whether the whole batch was cancelled. Then the sender settles the members that were sent.
        var isCancelled = false
        /// The error for members after the gate has refused to send.
        var refusal: (any Error)?

        mutating func move(_ index: Int, to stage: Stage) {
            if stages[index].isComing { missing -= 1 }
            stages[index] = stage
        }
    }

    private let state: Mutex<State>
    /// The sender's wait until no member is missing.
    let whole = CancellableWait<Void>()

    init(members: Int) {
        state = Mutex(State(stages: Array(repeating: .coming, count: members), missing: members))
    }

    // MARK: For members

    /// Waits until the batch was sent and the member has its outcome. Returns `nil` if the member has passed before;
    /// then it is sent as a single call.
    func pass(_ deposit: Deposit) async throws -> RawJSON? {
        let wait = Wait()
        let (isFirst, refusal) = change { state -> (Bool, (any Error)?) in
            guard state.stages[deposit.index].isComing else { return (false, nil) }
            if state.refusal == nil { state.move(deposit.index, to: .waiting(deposit.call, wait)) }
            return (true, state.refusal)
        }
        if let refusal { throw refusal }
        guard isFirst else { return nil }
        do {
            return try await wait.value()
        } catch {
            guard let late = leave(deposit.index) else { throw error }
            return try await Task { try await late.value() }.value
        }
    }

    /// The member's task was cancelled, perhaps by an interceptor, or the member has failed. If the whole batch was cancelled
    /// after it was sent, the wait for the outcome goes on.
    private func leave(_ index: Int) -> Wait? {
        let (late, outcome) = state.withLock { state -> (Wait?, Result<RawJSON, any Error>?) in
            switch state.stages[index] {
            case .sent where state.isCancelled:
                let late = Wait()
                state.stages[index] = .sent(late)
                return (late, nil)
            case .over(let outcome?) where state.isCancelled: return (Wait(), outcome)
            case .waiting, .sent: state.stages[index] = .over()
            case .coming, .over: break
            }
            return (nil, nil)
        }
        if let outcome { late?.resume(with: outcome) }
        return late
    }

    /// The member's interceptors have ended.
    func ended(_ index: Int) {
        change { state in
            if state.stages[index].isComing { state.move(index, to: .over()) }
        }
    }

    // MARK: For the sender

    /// Whether no member is missing.
    var isWhole: Bool { state.withLock { $0.missing == 0 } }

    /// Returns the members that wait, in the order of the entries, and marks them as sent.
    func take() -> [Deposit] {
        state.withLock { state in
            state.stages.indices.compactMap { index in
                // A member that was cancelled is not sent.
                guard case .waiting(let call, let wait) = state.stages[index], !wait.isOver else { return nil }
                state.stages[index] = .sent(wait)
                return Deposit(index: index, call: call)
            }
        }
    }

    /// Ends the wait of a member that was sent. The first outcome wins.
    func settle(_ index: Int, _ outcome: Result<RawJSON, CallError>) {
        let outcome = outcome.mapError(\.underlying)
        let wait = state.withLock { state -> Wait? in
            guard case .sent(let wait) = state.stages[index] else { return nil }
            state.stages[index] = .over(outcome)
            return wait
        }
        wait?.resume(with: outcome)
    }

    /// Refuses to send: waiting members and later members fail with the error.
    func refuse(_ error: any Error) {
        let waits = state.withLock { state -> [Wait] in
            guard state.refusal == nil else { return [] }
            state.refusal = error
            return state.stages.indices.compactMap { index in
                guard case .waiting(_, let wait) = state.stages[index] else { return nil }
                state.stages[index] = .over()
                return wait
            }
        }
        for wait in waits { wait.resume(throwing: error) }
    }

    /// Marks the whole batch as cancelled.
    func batchCancelled() { state.withLock { $0.isCancelled = true } }

    /// The error for members that arrive now.
    var refusal: (any Error)? { state.withLock { $0.refusal } }

    /// Changes the state, and wakes the sender if no member is missing after that.
    @discardableResult
    private func change<Value>(_ body: (inout State) -> Value) -> Value {
        let (value, isWhole) = state.withLock { state in
            let value = body(&state)
            return (value, state.missing == 0)
        }
        if isWhole { whole.resume() }
        return value
    }
}
