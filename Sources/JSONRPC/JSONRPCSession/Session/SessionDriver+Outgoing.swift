// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

extension SessionDriver {
    /// Tells the peer that a call was cancelled or timed out.
    ///
    /// - Parameter own: The notice of the call, for a session without a notice.
    func sendCancellationNotice(_ id: RequestID, own: CancellationNotice?) {
        let options = configuration.calls
        guard let (method, params) = options.cancellationNotice.compose(id) ?? own?.compose(id) else { return }
        var bytes: [UInt8] = []
        writer.appendNotification(method: method, params: params, extra: options.extraMembers, to: &bytes)
        let wakes = state.withLock { state in
            state.machine.sendNotice(bytes, to: &state.outbox)
            return state.outbox.takeWake()
        }
        wakes?.wake()
        tracer?.deliver()
    }

    // MARK: A notification

    /// Sends a notification. It waits only for room in the outbox.
    func notify(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        try checkParams(params, method)
        let extra = extraMembers(options)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 + method.utf8.count + (params?.bytes.count ?? 0) + extra.bytes.count)
        writer.appendNotification(method: method, params: params, extra: extra, to: &bytes)
        try await send(bytes, method: method)
    }

    private func send(_ message: [UInt8], method: String) async throws {
        try Task.checkCancellation()
        if try sendNow(message, method) { return }
        let inbox = OutcomeInbox()
        var keys = submit(.oneWay(message), .inbox(inbox, 0), timeout: nil).map { [$0] } ?? []
        var arrivals: [OutcomeInbox.Arrival] = []
        while arrivals.isEmpty { await take(&arrivals, from: inbox, cancelling: &keys) }
        if case .failure(let error) = arrivals[0].outcome { throw error.naming(method: method).underlying }
    }

    /// Sends one of several messages, queues it at a limit, or refuses it. Returns the key to cancel it, if it was
    /// registered.
    private func submit(
        _ submission: Submission<CallWaiter>, _ waiter: CallWaiter, timeout: Duration?
    ) -> CallKey? {
        let ticket = CallTicket()
        submit(submission, waiter, timeout: timeout, ticket)
        return ticket.key
    }

    /// Takes outcomes. If the task is cancelled, it takes the outcomes that are there, and cancels the messages with
    /// these keys, so that each of them gets an outcome.
    private func take(
        _ arrivals: inout [OutcomeInbox.Arrival], atLeast count: Int = 1, from inbox: OutcomeInbox,
        cancelling keys: inout [CallKey]
    ) async {
        guard !keys.isEmpty else { return await inbox.take(&arrivals, atLeast: count) }
        await inbox.takeUnlessCancelled(&arrivals, atLeast: count)
        guard Task.isCancelled else { return }
        cancel(keys)
        keys = []
    }

    /// Puts a message without calls into the outbox. Returns `false` if it must wait.
    private func sendNow(_ message: [UInt8], _ method: String) throws -> Bool {
        let (isSent, refusal, wakes) = state.withLock { state -> (Bool, ClientError?, (any MessageTransport)?) in
            switch state.machine.submit(.oneWay(message), nil, to: &state.outbox) {
            case .sent: (true, nil, state.outbox.takeWake())
            case .mustWait, .registered: (false, nil, nil)
            case .refused(let refusal): (false, failure(refusal, state), nil)
            }
        }
        wakes?.wake()
        tracer?.deliver()
        if var refusal {
            refusal.method = method
            throw refusal
        }
        return isSent
    }
}

// MARK: - Batches

