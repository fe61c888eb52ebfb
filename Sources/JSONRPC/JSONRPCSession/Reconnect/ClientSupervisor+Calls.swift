// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TaskWaits

// Calls of a client that reconnects.
extension ClientSupervisor {
    /// Makes a call in the current session or, if it is lost and the call may be repeated, in the next.
    ///
    /// - Parameter send: Makes the call in a session, within a limit.
    func call<Value>(
        _ method: String?, timeout: CallTimeout, options: CallOptions,
        send: (DuplexSession, CallTimeout) async throws -> Value
    ) async throws -> Value {
        try await call(method, timeout: timeout, repetition(timeout, options), send: send)
    }

    /// Makes a call, which may have failed in earlier sessions.
    func call<Value>(
        _ method: String?, timeout: CallTimeout, _ repetition: CallRepetition,
        send: (DuplexSession, CallTimeout) async throws -> Value
    ) async throws -> Value {
        var repetition = repetition
        while true {
            let session: DuplexSession
            let rest: CallTimeout
            do {
                (session, rest) = try await readySession(timeout, &repetition)
            } catch let error as ClientError {
                throw repetition.error(withoutConnection: error, method)
            }
            do {
                return try await send(session, rest)
            } catch let error as ClientError {
                guard isOver(session), repetition.mayRepeat(after: error) else {
                    throw repetition.error(error, error.method)
                }
            }
            noteEnd(of: session)
        }
    }

    func repetition(_ timeout: CallTimeout, _ options: CallOptions) -> CallRepetition {
        repetition(timeout, options, begun: clock.now)
    }

    /// - Parameter begun: The beginning of the call, by ``clock``.
    func repetition(_ timeout: CallTimeout, _ options: CallOptions, begun: SessionTime) -> CallRepetition {
        CallRepetition(
            limit: timeout.duration(configured: configuration.callTimeout), begun: begun,
            isIdempotent: options.isIdempotent, maximum: options.maximumRepetitions ?? policy.maximumRepetitions)
    }

    /// Returns the session in which calls are made and the time that is left for a call. It waits for the session if
    /// the policy says so.
    ///
    /// - Throws: A `ClientError` without the method; a `CancellationError`.
    func readySession(
        _ timeout: CallTimeout, _ repetition: inout CallRepetition
    ) async throws -> (DuplexSession, CallTimeout) {
        if let session = readySessionNow {
            return (session, repetition.isFirst ? timeout : repetition.rest(now: clock.now))
        }
        let session = try await clock.value(until: repetition.deadline) { try await self.nextSession() }
        guard let session else {
            throw machine {
                $0.withoutConnection(.timedOut, "The client got no connection within the timeout of the call.")
            }
        }
        return (session, repetition.rest(now: clock.now))
    }

    private func nextSession() async throws -> DuplexSession {
        switch machine({ $0.callBegan() }) {
        case .begin(let session): return session
        case .fail(let error): throw error
        case .wait(let wait):
            defer { machine { $0.callLeft(wait) } }
            return try await wait.value()
        }
    }
}

/// The rules by which one call is sent again after the loss of its connection.
struct CallRepetition: Sendable {
    let deadline: SessionTime?
    private let isIdempotent: Bool
    /// The number of repetitions left for a call that may have been sent.
    private var remaining: Int
    /// Whether the peer may have seen the call.
    private var mayHaveBeenSent = false
    /// The error of the latest attempt.
    private var loss: ClientError?
    /// Whether no attempt has failed yet.
    private(set) var isFirst = true

    init(limit: Duration?, begun: SessionTime, isIdempotent: Bool, maximum: Int) {
        deadline = limit.map { begun.advanced(by: $0) }
        self.isIdempotent = isIdempotent
        remaining = maximum
    }

    /// Returns whether the call is sent again after a loss.
    mutating func mayRepeat(after error: ClientError) -> Bool {
        guard [.connectionLost, .notConnected, .closed].contains(error.code) else { return false }
        isFirst = false
        loss = error
        switch error.delivery {
        case .notSent: return true
        case .outcomeUnknown:
            mayHaveBeenSent = true
            guard isIdempotent, remaining > 0 else { return false }
            remaining -= 1
            return true
        case .answered, nil: return false
        }
    }

    /// Returns the time that is left.
    func rest(now: SessionTime) -> CallTimeout {
        deadline.map { .after(max(.zero, $0.duration(since: now))) } ?? .none
    }

    /// Returns the error with the method, and with the certainty about all attempts together.
    func error(_ error: ClientError, _ method: String?) -> ClientError {
        var error = error
        error.method = method
        // An answer is certain, whatever became of earlier attempts.
        if mayHaveBeenSent, error.delivery != .answered { error.delivery = .outcomeUnknown }
        return error
    }

    /// Returns the error of a call for which there is no other connection, with the details of the loss.
    func error(withoutConnection error: ClientError, _ method: String?) -> ClientError {
        var error = self.error(error, method)
        guard error.code != .closed else { return error }
        error.cause = error.cause ?? loss
        error.requestID = error.requestID ?? loss?.requestID
        error.closeCode = error.closeCode ?? loss?.closeCode
        error.lastState = error.lastState ?? loss?.lastState
        return error
    }
}
