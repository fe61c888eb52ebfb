// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import TaskWaits

// The changes of the status. Continuations are resumed after the lock is released.
extension ClientSupervisor {
    var state: ClientState { status.withLock { $0.state(reconnects: reconnects) } }

    var isClosed: Bool { status.withLock { $0.isClosed } }

    /// The session of the current attempt or of the last connection.
    var lastSession: DuplexSession? { status.withLock { $0.session } }

    /// The session of the current connection or attempt, or of the last connection.
    var currentSession: DuplexSession? {
        status.withLock { $0.phase == .reconnecting ? nil : $0.session }
    }

    func stateChanged() {
        stateHub.update { state }
        if state == .closed { stateHub.finish { state } }
    }

    static var closedMeanwhile: ClientError {
        ClientError(.closed, "Could not connect: the client was closed during the attempt.", delivery: .notSent)
    }

    static var closedUnasked: ClientError { ClientError(.closed, "The session of the client was closed.") }

    // MARK: Attempts

    /// Returns `false` if the client was closed.
    func attemptBegins(_ session: DuplexSession, _ attempt: Int) -> Bool {
        let isWanted = status.withLock { status in
            guard !status.isClosed, status.phase != .ended else { return false }
            status.session = session
            status.attempt = attempt
            return true
        }
        if isWanted { stateChanged() } else { finish(nil) }
        return isWanted
    }

    /// Passes a connected session to the calls that wait. Returns `false` if the client was closed.
    func becomeReady(_ session: DuplexSession) -> Bool {
        let released = status.withLock { status -> Released? in
            guard !status.isClosed, status.phase != .ended else { return nil }
            status.phase = .ready
            status.absence = nil
            status.hasBeenReady = true
            return status.releaseCallers()
        }
        guard let released else {
            finish(nil)
            return false
        }
        stateChanged()
        for waiter in released.waiters { waiter.resume(returning: session) }
        released.connecting?.resume()
        return true
    }

    /// Notes that a session takes no more calls, before the supervising task does.
    func noteEnd(of session: DuplexSession) {
        let loss = session.loss
        status.withLock { status in
            guard status.phase == .ready, status.session === session else { return }
            status.phase = .reconnecting
            status.absence = loss
        }
        stateChanged()
    }

    /// Returns `false` if the client was closed. From then on, closing the client ends the wait for the attempt.
    ///
    /// - Parameter absence: The reason why there is no connection.
    func retryBegins(_ attempt: Int, _ absence: ClientError?) -> Bool {
        let isWanted = status.withLock { status in
            guard !status.isClosed, status.phase != .ended else { return false }
            if status.phase == .ready { status.phase = .reconnecting }
            status.absence = absence
            status.attempt = attempt
            return true
        }
        if isWanted { stateChanged() }
        return isWanted
    }

    // MARK: Ends

    /// Ends the client, or its first attempt, for want of another attempt.
    func end(_ why: ReconnectPlan.EndReason, _ reason: any Error, _ plan: ReconnectPlan) {
        let isFirst = status.withLock { $0.phase == .connecting }
        var error = reason as? ClientError ?? ClientError(.connectFailed, "Could not connect.", cause: reason)
        switch why {
        case .notWanted, .notRetryable: break
        case .attemptsExhausted: error.message += " The client gave up after \(plan.failures) attempts in a row."
        case .timeExhausted:
            let limit = policy.maximumTime.map { " of \($0)" } ?? ""
            error.message += " The client gave up, because the limit\(limit) for a stable connection is reached."
        }
        if isFirst { attemptEnded(error) } else { finish(error) }
    }

    /// Ends the first attempt. Another can follow.
    func attemptEnded(_ error: any Error) {
        let released = status.withLock { status -> Released? in
            guard status.phase == .connecting else { return nil }
            status.phase = .idle
            status.session = nil
            status.task = nil
            return status.releaseAll()
        }
        guard let released else { return finish(error as? ClientError) }
        stateChanged()
        released.connecting?.resume(throwing: error)
        for waiter in released.waiters { waiter.resume(throwing: Self.notConnected) }
        let failure = error as? ClientError ?? Self.notConnected
        for observer in released.observers { observer.resume(returning: failure) }
    }

