// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCCore
import TaskWaits
package import WireJSON

/// A sender of calls, notifications and batches without interceptors.
package protocol PlainSender: Sendable {
    var configuration: SessionConfiguration { get }
    /// The interceptors of the configuration. A call reads them without a copy of the configuration.
    var interceptors: [any CallInterceptor] { get }
    var clock: any SessionClock { get }

    func send(call: OutboundCall) async throws -> RawJSON
    func send(notification: OutboundCall) async throws
    /// Sends a batch, and passes each outcome to a closure.
    func send(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws
}

extension PlainSender {
    /// Throws if the call or notification can never be sent.
    package func check(_ call: OutboundCall) throws { try checkParams(call.params, call.method) }

    package func checkParams(_ params: RawJSON?, _ method: String) throws {
        guard let params, !params.isStructured else { return }
        throw ClientError.unstructuredParams(method: method)
    }

    package func intercept(call: OutboundCall) async throws -> RawJSON {
        let next = NextInterceptor<RawJSON> { try await self.send(call: $0) }
        return try await next.behind(interceptors)(call)
    }

    package func intercept(notification: OutboundCall) async throws {
        let next = NextInterceptor<Void> { try await self.send(notification: $0) }
        try await next.behind(interceptors)(notification)
    }

    package func intercept(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        if interceptors.isEmpty {
            try await send(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
        } else {
            try await InterceptedBatch(entries, timeout: timeout, over: self).run(pace: pace, eachOutcome: eachOutcome)
        }
    }
}

/// A batch whose members pass the interceptors before they are sent together: see ``CallInterceptor``.
///
/// Each member runs its interceptors in a child task, and waits at their end until no member is missing. Then another
/// child task sends the members and returns each outcome to its member. No lock is held while a task is resumed.
final class InterceptedBatch<Sender: PlainSender>: Sendable {
    private typealias Outcome = Result<RawJSON, CallError>
    private typealias Wait = CancellableWait<RawJSON>

    /// The progress of a member.
    private enum Stage: Sendable {
        /// The member is in its interceptors. Can transition to: `waiting`, `over`.
        case coming
        /// The member waits for the other members. Can transition to: `sent`, `over`.
        case waiting(OutboundCall, Wait)
        /// The member was sent, and waits for its outcome. Can transition to: `over`.
        case sent(Wait)
        /// The member does not wait any more. The value is an outcome that it may still take.
        case over(Result<RawJSON, any Error>? = nil)

        var isComing: Bool { if case .coming = self { true } else { false } }
    }

    private struct State: Sendable {
        var stages: [Stage]
        /// The number of members that may still arrive.
        var missing: Int
        /// Whether the whole batch was cancelled. Then the sender settles the members that were sent.
        var isCancelled = false
        /// The error for members after the batch has refused to be sent.
        var refusal: (any Error)?

        mutating func move(_ index: Int, to stage: Stage) {
            if stages[index].isComing { missing -= 1 }
            stages[index] = stage
        }
    }

    private let sender: Sender
    private let entries: [BatchEntry]
    private let timeout: CallTimeout
    private let state: Watched<State>

    init(_ entries: [BatchEntry], timeout: CallTimeout, over sender: Sender) {
        self.entries = entries
        self.timeout = timeout
        self.sender = sender
        state = Watched(State(stages: Array(repeating: .coming, count: entries.count), missing: entries.count))
    }

    private enum Event: Sendable {
        /// The outcome is `nil` for a notification that was sent.
        case ended(Int, Result<RawJSON, CallError>?)
        case senderIsDone(hasExpired: Bool)
    }

    /// Runs the batch, and passes the outcome of each call, and of each notification that failed, to a closure.
    ///
    /// - Throws: An error before anything runs, if the params of a member cannot be sent.
    func run(
        pace: BatchEntry.OutcomePace, eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        for entry in entries { try sender.check(outboundCall(entry)) }
        var outcomes = [Outcome?](repeating: nil, count: pace == .together ? entries.count : 0)
        await withTaskGroup(of: Event.self) { group in
            for index in entries.indices { group.addTask { .ended(index, await self.outcome(ofMember: index)) } }
            group.addTask { .senderIsDone(hasExpired: await self.carryOut()) }
            await withTaskCancellationHandler {
                while let event = await group.next() {
                    switch event {
                    case .ended(let index, let outcome):
                        if pace == .together {
                            outcomes[index] = outcome
                        } else if let outcome {
                            eachOutcome(index, outcome)
                        }
                    case .senderIsDone(let hasExpired): if hasExpired { group.cancelAll() }
                    }
                }
            } onCancel: {
                state.withLock { $0.isCancelled = true }
            }
        }
        for (index, outcome) in outcomes.enumerated() {
            if let outcome { eachOutcome(index, outcome) }
        }
    }

    private func outboundCall(_ entry: BatchEntry) -> OutboundCall {
        OutboundCall(method: entry.method, params: entry.params, timeout: timeout, options: entry.options)
    }

    // MARK: Members

    private func outcome(ofMember index: Int) async -> Outcome? {
        defer { ended(index) }
        let (entry, interceptors) = (entries[index], sender.interceptors)
        do {
            if entry.isNotification {
                let next = NextInterceptor<Void> { notification in
                    try self.sender.check(notification)
                    if try await self.pass(index, notification) != nil { return }
                    try await self.sender.send(notification: notification)
                }
                try await next.behind(interceptors)(outboundCall(entry))
                return nil
            }
            let next = NextInterceptor<RawJSON> { call in
                try self.sender.check(call)
                if let result = try await self.pass(index, call) { return result }
                return try await self.sender.send(call: call)
            }
            return .success(try await next.behind(interceptors)(outboundCall(entry)))
        } catch is CancellationError {
            // Members that still wait are cancelled when the timeout expires.
            let refusal = state.withLock { $0.refusal }
            return .failure(CallError(refusal ?? CancellationError(), method: entry.method))
        } catch {
            return .failure(CallError(error, method: entry.method))
        }
    }

    /// Waits until the batch was sent and the member has its outcome. Returns `nil` if the member has passed before;
    /// then it is sent as a single call.
    private func pass(_ index: Int, _ call: OutboundCall) async throws -> RawJSON? {
        let wait = Wait()
        let (isFirst, refusal) = state.update { state -> (Bool, (any Error)?) in
            guard state.stages[index].isComing else { return (false, nil) }
            if state.refusal == nil { state.move(index, to: .waiting(call, wait)) }
            return (true, state.refusal)
        }
        if let refusal { throw refusal }
        guard isFirst else { return nil }
        do {
            return try await wait.value()
        } catch {
            guard let late = leave(index) else { throw error }
            return try await Task { try await late.value() }.value
        }
    }

    /// Removes a member that has failed, or whose task was cancelled, perhaps by an interceptor. If the whole batch was
    /// cancelled after it was sent, the member continues to wait for its outcome.
    private func leave(_ index: Int) -> Wait? {
        let (late, outcome) = state.withLock { state -> (Wait?, Result<RawJSON, any Error>?) in
            switch state.stages[index] {
            case .sent where state.isCancelled:
                let late = Wait()
                state.stages[index] = .sent(late)
                return (late, nil)
            case .over(let outcome?) where state.isCancelled: return (Wait(), outcome)
            case .waiting, .sent: state.stages[index] = .over()
            case .coming, .over: break
            }
            return (nil, nil)
        }
        if let outcome { late?.resume(with: outcome) }
        return late
    }

    private func ended(_ index: Int) {
        state.update { state in
            if state.stages[index].isComing { state.move(index, to: .over()) }
        }
    }

    // MARK: Sending

    /// Sends the members when all have arrived. Returns `true` if the timeout expired before.
    private func carryOut() async -> Bool {
        do {
            guard try await isWholeInTime() else {
                refuse(expired)
                return true
            }
        } catch {
            refuse(CancellationError())
            return false
        }
        let arrays = Dictionary(grouping: take()) { $0.call.timeout }
        await withTaskGroup(of: Void.self) { group in
            for (timeout, members) in arrays.sorted(by: { $0.value[0].index < $1.value[0].index }) {
                group.addTask { await self.send(members, timeout) }
            }
        }
        return false
    }

    /// Waits until no member is missing. Returns `false` if the timeout of the batch expires first.
    private func isWholeInTime() async throws -> Bool {
        if state.withLock({ $0.missing == 0 }) { return true }
        let limit = timeout.duration(configured: sender.configuration.calls.timeout)
        let deadline = limit.map { sender.clock.now.advanced(by: $0) }
        return try await sender.clock.value(until: deadline) { [state] in
            try await state.wait { $0.missing == 0 }
        } != nil
    }

    private var expired: ClientError {
        ClientError(
            .timedOut,
            "The batch was not sent: not all of its \(entries.count) members left their interceptors within the "
                + "timeout. Check for an interceptor that waits for another member of the same batch.",
            delivery: .notSent)
    }

    private typealias Member = (index: Int, call: OutboundCall)

    /// Returns the members that wait, in the order of the entries, and marks them as sent.
    private func take() -> [Member] {
        state.withLock { state in
            state.stages.indices.compactMap { index in
                // A member that was cancelled is not sent.
                guard case .waiting(let call, let wait) = state.stages[index], !wait.isOver else { return nil }
                state.stages[index] = .sent(wait)
                return (index, call)
            }
        }
    }

    private func send(_ members: [Member], _ timeout: CallTimeout) async {
        let array = members.map { member in
            BatchEntry(
                method: member.call.method, params: member.call.params,
                isNotification: entries[member.index].isNotification, options: member.call.options)
        }
        var failure: (any Error)?
        do {
            try await sender.send(array, timeout: timeout, pace: .asTheyCome) { settle(members[$0].index, $1) }
        } catch {
            failure = error
        }
        for (member, entry) in zip(members, array) {
            if let failure {
                settle(member.index, .failure(CallError(failure, method: entry.method)))
            } else if entry.isNotification {
                // A sent notification has no outcome of its own.
                settle(member.index, .success(.null))
            } else {
                let missing = ClientError.missingResponse(received: nil, delivery: .outcomeUnknown)
                settle(member.index, .failure(.failed(missing)))
            }
        }
    }

    /// Ends the wait of a member that was sent. The first outcome wins.
    private func settle(_ index: Int, _ outcome: Outcome) {
        let outcome = outcome.mapError(\.underlying)
        let wait = state.withLock { state -> Wait? in
            guard case .sent(let wait) = state.stages[index] else { return nil }
            state.stages[index] = .over(outcome)
            return wait
        }
        wait?.resume(with: outcome)
    }

    /// Refuses to send: waiting members and later members fail with the error.
    private func refuse(_ error: any Error) {
        let waits = state.withLock { state -> [Wait] in
            guard state.refusal == nil else { return [] }
            state.refusal = error
            return state.stages.indices.compactMap { index in
                guard case .waiting(_, let wait) = state.stages[index] else { return nil }
                state.stages[index] = .over()
                return wait
            }
        }
        for wait in waits { wait.resume(throwing: error) }
    }
}
