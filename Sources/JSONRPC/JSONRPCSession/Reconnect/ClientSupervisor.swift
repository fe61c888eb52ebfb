// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import TaskWaits

/// Makes the sessions of a client, one after the other.
///
/// One task makes them, from the first attempt to connect to the end of the client. ``ClientStateMachine`` decides
/// about each next attempt. The task keeps the supervisor alive, but not the client, whose release ends both.
final class ClientSupervisor: Sendable {
    typealias Machine = ClientStateMachine<DuplexSession>

    private struct State: Sendable {
        var machine: Machine
        var task: Task<Void, Never>?
    }

    let configuration: SessionConfiguration
    let policy: ReconnectPolicy
    let endpoint: EndpointState
    let clock: any SessionClock
    private let connector: any MessageConnector
    private let random: @Sendable () -> Double
    private let stored: Mutex<State>
    /// Its lock is taken before the others.
    let states = Watched(StateHistory(JSONRPCClient.State.idle))

    init(
        connector: any MessageConnector, configuration: SessionConfiguration, policy: ReconnectPolicy,
        random: @escaping @Sendable () -> Double
    ) {
        self.connector = connector
        self.configuration = configuration
        self.policy = policy
        self.random = random
        endpoint = EndpointState(configuration: configuration, outlivesSessions: policy.mode != .never)
        clock = anchored(configuration.clock)
        stored = Mutex(State(machine: Machine(policy)))
    }

    var reconnects: Bool { policy.mode != .never }

    // MARK: State

    var state: JSONRPCClient.State { machine { $0.state(ofSession: $0.session?.state) } }

    /// The session of the current attempt or of the last connection.
    var lastSession: DuplexSession? { machine { $0.session } }

    /// The session of the current connection or attempt, or of the last connection.
    var currentSession: DuplexSession? { machine { $0.phase == .reconnecting ? nil : $0.session } }

    /// The session in which calls can be made, if there is one.
    var readySessionNow: DuplexSession? { machine { $0.readySession } }

    /// Returns whether a session takes no more calls, and another session may follow.
    func isOver(_ session: DuplexSession) -> Bool { !machine { $0.isClosed } && session.state != .open }

    /// Returns an error with the reason why there is no connection, if there is none.
    func explaining(_ error: ClientError) -> ClientError {
        var error = error
        error.cause = machine { $0.absence }
        return error
    }

    /// Passes the machine to a closure, under the lock.
    func machine<Value: Sendable>(_ body: (inout Machine) throws -> Value) rethrows -> Value {
        try stored.withLock { try body(&$0.machine) }
    }

    private func stateChanged() {
        states.update {
            // Read under the lock of the history, so that no older state follows a newer one.
            let state = state
            $0.append(state, isLast: state == .closed)
        }
    }

    /// Resumes the tasks of released waits. At the end of the client, it also ends the supervising task and the shared
    /// parts.
    private func perform(_ release: Machine.Release?) {
        guard let release else { return }
        if case .ended(let error) = release.outcome {
            // The task may wait before another attempt.
            stored.withLock { $0.task.take() }?.cancel()
            endpoint.end(error)
        }
        stateChanged()
        switch release.outcome {
        case .connected(let session):
            for call in release.calls { call.resume(returning: session) }
            release.connecting?.resume()
        case .notConnected(let error):
            release.connecting?.resume(throwing: error)
            for call in release.calls { call.resume(throwing: ClientError.notConnected) }
            for observer in release.observers { observer.resume(returning: error as? ClientError ?? .notConnected) }
        case .ended(let error):
            release.connecting?.resume(throwing: error ?? ClientError.closedWhileConnecting)
            for call in release.calls { call.resume(throwing: ClientError.clientEnded(error)) }
            for observer in release.observers { observer.resume(returning: error) }
        }
    }

    // MARK: Connecting

    func connect() async throws {
        let wait = CancellableWait<Void>()
        let now = clock.now
        let task = try stored.withLock { state in
            if let refusal = state.machine.connectRequested(wait, now: now) { throw refusal }
            let task = Task { await supervise() }
            state.task = task
            // In a cancelled task, the attempt is cancelled before it begins.
            if Task.isCancelled { task.cancel() }
            return task
        }
        // The state is published later, when there is a session that can be closed.
        try await wait.value {
            // A cancelled call ends neither a client that is connected nor the attempt of another call.
            if stored.withLock({ $0.machine.connecting == wait }) { task.cancel() }
        }
    }

    /// Notes that a session takes no more calls, before the supervising task does.
    func noteEnd(of session: DuplexSession) {
        let loss = session.driver.loss
        machine { $0.sessionRefusedCalls(session, loss) }
        stateChanged()
    }

    // MARK: The task

