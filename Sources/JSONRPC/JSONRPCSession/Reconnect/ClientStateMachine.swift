// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TaskWaits

/// The decisions of a client over several sessions: whether and when it connects again, which calls wait for a
/// connection, and how it ends.
///
/// It does no I/O, reads no clock and draws no random numbers. ``ClientSupervisor`` passes it the time and the events,
/// and performs the actions that it returns.
struct ClientStateMachine<Session: AnyObject & Sendable>: Sendable {
    enum Phase: Sendable {
        /// No attempt has begun, or the first attempt has failed.
        case idle
        /// The first connection is being made.
        case connecting
        /// Calls can be made, unless the session has ended meanwhile.
        case ready
        /// Another connection is being made.
        case reconnecting
        case ended
    }

    let policy: ReconnectPolicy
    private var plan: ReconnectPlan
    private(set) var phase = Phase.idle
    /// The session of the current or the last connection, from the beginning of the attempt.
    private(set) var session: Session?
    /// The number of the current or the next attempt, from 1.
    private(set) var attempt = 1
    private var hasBeenReady = false
    private(set) var isClosed = false
    /// The reason for the end of the client; `nil` if it was closed on purpose, or has not ended.
    private var end: ClientError?
    /// The reason why there is no connection: the loss of the last one, or the error of the last attempt. `nil` while
    /// there is a connection, during a first attempt, and if a connection was closed on purpose.
    private(set) var absence: ClientError?
    /// The wait for the first connection.
    private(set) var connecting: CancellableWait<Void>?
    private var calls = OrderedWaits<Session>()
    /// The waits for the end of the client, or of a failed first attempt.
    private var observers: [CancellableWait<ClientError?>] = []

    var waitingCalls: Int { calls.count }
    var waiterCount: Int { calls.count + observers.count + (connecting == nil ? 0 : 1) }

    init(_ policy: ReconnectPolicy) {
        self.policy = policy
        plan = ReconnectPlan(policy, now: .zero)
    }

    /// Waits that have an outcome. They are resumed after the lock is released.
    struct Release: Sendable {
        enum Outcome: Sendable {
            case connected(Session)
            /// The first attempt has failed. Another can follow.
            case notConnected(any Error)
            /// The client has ended. Without an error it was closed on purpose.
            case ended(ClientError?)
        }

        var outcome: Outcome
        var connecting: CancellableWait<Void>?
        var calls: [CancellableWait<Session>]
        var observers: [CancellableWait<ClientError?>]
    }

    private mutating func release(_ outcome: Release.Outcome) -> Release {
        var release = Release(outcome: outcome, connecting: connecting.take(), calls: calls.takeAll(), observers: [])
        if case .connected = outcome { return release }
        swap(&release.observers, &observers)
        return release
    }

    // MARK: Connecting

    /// Begins the first attempt. Returns an error if there can be none.
    mutating func connectRequested(_ wait: CancellableWait<Void>, now: SessionTime) -> ClientError? {
        guard phase == .idle || phase == .ended && !hasBeenReady else { return .connectedBefore }
        guard !isClosed else { return .closedBeforeConnecting }
        (phase, attempt, connecting) = (.connecting, 1, wait)
        plan = ReconnectPlan(policy, now: now)
        return nil
    }

    /// Begins an attempt with a session. Returns `false` if the client was closed.
    mutating func attemptBegan(_ session: Session) -> Bool {
        guard isWanted else { return false }
        (self.session, attempt) = (session, plan.attempt)
        return true
    }

    /// Notes that the session is connected. Returns `nil` if the client was closed.
    mutating func connected(_ session: Session, now: SessionTime) -> Release? {
        plan.connected(now: now)
        guard isWanted else { return nil }
        (phase, absence, hasBeenReady) = (.ready, nil, true)
        return release(.connected(session))
    }

    private var isWanted: Bool { !isClosed && phase != .ended }

    // MARK: Failures and losses

    enum Next: Sendable {
        /// The next attempt begins after this time.
        case retry(after: Duration)
        /// There is no other attempt. The release is `nil` if the client has ended before.
        case end(Release?)
    }

    /// Handles a failed attempt. `share` is a random number from 0 to 1, for the time to wait.
    mutating func attemptFailed(_ error: any Error, retryAfter: Duration?, now: SessionTime, share: Double) -> Next {
        guard !isClosed else { return .end(finished(nil)) }
        guard !(error is CancellationError) else { return .end(attemptEnded(error)) }
        let isRetryable = (error as? ClientError)?.isRetryable ?? false
        let step = plan.attemptFailed(now: now, isRetryable: isRetryable, retryAfter: retryAfter, share: share)
        return next(step, error)
    }

    /// Handles the end of a connection; `loss` is `nil` if it was closed on purpose.
    mutating func connectionEnded(_ loss: ClientError?, code: UInt16?, now: SessionTime, share: Double) -> Next {
        guard !isClosed else { return .end(finished(nil)) }
        let step = plan.connectionEnded(now: now, code: code, share: share)
        // The program closed the session, but not the client.
        if loss == nil, case .end = step { return .end(finished(nil)) }
        return next(step, loss ?? .sessionClosed)
    }

    private mutating func next(_ step: ReconnectPlan.Step, _ reason: any Error) -> Next {
        switch step {
        case .retry(let delay):
            guard isWanted else { return .end(finished(nil)) }
            if phase == .ready { phase = .reconnecting }
            (absence, attempt) = (reason as? ClientError, plan.attempt)
            return .retry(after: delay)
        case .end(let why):
            var error = reason as? ClientError ?? ClientError(.connectFailed, "Could not connect.", cause: reason)
            switch why {
            case .notWanted, .notRetryable: break
            case .attemptsExhausted: error.message += " The client gave up after \(plan.failures) attempts in a row."
            case .timeExhausted:
                let limit = policy.maximumTime.map { " of \($0)" } ?? ""
                error.message += " The client gave up, because the limit\(limit) for a stable connection is reached."
            }
            return .end(attemptEnded(error))
        }
    }

