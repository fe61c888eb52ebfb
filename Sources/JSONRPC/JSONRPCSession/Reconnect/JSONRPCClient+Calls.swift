// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import TaskWaits
public import WireJSON

extension JSONRPCClient: JSONRPCCaller {
    public func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        guard supervisor.reconnects else {
            return try await supervisor.connected(method).callRaw(
                method, params: params, timeout: timeout, options: options)
        }
        return try await supervisor.call(method, timeout: timeout, supervisor.repetition(timeout, options)) {
            try await $0.callRaw(method, params: params, timeout: $1, options: options)
        }
    }

    public func _callRaw<Params: Encodable & Sendable>(
        _ method: String, encoding params: Params, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        // Without a session, params that cannot be encoded are reported before the call waits for one.
        guard let session = supervisor.reconnects ? supervisor.readySessionNow : supervisor.lastSession else {
            return try await callRaw(method, params: try encode(params, method), timeout: timeout, options: options)
        }
        guard supervisor.reconnects else {
            return try await session._callRaw(method, encoding: params, timeout: timeout, options: options)
        }
        return try await supervisor.call(method, timeout: timeout, supervisor.repetition(timeout, options)) {
            try await $0._callRaw(method, encoding: params, timeout: $1, options: options)
        }
    }

    public func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        guard supervisor.reconnects else {
            return try await supervisor.connected(method).notifyRaw(method, params: params, options: options)
        }
        try await supervisor.call(method, timeout: .default, supervisor.repetition(.default, options)) { session, _ in
            try await session.notifyRaw(method, params: params, options: options)
        }
    }

    public func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        try await collectedOutcomes(of: entries, timeout: timeout)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        guard supervisor.reconnects else {
            return try await supervisor.connected(nil).batch(
                entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
        }
        try await supervisor.batch(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
    }
}

extension ClientSupervisor {
    /// Returns the session of a client that does not reconnect.
    func connected(_ method: String?) throws -> DuplexSession {
        if let session = lastSession { return session }
        var error = ClientError.notConnected
        error.method = method
        throw error
    }

    // MARK: Calls of a client that reconnects

    /// Makes a call in the current session or, if it is lost and the call may be repeated, in the next.
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

    func repetition(_ timeout: CallTimeout, _ options: CallOptions, begun: SessionTime? = nil) -> CallRepetition {
        CallRepetition(
            limit: timeout.duration(configured: configuration.calls.timeout), begun: begun ?? clock.now,
            isIdempotent: options.isIdempotent, maximum: options.maximumRepetitions ?? policy.maximumRepetitions)
    }

    /// Returns the session in which calls are made and the time that is left for a call. It waits for the session if
    /// the policy says so. Its errors do not name the method.
    private func readySession(
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

    // MARK: Batches of a client that reconnects

    private typealias Member = (index: Int, repetition: CallRepetition)

    /// Sends a batch. After a loss, only the members that may be repeated are sent again.
    func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try Task.checkCancellation()
        guard !entries.isEmpty else { return }
        var members: [Member] = entries.enumerated().map { ($0, repetition(timeout, $1.options)) }
        while true {
            let session: DuplexSession
            let rest: CallTimeout
            do {
                (session, rest) = try await readySession(timeout, &members[0].repetition)
            } catch {
                return giveUp(members, entries, error, eachOutcome)
            }
            do {
                members = try await send(members, of: entries, rest, pace, session, eachOutcome)
            } catch {
                // Nothing may be thrown when members have outcomes.
                if members[0].repetition.isFirst { throw error }
                return giveUp(members, entries, error, eachOutcome)
            }
            if members.isEmpty { return }
            noteEnd(of: session)
        }
    }

    /// Sends members in a session. Returns those that must be sent again.
    private func send(
        _ members: [Member], of entries: [BatchEntry], _ timeout: CallTimeout, _ pace: BatchEntry.OutcomePace,
        _ session: DuplexSession, _ eachOutcome: (Int, Result<RawJSON, CallError>) -> Void
    ) async throws -> [Member] {
        var lost: [Member] = []
        try await session.batch(members.map { entries[$0.index] }, timeout: timeout, pace: pace) { place, outcome in
            var member = members[place]
            guard case .failure(.failed(let error)) = outcome else { return eachOutcome(member.index, outcome) }
            if isOver(session), member.repetition.mayRepeat(after: error) {
                lost.append(member)
            } else {
                eachOutcome(member.index, .failure(.failed(member.repetition.error(error, error.method))))
            }
        }
        return lost.sorted { $0.index < $1.index }
    }

    /// Ends members for which there is no connection.
    private func giveUp(
        _ members: [Member], _ entries: [BatchEntry], _ error: any Error,
        _ eachOutcome: (Int, Result<RawJSON, CallError>) -> Void
    ) {
        for member in members {
            let method = entries[member.index].method
            guard let error = error as? ClientError else {
                eachOutcome(member.index, .failure(.cancelled))
                continue
            }
            eachOutcome(
                member.index, .failure(.failed(member.repetition.error(withoutConnection: error, method))))
        }
    }
}

/// The rules by which one call is sent again after the loss of its connection.
struct CallRepetition: Sendable {
    let deadline: SessionTime?
    private let isIdempotent: Bool
    /// The number of repetitions left for a call that may have been sent.
    private var remaining: Int
    private var mayHaveBeenSent = false
    /// The error of the latest attempt.
    private var loss: ClientError?
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
        // An answer is certain, regardless of earlier attempts.
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
