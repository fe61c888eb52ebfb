// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

/// The gate after the interceptors, where the members of a batch wait for each other.
///
/// No lock is held while a task is resumed.
final class BatchGate: Sendable {
    private typealias Waiter = CheckedContinuation<RawJSON, any Error>

    /// A member that is sent with the batch.
    struct Deposit: Sendable {
        var index: Int
        var call: OutboundCall
    }

    /// The progress of a member.
    private enum Stage {
        /// The member is in its interceptors. Can transition to: `arriving`, `over`.
        case coming
        /// The member has called `next` and does not wait yet. Can transition to: `waiting`, `over`.
        case arriving
        /// The member waits for the other members. Can transition to: `sent`, `over`.
        case waiting(OutboundCall, Waiter)
        /// The member was sent, and waits for its outcome. Can transition to: `over`.
        case sent(Waiter)
        /// The member has left the gate.
        case over

        var isMissing: Bool {
            switch self {
            case .coming, .arriving: true
            case .waiting, .sent, .over: false
            }
        }
    }

    private struct State {
        var stages: [Stage]
        /// The number of members that may still arrive.
        var missing: Int
        var sender: CheckedContinuation<Bool, Never>?
        /// Whether the sender was cancelled.
        var isSenderCancelled = false
        /// Whether the whole batch was cancelled. Then the sender settles the members that were sent.
        var isCancelled = false
        /// The error for members after the gate has refused to send.
        var refusal: (any Error)?

        mutating func move(_ index: Int, to stage: Stage) {
            if stages[index].isMissing, !stage.isMissing { missing -= 1 }
            stages[index] = stage
        }
    }

    private let state: Mutex<State>

    init(members: Int) {
        state = Mutex(State(stages: Array(repeating: .coming, count: members), missing: members))
    }

    // MARK: For members

    /// Waits until the batch was sent and the member has its outcome. Returns `nil` if the member has passed before;
    /// then it is sent as a single call.
    func pass(_ deposit: Deposit) async throws -> RawJSON? {
        let index = deposit.index
        let (isFirst, refusal) = state.withLock { state -> (Bool, (any Error)?) in
            guard case .coming = state.stages[index] else { return (false, nil) }
            if state.refusal == nil { state.move(index, to: .arriving) }
            return (true, state.refusal)
        }
        if let refusal { throw refusal }
        guard isFirst else { return nil }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(deposit, $0) }
        } onCancel: {
            cancel(index)
        }
    }

    private func wait(_ deposit: Deposit, _ waiter: Waiter) {
        let refusal = change { state -> (any Error)? in
            guard case .arriving = state.stages[deposit.index] else { return state.refusal ?? CancellationError() }
            state.move(deposit.index, to: .waiting(deposit.call, waiter))
            return nil
        }
        if let refusal { waiter.resume(throwing: refusal) }
    }

    /// The member's task was cancelled, perhaps by an interceptor.
    private func cancel(_ index: Int) {
        let waiter = change { state -> Waiter? in
            switch state.stages[index] {
            case .waiting(_, let waiter):
                state.move(index, to: .over)
                return waiter
            case .sent(let waiter) where !state.isCancelled:
                state.move(index, to: .over)
                return waiter
            case .arriving:
                state.move(index, to: .over)
                return nil
            case .coming, .sent, .over: return nil
            }
        }
        waiter?.resume(throwing: CancellationError())
    }

    /// The member's interceptors have ended.
    func ended(_ index: Int) {
        change { state in
            if state.stages[index].isMissing { state.move(index, to: .over) }
        }
    }

    // MARK: For the sender

    /// Whether no member is missing.
    var isWhole: Bool { state.withLock { $0.missing == 0 } }

    /// Waits until no member is missing. Returns `false` if the task is cancelled first.
    func whole() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if state.missing == 0 { return true }
                    if state.isSenderCancelled { return false }
                    state.sender = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let sender = state.withLock { state in
                state.isSenderCancelled = true
                return state.sender.take()
            }
            sender?.resume(returning: false)
        }
    }

    /// Returns the members that wait, in the order of the entries, and marks them as sent.
    func take() -> [Deposit] {
        state.withLock { state in
            state.stages.indices.compactMap { index in
                guard case .waiting(let call, let waiter) = state.stages[index] else { return nil }
                state.stages[index] = .sent(waiter)
                return Deposit(index: index, call: call)
            }
        }
    }

    /// Ends the wait of a member that was sent. The first outcome wins.
    func settle(_ index: Int, _ outcome: Result<RawJSON, CallError>) {
        let waiter = state.withLock { state -> Waiter? in
            guard case .sent(let waiter) = state.stages[index] else { return nil }
            state.stages[index] = .over
            return waiter
        }
        waiter?.resume(with: outcome.mapError(\.underlying))
    }

    /// Refuses to send: waiting members and later members fail with the error.
    func refuse(_ error: any Error) {
        let waiters = state.withLock { state -> [Waiter] in
            guard state.refusal == nil else { return [] }
            state.refusal = error
            return state.stages.indices.compactMap { index in
                guard case .waiting(_, let waiter) = state.stages[index] else { return nil }
                state.stages[index] = .over
                return waiter
            }
        }
        for waiter in waiters { waiter.resume(throwing: error) }
    }

    /// Marks the whole batch as cancelled.
    func batchCancelled() { state.withLock { $0.isCancelled = true } }

    /// The error for members that arrive now.
    var refusal: (any Error)? { state.withLock { $0.refusal } }

    /// Changes the state, and wakes the sender if no member is missing after that.
    @discardableResult
    private func change<Value>(_ body: (inout State) -> Value) -> Value {
        let (value, sender) = state.withLock { state in
            let value = body(&state)
            return (value, state.missing == 0 ? state.sender.take() : nil)
        }
        sender?.resume(returning: true)
        return value
    }
}
