// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TaskWaits

/// A token, which at most one task refreshes at a time.
final class TokenStore: Sendable {
    private enum Admission {
        case known(Result<String, any Error>)
        case wait(CancellableWait<String>, startsRefresh: Bool)
    }

    private struct State {
        var token: String?
        /// The last token that was to be replaced, and the outcome. Requests that were sent with it may be refused later.
        var replaced: (token: String, outcome: Result<String, any Error>)?
        var isRefreshing = false
        var waits: Set<CancellableWait<String>> = []

        /// Returns what is known about the replacement of a token without another refresh.
        func known(replacing refused: String?) -> Result<String, any Error>? {
            if let token, token != refused { return .success(token) }
            guard !isRefreshing, let refused, let replaced, replaced.token == refused else { return nil }
            return replaced.outcome
        }

        /// Returns what is known, or adds a wait.
        mutating func admit(replacing refused: String?) throws -> Admission {
            if let known = known(replacing: refused) { return .known(known) }
            // A task that was cancelled starts no refresh.
            try Task.checkCancellation()
            let wait = CancellableWait<String>()
            waits.insert(wait)
            defer { isRefreshing = true }
            return .wait(wait, startsRefresh: !isRefreshing)
        }

        /// Takes the outcome of a refresh. Returns the waits for it.
        mutating func end(
            _ outcome: Result<String, any Error>, replacing refused: String?
        ) -> Set<CancellableWait<String>> {
            isRefreshing = false
            token = try? outcome.get()
            if let refused {
                replaced = (refused, outcome)
            } else if token != nil {
                // The new token may be one that was refused before.
                replaced = nil
            }
            defer { waits = [] }
            return waits
        }
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
        switch try state.withLock({ try $0.admit(replacing: refused) }) {
        case .known(let outcome): return try outcome.get()
        case .wait(let wait, let startsRefresh):
            if startsRefresh { startRefresh(of: refused) }
            defer { _ = state.withLock { $0.waits.remove(wait) } }
            return try await wait.value()
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
            let waits = state.withLock { $0.end(result, replacing: refused) }
            for wait in waits { wait.resume(with: result) }
        }
    }
}

private struct TokenRefreshCancelled: Error, CustomStringConvertible {
    var description: String { "The refresh was cancelled." }
}
