// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import TaskWaits
import WireJSON

// The requests that subscribe and unsubscribe.
extension NotificationRouter {
    /// One subscribe request. A client may send it again in another session.
    struct SubscribeAttempt: Sendable {
        fileprivate let router: NotificationRouter
        fileprivate let key: Subscriptions.Key
        fileprivate let request: SubscriptionRequest
        fileprivate let late: LateAnswer

        /// Sends the request in a session.
        func send(in session: DuplexSession, timeout: CallTimeout) async throws {
            let number = router.state.withLock { $0.table.subscriptions.requestBegan(key) }
            try await router.subscribe(self, in: session, number, timeout)
        }
    }

    // MARK: The first request

    /// Makes a subscription, or joins a shared one.
    ///
    /// The request runs in a task of its own, because its response is needed even if the caller has given up: without
    /// the id, the peer cannot be told that the subscription ends.
    ///
    /// A shared request has no timeout of its own, because its consumers may have different ones. A consumer whose time
    /// is over leaves, and the last one to leave cancels the request. `expired` returns the error of such a consumer.
    func subscribe(
        _ request: SubscriptionRequest, overflow: NotificationOverflow, isShared: Bool, isRenewed: Bool,
        timeout: Duration?, expired: (ClientError) -> ClientError = { $0 },
        send: @escaping @Sendable (SubscribeAttempt, CallTimeout) async throws -> Void
    ) async throws -> SubscriptionMembership {
        try Task.checkCancellation()
        let (key, step, signal, membership) = join(
            request, overflow: overflow, isShared: isShared, isRenewed: isRenewed)
        guard let signal else { return membership }
        let deadline = isShared ? timeout.map { clock.now.advanced(by: $0) } : nil
        if step == .subscribe {
            let limit = isShared ? CallTimeout.none : timeout.map { .after($0) } ?? .none
            begin(attempt(key, request), signal) { try await send($0, limit) }
        }
        // If it throws, the consumer leaves when its membership is released.
        var isOver = try await clock.value(until: deadline, { try await signal.wait() }) == nil
        if isOver, let timeout, await isAnswered(key) {
            // What remains to be done with the response is done within the same time.
            let deadline = clock.now.advanced(by: timeout)
            isOver = try await clock.value(until: deadline, { try await signal.wait() }) == nil
        }
        if isOver {
            throw expired(
                ClientError(
                    .timedOut, "The peer did not confirm the subscription in time.", method: request.method,
                    delivery: .outcomeUnknown))
        }
        return membership
    }

    /// Whether the response to a first subscribe request has come. After the process was suspended, it may still be in
    /// the socket.
    private func isAnswered(_ key: Subscriptions.Key) async -> Bool {
        await arrivedMessagesAreRead()
        return state.withLock { state in
            guard let opening = state.openings[key] else { return true }
            return opening.answer?.hasResponse == true
        }
    }

    private func attempt(_ key: Subscriptions.Key, _ request: SubscriptionRequest) -> SubscribeAttempt {
        let late = LateAnswer { [weak self] result, driver in self?.answeredLate(key, request, result, driver) }
        return SubscribeAttempt(router: self, key: key, request: request, late: late)
    }

    private func begin(
        _ attempt: SubscribeAttempt, _ signal: OneTimeSignal,
        send: @escaping @Sendable (SubscribeAttempt) async throws -> Void
    ) {
        let key = attempt.key
        let task = Task {
            let outcome: Result<Void, any Error>
            do {
                try await send(attempt)
                outcome = .success(())
            } catch {
                outcome = .failure(error)
                _ = self.change {
                    $0.table.subscriptions.failed(key, in: nil, awaitsAnswer: attempt.late.isExpected)
                }
            }
            self.state.withLock { _ = $0.openings.removeValue(forKey: key) }
            signal.fulfil(outcome)
        }
        let isUnwanted = state.withLock { state in
            state.openings[key]?.task = task
            state.openings[key]?.answer = attempt.late
            return state.table.subscriptions.entries[key]?.phase == .abandoned
        }
        if isUnwanted { task.cancel() }
    }

    // MARK: Renewals

    /// Subscribes again in the current session, for all subscriptions that the last session has lost.
    func renewSubscriptions() async {
        let (driver, session, lost) = state.withLock { state in
            (
                state.driver, state.table.subscriptions.session,
                state.driver == nil ? [] : state.table.subscriptions.renewalsBegan()
            )
        }
        guard let driver, !lost.isEmpty else { return }
        await withDiscardingTaskGroup { group in
            for (key, request) in lost {
                group.addTask { await self.renew(self.attempt(key, request), session, DuplexSession(driver)) }
            }
        }
    }

    private func renew(_ attempt: SubscribeAttempt, _ number: UInt64, _ session: DuplexSession) async {
        do {
            try await subscribe(attempt, in: session, number, .default)
        } catch let error as ClientError where error.isEndOfConnection {
            change { $0.table.subscriptions.renewalLost(attempt.key, in: number) }
        } catch {
            let queues = change {
                $0.table.subscriptions.failed(attempt.key, in: number, awaitsAnswer: attempt.late.isExpected)
            }
            for queue in queues { queue.finish(.failed(error)) }
        }
    }

    // MARK: The response

