// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCCore
import TaskWaits
package import WireJSON

/// A sender of calls, notifications and batches without interceptors.
package protocol PlainSender: Sendable {
    var configuration: SessionConfiguration { get }
    var clock: any SessionClock { get }

    /// Throws if the call or notification can never be sent.
    func check(_ call: OutboundCall) throws
    func send(call: OutboundCall) async throws -> RawJSON
    func send(notification: OutboundCall) async throws
    /// Sends a batch, and passes each outcome to a closure as it arrives.
    func send(
        _ entries: [BatchEntry], timeout: CallTimeout,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws
}

extension PlainSender {
    package func check(_ call: OutboundCall) throws { try checkParams(call.params, call.method) }

    func checkParams(_ params: RawJSON?, _ method: String) throws {
        guard let params, !params.isStructured else { return }
        throw ClientError.unstructuredParams(method: method)
    }

    /// Makes a call through the interceptors.
    package func intercept(call: OutboundCall) async throws -> RawJSON {
        let next = NextInterceptor<RawJSON> { try await self.send(call: $0) }
        return try await next.behind(configuration.interceptors)(call)
    }

    /// Sends a notification through the interceptors.
    package func intercept(notification: OutboundCall) async throws {
        let next = NextInterceptor<Void> { try await self.send(notification: $0) }
        try await next.behind(configuration.interceptors)(notification)
    }
}

/// A batch whose members pass the interceptors before they are sent together: see ``CallInterceptor``.
///
/// Each member runs its interceptors in a child task. A further child task waits at the ``BatchGate`` until all members
/// have arrived there, sends them, and returns each outcome to its member.
package struct InterceptedBatch<Sender: PlainSender>: Sendable {
    private typealias Outcome = Result<RawJSON, CallError>

    let sender: Sender
    let entries: [BatchEntry]
    let timeout: CallTimeout
    private let gate: BatchGate

    package init(_ entries: [BatchEntry], timeout: CallTimeout, over sender: Sender) {
        self.entries = entries
        self.timeout = timeout
        self.sender = sender
        gate = BatchGate(members: entries.count)
    }

    private enum Event: Sendable {
        /// The outcome is `nil` for a notification that was sent.
        case ended(Int, Result<RawJSON, CallError>?)
        case senderIsDone(hasExpired: Bool)
    }

    /// Runs the batch, and passes the outcome of each call, and of each notification that failed, to a closure.
    ///
    /// - Throws: An error before anything runs, if the params of a member cannot be sent.
    package func run(
        pace: BatchEntry.OutcomePace, eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        for entry in entries { try sender.check(outboundCall(entry)) }
        var outcomes = [Outcome?](repeating: nil, count: pace == .together ? entries.count : 0)
        await withTaskGroup(of: Event.self) { group in
            for index in entries.indices { group.addTask { .ended(index, await outcome(ofMember: index)) } }
            group.addTask { .senderIsDone(hasExpired: await carryOut()) }
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
                gate.batchCancelled()
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
        defer { gate.ended(index) }
        let (entry, interceptors) = (entries[index], sender.configuration.interceptors)
        do {
            if entry.isNotification {
                let next = NextInterceptor<Void> { notification in
                    try sender.check(notification)
                    if try await gate.pass(.init(index: index, call: notification)) != nil { return }
                    try await sender.send(notification: notification)
                }
                try await next.behind(interceptors)(outboundCall(entry))
                return nil
            }
            let next = NextInterceptor<RawJSON> { call in
                try sender.check(call)
                if let result = try await gate.pass(.init(index: index, call: call)) { return result }
                return try await sender.send(call: call)
            }
            return .success(try await next.behind(interceptors)(outboundCall(entry)))
        } catch is CancellationError {
            // Members that still wait are cancelled when the timeout expires.
            return .failure(CallError(gate.refusal ?? CancellationError(), method: entry.method))
        } catch {
            return .failure(CallError(error, method: entry.method))
        }
    }

    // MARK: Sending

    /// Sends the members when all have arrived. Returns `true` if the timeout expired before.
    private func carryOut() async -> Bool {
        do {
            guard try await isWholeInTime() else {
                gate.refuse(expired)
                return true
            }
        } catch {
            gate.refuse(CancellationError())
            return false
        }
        let arrays = Dictionary(grouping: gate.take(), by: \.call.timeout)
        await withTaskGroup(of: Void.self) { group in
            for (timeout, members) in arrays.sorted(by: { $0.value[0].index < $1.value[0].index }) {
                group.addTask { await send(members, timeout) }
            }
        }
        return false
    }

    /// Waits until no member is missing. Returns `false` if the timeout of the batch expires first.
    private func isWholeInTime() async throws -> Bool {
        if gate.isWhole { return true }
        let limit = timeout.duration(configured: sender.configuration.callTimeout)
        let deadline = limit.map { sender.clock.now.advanced(by: $0) }
        return try await sender.clock.value(until: deadline) { try await gate.whole.value() } != nil
    }

    private var expired: ClientError {
        ClientError(
            .timedOut,
            "The batch was not sent: not all of its \(entries.count) members left their interceptors within the "
                + "timeout. Check for an interceptor that waits for another member of the same batch.",
            delivery: .notSent)
    }

    private func send(_ members: [BatchGate.Deposit], _ timeout: CallTimeout) async {
        let array = members.map { member in
            BatchEntry(
                method: member.call.method, params: member.call.params,
                isNotification: entries[member.index].isNotification, options: member.call.options)
        }
        var failure: (any Error)?
        do {
            try await sender.send(array, timeout: timeout) { gate.settle(members[$0].index, $1) }
        } catch {
            failure = error
        }
        for (member, entry) in zip(members, array) {
            if let failure {
                gate.settle(member.index, .failure(CallError(failure, method: entry.method)))
            } else if entry.isNotification {
                // A sent notification has no outcome of its own.
                gate.settle(member.index, .success(.null))
            } else {
                let missing = ClientError.missingResponse(received: nil, delivery: .outcomeUnknown)
                gate.settle(member.index, .failure(.failed(missing)))
            }
        }
    }
}