    /// Ends the client. Without an error it was closed on purpose. The first end wins.
    func finish(_ error: ClientError?) {
        let (released, task) = status.withLock { status -> (Released?, Task<Void, Never>?) in
            guard status.phase != .ended else { return (nil, nil) }
            status.phase = .ended
            status.end = error
            if !status.hasBeenReady { status.session = nil }
            return (status.releaseAll(), status.task.take())
        }
        guard let released else { return }
        // It may wait before another attempt.
        task?.cancel()
        endpoint.end(error)
        stateChanged()
        released.connecting?.resume(throwing: error ?? Self.closedMeanwhile)
        for waiter in released.waiters { waiter.resume(throwing: Self.ended(error)) }
        for observer in released.observers { observer.resume(returning: error) }
    }

    /// Notes that the client was told to close, and ends an attempt to connect. Returns the session that must be
    /// closed.
    func beginClosing() -> DuplexSession? {
        let (session, attempt) = status.withLock { status in
            status.isClosed = true
            return (status.session, status.phase == .ready ? nil : status.task)
        }
        attempt?.cancel()
        stateChanged()
        return session
    }

    /// Ends the client when nobody refers to it any more.
    func abandon() {
        let session = beginClosing()
        session?.abandon()
        finishUnlessReady()
    }

    /// Ends the client, unless the supervising task does so when its session is closed.
    func finishUnlessReady() {
        if status.withLock({ $0.phase != .ready }) { finish(nil) }
    }

    /// Waits for the end of the client or of its first attempt. Returns the reason; `nil` if the client was closed on
    /// purpose.
    func ending() async -> ClientError? {
        await withCheckedContinuation { continuation in
            let end: ClientError?? = status.withLock { status in
                guard status.phase != .ended else { return .some(status.end) }
                status.observers.append(continuation)
                return nil
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    // MARK: Errors

    static var notConnected: ClientError {
        ClientError(
            .notConnected, "The client is not connected. Call `connect()` or `run()` first.", delivery: .notSent)
    }

    /// Returns the error of a call after the end of the client.
    static func ended(_ error: ClientError?) -> ClientError {
        guard var error else {
            return ClientError(.closed, "This side closed the connection.", delivery: .notSent)
        }
        error.delivery = .notSent
        return error
    }
}

extension ClientSupervisor {
    /// Returns an error with the reason why there is no connection, if there is none.
    func explaining(_ error: ClientError) -> ClientError {
        var error = error
        error.cause = status.withLock { $0.absence }
        return error
    }
}

extension ClientSupervisor {
    /// Continuations that were taken out of the status, and must be resumed.
    struct Released: Sendable {
        var connecting: CheckedContinuation<Void, any Error>?
        var waiters: [CancellableWait<DuplexSession>]
        var observers: [CheckedContinuation<ClientError?, Never>] = []
    }
}

extension ClientSupervisor.Status {
    /// Takes out those that wait for a connection.
    mutating func releaseCallers() -> ClientSupervisor.Released {
        ClientSupervisor.Released(connecting: connecting.take(), waiters: waiters.takeAll())
    }

    /// Takes out those that wait for a connection or for the end.
    mutating func releaseAll() -> ClientSupervisor.Released {
        var released = releaseCallers()
        released.observers = observers
        observers = []
        return released
    }

    /// Returns the error of a call for which there is no connection, with the reason why there is none.
    func withoutConnection(_ code: ClientError.Code, _ message: String) -> ClientError {
        var error = ClientError(
            code, message, cause: absence, delivery: .notSent, closeCode: absence?.closeCode)
        error.lastState = absence?.lastState
        return error
    }

    func state(reconnects: Bool) -> ClientState {
        switch phase {
        case .idle: isClosed ? .closed : .idle
        case .connecting: isClosed ? .closing : .connecting
        case .reconnecting: isClosed ? .closing : .reconnecting(attempt: attempt)
        case .ended: .closed
        case .ready:
            switch session?.state {
            case .connecting, .open: isClosed ? .closing : .connected
            case .draining, .closing: isClosed || !reconnects ? .closing : .reconnecting(attempt: attempt)
            case .closed, nil: isClosed || !reconnects ? .closed : .reconnecting(attempt: attempt)
            }
        }
    }
}
