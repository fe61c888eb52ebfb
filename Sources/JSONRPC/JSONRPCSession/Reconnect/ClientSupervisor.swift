// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import TaskWaits

/// Makes the sessions of a client, one after the other.
///
/// One task does so, from the first attempt to connect to the end of the client. ``ReconnectPlan`` decides about each
/// next attempt. The task keeps the supervisor alive, but not the client, whose release ends both.
final class ClientSupervisor: Sendable {
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

    struct Status: Sendable {
        var phase = Phase.idle
        /// The session of the current or the last connection, from the beginning of the attempt.
        var session: DuplexSession?
        /// The number of the current or the next attempt, from 1.
        var attempt = 1
        var task: Task<Void, Never>?
        /// Whether the client has been connected.
        var hasBeenReady = false
        /// Whether the client was told to close.
        var isClosed = false
        /// The reason for the end of the client; `nil` if it was closed on purpose, or has not ended.
        var end: ClientError?
        /// The reason why there is no connection: the loss of the last one, or the error of the last attempt. `nil` while
        /// there is a connection, during a first attempt, and if a connection was closed on purpose.
        var absence: ClientError?
        /// The task in ``JSONRPCClient/connect()``.
        var connecting: CheckedContinuation<Void, any Error>?
        /// Calls that wait for a connection.
        var waiters = OrderedWaits<DuplexSession>()
        /// Tasks that wait for the end of the client, or of a failed first attempt.
        var observers: [CheckedContinuation<ClientError?, Never>] = []
    }

    let configuration: SessionConfiguration
    let policy: ReconnectPolicy
    let endpoint: EndpointState
    let clock: any SessionClock
    private let connector: any MessageConnector
    private let onConnect: (@Sendable (DuplexSession) async throws -> Void)?
    private let random: @Sendable () -> Double
    let status = Mutex(Status())
    let stateHub = StateHub<ClientState>(.idle)

    init(
        connector: any MessageConnector, configuration: SessionConfiguration, policy: ReconnectPolicy,
        onConnect: (@Sendable (DuplexSession) async throws -> Void)?, random: @escaping @Sendable () -> Double
    ) {
        self.connector = connector
        self.configuration = configuration
        self.policy = policy
        self.onConnect = onConnect
        self.random = random
        endpoint = EndpointState(configuration: configuration, outlivesSessions: policy.mode != .never)
        clock = anchored(configuration.clock)
    }

    var reconnects: Bool { policy.mode != .never }

    // MARK: Connecting

    func connect() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { begin($0) }
        } onCancel: {
            status.withLock { $0.connecting == nil ? nil : $0.task }?.cancel()
        }
    }

    private func begin(_ connecting: CheckedContinuation<Void, any Error>) {
        let refusal: ClientError? = status.withLock { status in
            if let refusal = Self.refusal(status) { return refusal }
            status.phase = .connecting
            status.attempt = 1
            status.connecting = connecting
            let task = Task { await supervise() }
            status.task = task
            // The handler of the cancellation may have run before there was a task.
            if Task.isCancelled { task.cancel() }
            return nil
        }
        // The state is told when there is a session, which can be closed.
        if let refusal { connecting.resume(throwing: refusal) }
    }

    private static func refusal(_ status: Status) -> ClientError? {
        let isUnused = status.phase == .idle || status.phase == .ended && !status.hasBeenReady
        guard isUnused else {
            return ClientError(
                .alreadyConnected, "Could not connect: the client has been connected before. Make a new client.")
        }
        guard !status.isClosed else {
            return ClientError(
                .closed, "Could not connect: the client is closed. Make a new client.", delivery: .notSent)
        }
        return nil
    }

    // MARK: The task

    private func supervise() async {
        var plan = ReconnectPlan(policy, now: clock.now)
        while true {
            let session = DuplexSession(SessionDriver(configuration: configuration, endpoint: endpoint))
            guard attemptBegins(session, plan.attempt) else { return }
            let step: ReconnectPlan.Step
            let reason: any Error
            do {
                try await establish(session)
                plan.connected(now: clock.now)
                guard becomeReady(session) else { return session.abandon() }
                // Beside the calls: a server that answers late does not delay them.
                Task { await endpoint.notifications.renewSubscriptions() }
                await session.driver.untilClosed()
                if isClosed { return finish(nil) }
                step = plan.connectionEnded(now: clock.now, code: session.peersCloseCode, share: random())
                let loss = session.loss
                // The program closed the session, but not the client.
                if loss == nil, case .end = step { return finish(nil) }
                reason = loss ?? Self.closedUnasked
            } catch {
                if isClosed { return finish(nil) }
                if error is CancellationError { return attemptEnded(error) }
                reason = error
                step = plan.attemptFailed(
                    now: clock.now, isRetryable: (error as? ClientError)?.isRetryable ?? false,
                    retryAfter: Self.retryAfter(error), share: random())
                reportFailure(error, step)
            }
            switch step {
            case .end(let why): return end(why, reason, plan)
            case .retry(let delay):
                guard retryBegins(plan.attempt, reason as? ClientError) else { return finish(nil) }
                guard await clock.isReached(clock.now.advanced(by: delay)) else {
                    return isClosed ? finish(nil) : attemptEnded(CancellationError())
                }
            }
        }
    }

    /// Connects a session, and runs the hook.
    ///
    /// - Throws: A `ClientError` with the code `connectFailed`; a `CancellationError`.
    private func establish(_ session: DuplexSession) async throws {
        do {
            try await connector.connect(receiver: session.receiver)
        } catch {
            let failure = connectFailed(error)
            session.dismiss(failure)
            throw error is CancellationError ? error : failure
        }
        guard let onConnect else { return }
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
            await session.discard()
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

    private func reportFailure(_ error: any Error, _ step: ReconnectPlan.Step) {
        guard reconnects, let error = error as? ClientError else { return }
        switch step {
        case .retry(let delay): endpoint.events.publish(.connectFailed(error, retryAfter: delay))
        case .end: endpoint.events.publish(.connectFailed(error, retryAfter: nil))
        }
    }
}

extension DuplexSession {
    /// Returns the error of a failed hook, or of the loss that made it fail.
    fileprivate func failure(ofHook error: any Error) -> any Error {
        if let loss { return loss }
        guard !isClosedByProgram else { return error }
        // The transport has ended the connection by itself, and the hook was cancelled for it.
        if error is CancellationError, state == .closed, !Task.isCancelled {
            return ClientError(.closed, "The connection was closed.", cause: closure?.error, isRetryable: true)
        }
        // The same, and a call of the hook failed for it.
        guard var refusal = error as? ClientError, refusal.code == .closed else { return error }
        refusal.isRetryable = true
        return refusal
    }

    /// The close code of the peer; `nil` if the peer did not close the connection.
    fileprivate var peersCloseCode: UInt16? {
        closure.flatMap { $0.initiator == .remote ? $0.code : nil }
    }
}