    private func subscribe(
        _ attempt: SubscribeAttempt, in session: DuplexSession, _ number: UInt64, _ timeout: CallTimeout
    ) async throws {
        let request = attempt.request
        var options = request.options
        attempt.late.callBegan()
        options.watch = .lateAnswer(attempt.late)
        let result = try await session.callRaw(
            request.method, params: request.params, timeout: timeout, options: options)
        let id = SubscriptionID(result)
        if id == nil, request.needsID { throw SubscriptionError.invalidID(method: request.method, result) }
        let (action, entries) = answered(attempt.key, number, id)
        for entry in entries { entry.perform() }
        switch action {
        case .activate(let activation):
            if activation.isRenewal { publish(.subscription(.renewed(method: request.method))) }
            if let end = activation.end?.end { for queue in activation.consumers { queue.finish(end) } }
        case .refuseDuplicate(let queues):
            let error =
                id.map { SubscriptionError.duplicateID(method: request.method, $0) }
                ?? .invalidID(method: request.method, result)
            for queue in queues { queue.finish(.failed(error)) }
            throw error
        case .lose:
            throw session.driver.endedAfterResponse(request.method)
        case .unsubscribe:
            unsubscribe(request, id, session.driver)
            throw CancellationError()
        }
    }

    /// Handles a usable result. The queues get the early notifications under the lock, so that no later notification
    /// overtakes them. The entries that are returned are handed to waiting consumers.
    private func answered(
        _ key: Subscriptions.Key, _ session: UInt64, _ id: SubscriptionID?
    ) -> (action: Subscriptions.AnswerAction, entries: [NotificationQueue.Staged]) {
        let now = clock.now
        return change { state in
            let action = state.table.subscriptions.answered(key, in: session, id: id, now: now)
            guard case .activate(let activation) = action else { return (action, []) }
            var entries: [NotificationQueue.Staged] = []
            for queue in activation.consumers {
                func stage(_ reason: NotificationGap.Reason, _ count: Int?) {
                    let gap = NotificationGap(reason: reason, count: count)
                    state.gaps.add(gap)
                    entries.append(queue.stage(gap))
                }
                if activation.isRenewal { stage(.reconnected, nil) }
                if activation.missedBefore > 0 { stage(.overflow, activation.missedBefore) }
                for early in activation.early { entries.append(queue.stage(early.notification)) }
                if activation.missedAfter > 0 { stage(.overflow, activation.missedAfter) }
            }
            return (action, entries)
        }
    }

    /// Handles the response to a request whose caller has given up. It is called on the transport's thread.
    private func answeredLate(
        _ key: Subscriptions.Key, _ request: SubscriptionRequest, _ result: RawJSON?, _ driver: SessionDriver
    ) {
        let id = result.flatMap { SubscriptionID($0) }
        let isUnwanted = change { $0.table.subscriptions.answeredLate(key, request, id: id, isError: result == nil) }
        if isUnwanted { unsubscribe(request, id, driver) }
    }

    // MARK: Unsubscribing

    /// The limit of an unsubscribe request if calls have none.
    private static var unsubscribeTimeout: Duration { .seconds(30) }

    /// Tells the peer that a subscription ends, in a task of its own. The signal is fulfilled when the request has
    /// ended.
    func unsubscribe(
        _ request: SubscriptionRequest, _ id: SubscriptionID?, _ driver: SessionDriver,
        _ signal: OneTimeSignal = OneTimeSignal()
    ) {
        guard let method = request.unsubscribe else { return signal.fulfil() }
        let limit: CallTimeout =
            driver.configuration.calls.timeout == nil ? .after(Self.unsubscribeTimeout) : .default
        Task {
            defer { signal.fulfil() }
            do {
                let result = try await DuplexSession(driver).callRaw(
                    method, params: request.unsubscribeParams(id), timeout: limit, options: request.options)
                guard result.text == "false" else { return }
                throw SubscriptionError.unknownToPeer
            } catch let error as ClientError where error.isEndOfConnection {
                // The peer's subscriptions have ended with the connection.
            } catch {
                publish(.subscription(.unsubscribeFailed(method: method, id, error)))
            }
        }
    }
}

extension ClientError {
    /// Whether a call failed because the connection has ended or is ending.
    fileprivate var isEndOfConnection: Bool { [.connectionLost, .closed, .notConnected].contains(code) }
}

/// The receiver of the response to a call that was cancelled or has timed out after it was sent.
final class LateAnswer: Sendable, IdentityHashable {
    /// A relaxed order suffices: the caller reads it after its call has ended.
    private let expected = Atomic(false)
    private let response = Atomic(false)
    private let take: @Sendable (RawJSON?, SessionDriver) -> Void

    /// - Parameter take: Gets the result, or `nil` for an error, on the transport's thread. It must not block.
    init(_ take: @escaping @Sendable (RawJSON?, SessionDriver) -> Void) { self.take = take }

    /// Whether the call ended before its response, which may still come.
    var isExpected: Bool { expected.load(ordering: .relaxed) }

    /// Whether the call has ended with a response. If its connection was lost, it may still be sent again.
    var hasResponse: Bool { response.load(ordering: .acquiring) }

    func callBegan() { response.store(false, ordering: .releasing) }

    func callEnded(_ outcome: CallOutcome) {
        switch outcome {
        case .success, .failure(.answered): response.store(true, ordering: .releasing)
        default: break
        }
    }

    /// Notes that the call ended after it was sent. It is called under the session's lock.
    func expect() { expected.store(true, ordering: .relaxed) }

    func came(_ outcome: CallOutcome, _ driver: SessionDriver) {
        if case .success(let result) = outcome { take(result, driver) } else { take(nil, driver) }
    }
}
