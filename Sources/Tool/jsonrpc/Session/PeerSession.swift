// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCHTTP
import JSONRPCWebSocket
import TaskWaits
import ToolSupport

/// The operations that commands need from a connection. ``LibrarySession`` and ``HTTPPeerSession`` implement it with the
/// library, and tests implement it with scripted answers.
protocol PeerSession: Sendable {
    /// Makes a call and returns its result. The timeout is that of the session.
    func call(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws -> RawJSON

    var makesManyCalls: Bool { get }

    /// Makes the calls of lines, of one line unless ``makesManyCalls``. They are sent in order before the function first
    /// suspends.
    ///
    /// - Parameter eachOutcome: Gets the index of a line and its outcome, in the order in which the calls end. An error
    ///   that it throws ends the other calls.
    func call(_ lines: [BatchLine], eachOutcome: (Int, Result<RawJSON, any Error>) throws -> Void) async throws

    func notify(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws

    /// Sends all lines as one array. Returns an outcome for each line, in order; `nil` for a notification.
    func batch(_ lines: [BatchLine]) async throws -> [Result<RawJSON, any Error>?]

    /// Waits for the end of the connection and returns the reason; `nil` if the task is cancelled before.
    func connectionEnd() async -> CallFailure?
}

extension PeerSession {
    var makesManyCalls: Bool { false }

    func call(_ lines: [BatchLine], eachOutcome: (Int, Result<RawJSON, any Error>) throws -> Void) async throws {
        for (index, line) in lines.enumerated() {
            let outcome = await Result(of: {
                try await call(line.method, params: line.params, extraMembers: line.extraMembers)
            })
            try eachOutcome(index, outcome)
        }
    }

    func call(_ method: String, params: RawJSON?) async throws -> RawJSON {
        try await call(method, params: params, extraMembers: ExtraMembers())
    }
}

/// A session that makes its calls with a client of the library.
protocol CallerSession: PeerSession {
    var caller: any JSONRPCCaller { get }
    /// The rest of `--timeout` if it limits the whole command; `nil` if it limits each call.
    var budget: TimeBudget? { get }
    /// Whether calls may be sent again that the peer may have executed.
    var isIdempotent: Bool { get }

    /// Returns the error that a command throws for an error of the library.
    func failure(_ error: any Error) -> any Error
}

extension CallerSession {
    /// The timeout of a call that begins now.
    var timeout: CallTimeout {
        guard let budget else { return .default }
        return budget.rest.map { .after($0) } ?? .none
    }

    func call(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws -> RawJSON {
        do {
            return try await caller.callRaw(
                method, params: params, timeout: timeout,
                options: CallOptions(extraMembers: extraMembers, isIdempotent: isIdempotent))
        } catch {
            throw failure(error)
        }
    }

    func notify(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws {
        do {
            try await caller.notifyRaw(method, params: params, options: CallOptions(extraMembers: extraMembers))
        } catch {
            throw failure(error)
        }
    }

    func batch(_ lines: [BatchLine]) async throws -> [Result<RawJSON, any Error>?] { try await array(lines) }

    /// Sends all lines as one array.
    func array(_ lines: [BatchLine]) async throws -> [Result<RawJSON, any Error>?] {
        let entries = lines.map {
            BatchEntry(
                method: $0.method, params: $0.params, isNotification: $0.isNotification,
                options: CallOptions(extraMembers: $0.extraMembers, isIdempotent: isIdempotent))
        }
        do {
            return try await caller.batch(entries, timeout: .default).map { $0?.mapError { failure($0.underlying) } }
        } catch {
            throw failure(error)
        }
    }
}

/// Connects over WebSocket or HTTP, as the URL says, runs `body`, and ends the connection, also if `body` throws. Over
/// HTTP, `posts` limits the POSTs in flight.
func withPeerSession<T: Sendable>(
    _ url: String, _ options: ConnectionOptions, _ setup: LibrarySession.Setup = .init(), posts: Int = 1,
    body: @Sendable (any PeerSession) async throws -> T
) async throws -> T {
    guard TargetURL.isHTTP(url) else {
        return try await LibrarySession.with(
            url, options, setup, prepare: { _ in ((), []) }, body: { session, _ in try await body(session) })
    }
    let session = try HTTPPeerSession(url, options, budget: setup.budget, posts: posts, retries: setup.retries)
    defer { session.close() }
    return try await body(session)
}

/// The rest of `--timeout`, for a command that must end within it.
struct TimeBudget: Sendable {
    let limit: Duration?
    private let end: ContinuousClock.Instant?

    init(_ limit: TimeLimitOption) {
        self.limit = limit.duration
        end = limit.duration.map { ContinuousClock.now + $0 }
    }

    /// The remaining time; `nil` for no limit. It is at least one nanosecond, because zero would mean "no limit".
    var rest: Duration? { end.map { max(.nanoseconds(1), $0 - .now) } }
}