    /// Handles the cancellation of the wait before another attempt.
    mutating func retryCancelled() -> Release? { isClosed ? finished(nil) : attemptEnded(CancellationError()) }

    /// Ends the first attempt, after which another can follow, or the client.
    private mutating func attemptEnded(_ error: any Error) -> Release? {
        guard phase == .connecting else { return finished(error as? ClientError) }
        (phase, session, absence) = (.idle, nil, error as? ClientError)
        return release(.notConnected(error))
    }

    /// Notes that a session takes no more calls. It may be called before the end of the connection is reported.
    mutating func sessionRefusedCalls(_ session: Session, _ loss: ClientError?) {
        guard phase == .ready, self.session === session else { return }
        (phase, absence) = (.reconnecting, loss)
    }

    // MARK: Calls

    /// The session in which calls can be made, if there is one.
    var readySession: Session? { phase == .ready ? session : nil }

    enum CallAction: Sendable {
        case begin(Session)
        /// The call leaves with ``callLeft(_:)``.
        case wait(CancellableWait<Session>)
        case fail(ClientError)
    }

    /// Begins a call, for which there may be no session.
    mutating func callBegan() -> CallAction {
        switch phase {
        case .idle: return .fail(isClosed ? .clientEnded(nil) : .notConnected)
        case .ended: return .fail(.clientEnded(end))
        case .ready: if let session { return .begin(session) }
        case .connecting, .reconnecting: break
        }
        if isClosed { return .fail(.clientEnded(nil)) }
        guard let limit = policy.disconnectedCalls.limit else {
            return .fail(
                withoutConnection(
                    .notConnected, "The client has no connection, and `disconnectedCalls` lets no call wait for one."))
        }
        guard calls.count < limit else {
            return .fail(
                withoutConnection(
                    .notConnected,
                    "The client has no connection, and \(limit) calls already wait for one, the limit of "
                        + "`disconnectedCalls`."))
        }
        return .wait(calls.append())
    }

    /// Notes that a call does not wait for a connection any more.
    mutating func callLeft(_ wait: CancellableWait<Session>) { calls.remove(wait) }

    /// Returns the error of a call for which there is no connection, with the reason why there is none.
    func withoutConnection(_ code: ClientError.Code, _ message: String) -> ClientError {
        var error = ClientError(
            code, message, cause: absence, delivery: .notSent, closeCode: absence?.closeCode)
        error.lastState = absence?.lastState
        return error
    }

    // MARK: Ends

    /// Notes that the client was told to close. Returns whether an attempt to connect must be cancelled.
    mutating func closeRequested() -> Bool {
        isClosed = true
        return phase != .ready
    }

    /// Ends the client, unless its session must be closed before.
    mutating func closedUnlessReady() -> Release? { phase == .ready ? nil : finished(nil) }

    /// Ends the client. The first end wins: later ones return `nil`.
    mutating func finished(_ error: ClientError?) -> Release? {
        guard phase != .ended else { return nil }
        (phase, end) = (.ended, error)
        if !hasBeenReady { session = nil }
        return release(.ended(error))
    }

    /// Adds a wait for the end of the client or of its first attempt. Returns the reason if the client has ended, or
    /// if no attempt is under way: the first one may have failed since the caller looked.
    mutating func endAwaited(_ wait: CancellableWait<ClientError?>) -> ClientError?? {
        guard phase != .ended else { return .some(end) }
        guard phase != .idle else { return .some(isClosed ? nil : absence ?? .notConnected) }
        observers.append(wait)
        return nil
    }

    // MARK: State

    func state(ofSession session: DuplexSession.State?) -> JSONRPCClient.State {
        let reconnects = policy.mode != .never
        switch phase {
        case .idle: return isClosed ? .closed : .idle
        case .connecting: return isClosed ? .closing : .connecting
        case .reconnecting: return isClosed ? .closing : .reconnecting(attempt: attempt)
        case .ended: return .closed
        case .ready:
            if isClosed || !reconnects {
                return switch session {
                case .connecting, .open: isClosed ? .closing : .connected
                case .draining, .closing: .closing
                case .closed, nil: .closed
                }
            }
            return session == .connecting || session == .open ? .connected : .reconnecting(attempt: attempt)
        }
    }
}

extension ClientError {
    static var connectedBefore: ClientError {
        ClientError(.alreadyConnected, "Could not connect: the client has been connected before. Make a new client.")
    }

    static var closedBeforeConnecting: ClientError {
        ClientError(.closed, "Could not connect: the client is closed. Make a new client.", delivery: .notSent)
    }

    static var closedWhileConnecting: ClientError {
        ClientError(.closed, "Could not connect: the client was closed during the attempt.", delivery: .notSent)
    }

    static var sessionClosed: ClientError { ClientError(.closed, "The session of the client was closed.") }

    static var notConnected: ClientError {
        ClientError(
            .notConnected, "The client is not connected. Call `connect()` or `run()` first.", delivery: .notSent)
    }

    /// Returns the error of a call after the end of the client.
    static func clientEnded(_ error: ClientError?) -> ClientError {
        guard var error else {
            return ClientError(.closed, "This side closed the connection.", delivery: .notSent)
        }
        error.delivery = .notSent
        return error
    }
}
