// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A token, which at most one task refreshes at a time.
final class TokenStore: Sendable {
    private typealias Waiter = CheckedContinuation<String, any Error>

    private struct State {
        var token: String?
        /// The last token that was to be replaced, and the outcome. Requests that were sent with it may be refused later.
        var replaced: (token: String, outcome: Result<String, any Error>)?
        var isRefreshing = false
        var waiters: [UInt64: Waiter] = [:]
        /// Waiters that were cancelled before they waited.
        var cancelled: Set<UInt64> = []
        var lastNumber: UInt64 = 0

        /// Returns what is known about the replacement of a token without another refresh.
        func known(replacing refused: String?) -> Result<String, any Error>? {
            if let token, token != refused { return .success(token) }
            guard !isRefreshing, let refused, let replaced, replaced.token == refused else { return nil }
            return replaced.outcome
        }

        /// Takes the outcome of a refresh.
        mutating func end(_ outcome: Result<String, any Error>, replacing refused: String?) {
            isRefreshing = false
            token = try? outcome.get()
            if let refused {
                replaced = (refused, outcome)
            } else if token != nil {
                // The new token may be one that was refused before.
                replaced = nil
            }
        }
    }

    private enum Action {
        case settle(Result<String, any Error>)
        case cancel
        case wait
        case refresh
    }

    private let refresh: @Sendable (String?) async throws -> String
    private let state: Mutex<State>

    init(token: String?, refresh: @escaping @Sendable (String?) async throws -> String) {
        self.refresh = refresh
        state = Mutex(State(token: token))
    }

    var token: String? { state.withLock { $0.token } }

    /// Forgets a token, unless it was replaced meanwhile.
    func drop(_ token: String) {
        state.withLock { if $0.token == token { $0.token = nil } }
    }

    /// Returns the current token if it is not the refused one, and otherwise waits for a new one.
    ///
    /// Late refusals of a token get the outcome of the refresh that its first refusal caused, even if that failed.
    func token(replacing refused: String?) async throws -> String {
        let (known, number) = state.withLock { state -> (Result<String, any Error>?, UInt64) in
            if let known = state.known(replacing: refused) { return (known, 0) }
            state.lastNumber += 1
            return (nil, state.lastNumber)
        }
        if let known { return try known.get() }
        // A cancellation after the end of the wait leaves its mark behind.
        defer { _ = state.withLock { $0.cancelled.remove(number) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                switch admit(waiter, number, refused) {
                case .settle(let outcome): waiter.resume(with: outcome)
                case .cancel: waiter.resume(throwing: CancellationError())
                case .wait: break
                case .refresh: startRefresh(of: refused)
                }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func admit(_ waiter: Waiter, _ number: UInt64, _ refused: String?) -> Action {
        state.withLock { state in
            if state.cancelled.remove(number) != nil { return .cancel }
            if let known = state.known(replacing: refused) { return .settle(known) }
            state.waiters[number] = waiter
            guard !state.isRefreshing else { return .wait }
            state.isRefreshing = true
            return .refresh
        }
    }

    private func startRefresh(of refused: String?) {
        Task {
            let result: Result<String, any Error>
            do {
                result = .success(try await refresh(refused))
            } catch is CancellationError {
                // The waiters were not cancelled.
                result = .failure(TokenRefreshCancelled())
            } catch {
                result = .failure(error)
            }
            let waiters = state.withLock { state in
                state.end(result, replacing: refused)
                defer { state.waiters = [:] }
                return state.waiters.values
            }
            for waiter in waiters { waiter.resume(with: result) }
        }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { state in
            let waiter = state.waiters.removeValue(forKey: number)
            if waiter == nil { state.cancelled.insert(number) }
            return waiter
        }
        waiter?.resume(throwing: CancellationError())
    }
}

private struct TokenRefreshCancelled: Error, CustomStringConvertible {
    var description: String { "The refresh was cancelled." }
}