extension SessionDriver {
    /// Sends entries without interceptors, as one array, or as several within
    /// ``SessionConfiguration/Calls/batchLimits``.
    package func send(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        var bytes: [UInt8] = []
        var members: [ArrayDraft.Member] = []
        members.reserveCapacity(entries.count)
        for index in entries.indices { members.append(try append(entries[index], to: &bytes)) }
        let arrays = configuration.calls.batchLimits.split(members.map { writer.size(of: $0) })
        // A notification that is sent with calls gets an outcome only if it fails with them.
        var isExpected = entries.map { !$0.isNotification }
        for array in arrays where !isExpected[array].contains(true) {
            for index in array { isExpected[index] = true }
        }
        let inbox = OutcomeInbox()
        let limit = timeout.duration(configured: configuration.calls.timeout)
        let keys = arrays.compactMap { array in
            submit(ArrayDraft(bytes: bytes, members: members[array]), to: inbox, timeout: limit)
        }
        await take(isExpected, of: entries, from: inbox, keys, pace, eachOutcome)
    }

    /// Takes outcomes until each expected one is there. Cancellation of the task ends the calls, and so the wait.
    private func take(
        _ isExpected: [Bool], of entries: [BatchEntry], from inbox: OutcomeInbox, _ keys: [CallKey],
        _ pace: BatchEntry.OutcomePace,
        _ eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async {
        var keys = keys
        var isSettled = [Bool](repeating: false, count: entries.count)
        // The outcomes that are passed together. Second outcomes of an entry have the slot -1.
        var together: [OutcomeInbox.Arrival] = []
        var missing = isExpected.count { $0 }
        var arrivals: [OutcomeInbox.Arrival] = []
        func pass(_ outcome: CallOutcome, _ index: Int) {
            if case .failure(let error) = outcome {
                eachOutcome(index, .failure(error.naming(method: entries[index].method)))
            } else if !entries[index].isNotification {
                eachOutcome(index, outcome)
            }
        }
        while missing > 0 {
            await take(&arrivals, atLeast: pace == .together ? missing : 1, from: inbox, cancelling: &keys)
            for place in arrivals.indices {
                let index = Int(arrivals[place].slot)
                if isSettled[index] {
                    arrivals[place].slot = -1
                    continue
                }
                isSettled[index] = true
                if isExpected[index] { missing -= 1 }
                if pace == .asTheyCome { pass(arrivals[place].outcome, index) }
            }
            // Mostly, all outcomes come at once, and in order.
            if pace == .together { if together.isEmpty { swap(&together, &arrivals) } else { together += arrivals } }
            arrivals.removeAll(keepingCapacity: true)
        }
        together.sort { $0.slot < $1.slot }
        for arrival in together where arrival.slot >= 0 { pass(arrival.outcome, Int(arrival.slot)) }
    }

    private func append(_ entry: BatchEntry, to bytes: inout [UInt8]) throws -> ArrayDraft.Member {
        try checkParams(entry.params, entry.method)
        let start = bytes.count
        let extra = extraMembers(entry.options)
        if entry.isNotification {
            writer.appendNotification(method: entry.method, params: entry.params, extra: extra, to: &bytes)
        } else {
            writer.appendRequestTail(method: entry.method, params: entry.params, extra: extra, to: &bytes)
        }
        return ArrayDraft.Member(range: start..<bytes.count, isCall: !entry.isNotification)
    }

    private func submit(_ draft: ArrayDraft, to inbox: OutcomeInbox, timeout: Duration?) -> CallKey? {
        let slots = Int32(draft.members.startIndex)..<Int32(draft.members.endIndex)
        let waiter = CallWaiter.array(inbox, slots)
        let waiters = slots.filter { draft.members[Int($0)].isCall }.map { CallWaiter.inbox(inbox, $0) }
        let ids = customIDs.map { ids in waiters.map { _ in ids.next() } } ?? []
        return submit(
            .array(draft, waiters: waiters, ids: ids), waiter, timeout: waiters.isEmpty ? nil : timeout)
    }
}

extension SessionDriver: PlainSender {
    package var interceptors: [any CallInterceptor] { configuration.calls.interceptors }

    package func send(call: OutboundCall) async throws -> RawJSON {
        try await self.call(call.method, params: call.params, timeout: call.timeout, options: call.options)
    }