    private func supervise() async {
        while true {
            let session = DuplexSession(SessionDriver(configuration: configuration, endpoint: endpoint))
            guard machine({ $0.attemptBegan(session) }) else { return finish(nil) }
            stateChanged()
            let next: Machine.Next
            do {
                try await establish(session)
                let now = clock.now
                guard let release = machine({ $0.connected(session, now: now) }) else {
                    finish(nil)
                    return session.driver.abandon()
                }
                perform(release)
                // In a task of its own, so that a slow server does not delay the calls.
                Task { await endpoint.notifications.renewSubscriptions() }
                await session.driver.untilClosed()
                let (loss, code, end, share) = (session.driver.loss, session.peersCloseCode, clock.now, random())
                next = machine { $0.connectionEnded(loss, code: code, now: end, share: share) }
            } catch {
                let (retryAfter, now, share) = (Self.retryAfter(error), clock.now, random())
                next = machine { $0.attemptFailed(error, retryAfter: retryAfter, now: now, share: share) }
                reportFailure(error, next)
            }
            switch next {
            case .end(let release): return perform(release)
            case .retry(let delay):
                stateChanged()
                guard await clock.isReached(clock.now.advanced(by: delay)) else {
                    return perform(machine { $0.retryCancelled() })
                }
            }
        }
    }

    /// Connects a session, and runs the hook.
    private func establish(_ session: DuplexSession) async throws {
        do {
            try await connector.connect(receiver: session.receiver)
        } catch {
            let failure = connectFailed(error)
            session.driver.dismiss(failure)
            throw error is CancellationError ? error : failure
        }
        guard let onConnect = configuration.onConnect else { return }
        let hook = Task { try await onConnect(session) }
        // The hook ends with its connection.
        Task {
            await session.driver.untilClosed()
            hook.cancel()
        }
        do {
            try await hook.joined.get()
        } catch {
            let failure = session.failure(ofHook: error)
            // Nothing of this connection may arrive after the next connection has begun.
            await session.driver.discard()
            if failure is CancellationError, Task.isCancelled { throw failure }
            throw connectFailed(failure)
        }
    }

    private func connectFailed(_ error: any Error) -> ClientError {
        let isRetryable =
            (error as? any ConnectError)?.isRetryable ?? (error as? ClientError)?.isRetryable ?? false
        let endpoint = (connector as? any CustomStringConvertible).map { " to \($0.description)" } ?? ""
        return ClientError(
            .connectFailed, "Could not connect\(endpoint).", cause: error, delivery: .notSent, isRetryable: isRetryable)
    }

    private static func retryAfter(_ error: any Error) -> Duration? {
        ((error as? ClientError)?.cause as? any ConnectError)?.retryAfter
    }

    private func reportFailure(_ error: any Error, _ next: Machine.Next) {
        guard reconnects, let error = error as? ClientError else { return }
        switch next {
        case .retry(let delay): endpoint.events.publish(.connectFailed(error, retryAfter: delay))
        case .end(let release?):
            // Without an error, the client was closed meanwhile.
            if case .ended(nil) = release.outcome { return }
            endpoint.events.publish(.connectFailed(error, retryAfter: nil))
        case .end(nil): break
        }
    }

    // MARK: Ends

    /// Waits for the end of the client or of its first attempt, and returns the reason; `nil` if the client was closed
    /// on purpose. If the task is cancelled, the client is closed gracefully; a client without a session ends at once.
    func run() async -> ClientError? {
        // A task that is cancelled already closes the client, whatever its last attempt to connect has met.
        if Task.isCancelled { closeNow() }
        let wait = CancellableWait<ClientError?>()
        if let end = machine({ $0.endAwaited(wait) }) { wait.resume(returning: end) }
        // The outcome is never an error.
        return try? await wait.value { closeNow() }
    }

    private func closeNow() {
        beginClosing()?.driver.beginClosing()
        finishUnlessReady()
    }

    /// Ends the client. Without an error it was closed on purpose. The first end wins.
    func finish(_ error: ClientError?) { perform(machine { $0.finished(error) }) }

    /// Notes that the client was told to close, and ends an attempt to connect. Returns the session that must be
    /// closed.
    func beginClosing() -> DuplexSession? {
        let (session, attempt) = stored.withLock { state in
            (state.machine.session, state.machine.closeRequested() ? state.task : nil)
        }
        attempt?.cancel()
        stateChanged()
        return session
    }

    /// Ends the client when its last reference is released.
    func abandon() {
        let session = beginClosing()
        session?.driver.abandon()
        finishUnlessReady()
    }

    /// Ends the client, unless the supervising task does so when its session is closed.
    func finishUnlessReady() { perform(machine { $0.closedUnlessReady() }) }
}

extension DuplexSession {
    /// Returns the error of a failed hook, or of the loss that made it fail.
    fileprivate func failure(ofHook error: any Error) -> any Error {
        if let loss = driver.loss { return loss }
        guard !driver.isClosedByProgram else { return error }
        // The transport has ended the connection by itself, and the hook was cancelled because of that.
        if error is CancellationError, state == .closed, !Task.isCancelled {
            return ClientError(.closed, "The connection was closed.", cause: closure?.error, isRetryable: true)
        }
        // The transport has ended the connection by itself, and a call of the hook failed because of that.
        guard var refusal = error as? ClientError, refusal.code == .closed else { return error }
        refusal.isRetryable = true
        return refusal
    }

    /// The close code of the peer; `nil` if the peer did not close the connection.
    fileprivate var peersCloseCode: UInt16? {
        closure.flatMap { $0.initiator == .remote ? $0.code : nil }
    }
}
