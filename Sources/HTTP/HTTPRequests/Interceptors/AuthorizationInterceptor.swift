// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes
import Synchronization
import TaskWaits

/// Adds a token to requests, and gets a new one when the server refuses it.
///
/// ```swift
/// let authorization = AuthorizationInterceptor(token: savedToken) { refused in
///     try await tokenService.newToken(replacing: refused)
/// }
/// ```
///
/// If there is no token yet, a request waits for the first one. After a response with the status 401, the token is
/// replaced and the request is sent once more, unless its body cannot be sent again. Requests that are refused with the
/// same token share one refresh, and its error if it fails. A token is dropped if its refresh fails or the server
/// refuses its replacement; the next request then asks for another.
///
/// A request that has an `Authorization` field is passed on unchanged. All hosts of a session get the token unless
/// ``init(token:scheme:appliesTo:refresh:)`` is given a condition.
public final class AuthorizationInterceptor: HTTPInterceptor {
    private let store: TokenStore
    private let scheme: String
    private let appliesTo: @Sendable (HTTPRequest) -> Bool

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - token: The token to begin with; `nil` to ask for one.
    ///   - scheme: The text before the token. The default is `Bearer` (RFC 6750 §2.1).
    ///   - appliesTo: Decides which requests get the token, for example by their authority. The default is all.
    ///   - refresh: Returns a new token. Its argument is the token that was refused; `nil` if there was none. It runs
    ///     in a task of its own, which the cancellation of a request does not cancel.
    public init(
        token: String? = nil, scheme: String = "Bearer",
        appliesTo: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true },
        refresh: @escaping @Sendable (_ refused: String?) async throws -> String
    ) {
        self.scheme = scheme
        self.appliesTo = appliesTo
        store = TokenStore(token: token, refresh: refresh)
    }

    /// The current token; `nil` before the first one, and after a failure.
    public var token: String? { store.token }

    public func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> ReceivedHTTPResponse {
        guard !request.headerFields.contains(.authorization), appliesTo(request) else {
            return try await next(request, body: body, context: context)
        }
        let token = try await replacement(for: nil, head: nil)
        let head: HTTPResponse
        do {
            // Release the refused response here; otherwise its connection would stay in use during the next attempt.
            let refusal = try await next(authorized(request, token), body: body, context: context)
            guard refusal.head.status == .unauthorized else { return refusal }
            guard body?.isReplayable ?? true else {
                store.drop(token)
                return refusal
            }
            await refusal.body.discard()
            head = refusal.head
        }
        let newToken = try await replacement(for: token, head: head)
        let response = try await next(authorized(request, newToken), body: body, context: context)
        if response.head.status == .unauthorized { store.drop(newToken) }
        return response
    }

    private func replacement(for refused: String?, head: HTTPResponse?) async throws -> String {
        do {
            return try await store.token(replacing: refused)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw HTTPAuthorizationError(underlying: error, head: head)
        }
    }

    private func authorized(_ request: HTTPRequest, _ token: String) -> HTTPRequest {
        var request = request
        request.headerFields[.authorization] = scheme.isEmpty ? token : "\(scheme) \(token)"
        return request
    }
}

/// A token that an ``AuthorizationInterceptor`` could not get.
public struct HTTPAuthorizationError: Error, Sendable {
    /// The error of the closure that refreshes tokens.
    public let underlying: any Error
    /// The head of the response that refused the last token; `nil` if there was none.
    public let head: HTTPResponse?
}

extension HTTPAuthorizationError: CustomStringConvertible {
    public var description: String { "Could not get a token: \(CoderReason.text(of: underlying) ?? "\(underlying)")" }
}

/// A token that at most one task refreshes at a time.
private final class TokenStore: Sendable {
    private enum Admission {
        case known(Result<String, any Error>)
        case wait(CancellableWait<String>, startsRefresh: Bool)
    }

    private struct State {
        var token: String?
        /// The last token that was replaced, and the outcome. Requests sent with it may still be refused later.
        var replaced: (token: String, outcome: Result<String, any Error>)?
        var isRefreshing = false
        var waits: Set<CancellableWait<String>> = []

        /// Returns the replacement of a token if it is known without another refresh.
        func known(replacing refused: String?) -> Result<String, any Error>? {
            if let token, token != refused { return .success(token) }
            guard !isRefreshing, let refused, let replaced, replaced.token == refused else { return nil }
            return replaced.outcome
        }

        /// Returns the replacement if it is known, and otherwise adds a wait.
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
    /// If a token is refused again later, the result is that of the refresh after its first refusal, even if it failed.
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
                // The waiting requests were not cancelled themselves.
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