    package func send(notification: OutboundCall) async throws {
        try await notify(notification.method, params: notification.params, options: notification.options)
    }
}

// MARK: - Many calls

extension SessionDriver {
    /// The number of requests that are put into the outbox under one lock. Other callers wait meanwhile.
    private static var fanOutChunk: Int { 64 }

    /// Sends requests in order, or queues them at a limit. Each gets its own id and deadline, as a single call does,
    /// and the ``FanOutCall/key`` to cancel it. The outcome of a refused request is in the inbox when the function
    /// returns.
    func submit(_ calls: inout [FanOutCall], tails: [UInt8], timeout: Duration?, to inbox: OutcomeInbox) {
        let deadline = deadline(timeout)
        var start = 0
        while start < calls.count {
            let end = min(start + Self.fanOutChunk, calls.count)
            submit(&calls, start..<end, tails, deadline, inbox)
            start = end
        }
    }

    private func submit(
        _ calls: inout [FanOutCall], _ chunk: Range<Int>, _ tails: [UInt8], _ deadline: CallDeadline?,
        _ inbox: OutcomeInbox
    ) {
        let ids = customIDs.map { ids in chunk.map { _ in ids.next() } }
        var effects = Effects()
        state.withLock { state in
            for index in chunk {
                let waiter = CallWaiter.inbox(inbox, calls[index].slot)
                let call = Submission<CallWaiter>.call(
                    tail: tails[calls[index].tail], id: ids?[index - chunk.lowerBound])
                switch state.machine.submit(call, waiter, deadline: deadline, to: &state.outbox) {
                case .registered(let key, let timer):
                    calls[index].key = key
                    if let timer { effects.timer = timer }
                case .refused(let refusal):
                    effects.settled.append((waiter, .failure(.failed(failure(refusal, state)))))
                case .sent, .mustWait: break
                }
            }
            effects.wakes = state.outbox.takeWake()
        }
        run(effects)
    }

    /// Cancels the calls of a fan-out whose consumer is gone.
    ///
    /// Other callers get the places of these calls after the last one is cancelled. Otherwise a queued call of the
    /// fan-out would take the place of a cancelled one, and be sent.
    func cancel(_ keys: [CallKey]) {
        var rest = keys[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(Self.fanOutChunk)
            rest = rest.dropFirst(chunk.count)
            let isLast = rest.isEmpty
            perform { machine, outbox in machine.cancelRequested(chunk, goesOn: isLast, &outbox) }
            endObsoleteSleep()
        }
    }
}

// MARK: - Messages that are not sent

extension SessionDriver {
    func failure(_ refusal: Machine.Refusal, _ state: State) -> ClientError {
        switch refusal {
        case .phase(let phase): self.refusal(phase, state)
        case .tooManyCalls(let calls):
            ClientError(
                .batchTooLarge,
                "Could not send a batch of \(calls) calls at once: `calls.maximumInFlight` is "
                    + "\(configuration.calls.maximumInFlight). Raise it, or lower `calls.batchLimits`.",
                delivery: .notSent)
        case .idInUse(let id):
            ClientError(
                .requestIDInUse, "Could not send the request: the id generator returned the id of a call in flight.",
                requestID: id, delivery: .notSent)
        }
    }

    private func refusal(_ phase: DuplexSession.State, _ state: State) -> ClientError {
        switch phase {
        case .connecting, .open: ClientError(.notConnected, "The session is not connected.", delivery: .notSent)
        case .draining, .closing:
            state.machine.violation.map { closing(because: $0, .notSent) }
                ?? ClientError(.closed, "The connection is closing.", delivery: .notSent)
        case .closed:
            state.machine.closure.map { failure($0, state.machine.violation, .notSent, nil) }
                ?? ClientError(.closed, "The session is closed.", delivery: .notSent)
        }
    }
}
