// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

extension SessionDriver {
    /// Sends entries as one array, or as several within ``SessionConfiguration/batchLimits``, and passes each outcome to a
    /// closure.
    func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try Task.checkCancellation()
        guard !entries.isEmpty else { return }
        if interceptsNothing {
            try await send(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
        } else {
            try await InterceptedBatch(entries, timeout: timeout, over: self).run(pace: pace, eachOutcome: eachOutcome)
        }
    }

    /// Sends entries without interceptors.
    private func send(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        let isStream = pace == .asTheyCome
        try await outcomes(of: entries, timeout: timeout, isStream: isStream) { collector in
            while isStream {
                let settled = await collector.next()
                if settled.isEmpty { return }
                for (index, outcome) in settled {
                    if let result = result(outcome, entries, index) { eachOutcome(index, result) }
                }
            }
            let outcomes = await collector.outcomes()
            for index in outcomes.indices {
                if let result = result(outcomes[index], entries, index) { eachOutcome(index, result) }
            }
        }
    }

    /// Sends entries, and waits for them with `wait`.
    private func outcomes<Outcomes>(
        of entries: [BatchEntry], timeout: CallTimeout, isStream: Bool,
        wait: (BatchCollector) async -> Outcomes
    ) async throws -> Outcomes {
        var bytes: [UInt8] = []
        var members: [BatchDraft.Member] = []
        members.reserveCapacity(entries.count)
        for index in entries.indices { members.append(try append(entries[index], to: &bytes)) }
        let arrays = configuration.batchLimits.split(members.map { size($0) })
        var isExpected = entries.map { !$0.isNotification }
        for array in arrays where !isExpected[array].contains(true) {
            for index in array { isExpected[index] = true }
        }
        let collector = BatchCollector(expected: isExpected, isStream: isStream)
        let tickets = arrays.map { _ in SharedCallTicket() }
        let limit = timeout.duration(configured: configuration.callTimeout)
        return await withTaskCancellationHandler {
            for (array, ticket) in zip(arrays, tickets) {
                submit(
                    BatchDraft(bytes: bytes, members: members[array], collector: collector), timeout: limit,
                    ticket.ticket)
            }
            return await wait(collector)
        } onCancel: {
            for ticket in tickets { cancel(ticket.ticket) }
        }
    }

    private func append(_ entry: BatchEntry, to bytes: inout [UInt8]) throws -> BatchDraft.Member {
        try checkParams(entry.params, entry.method)
        let start = bytes.count
        let extra = extraMembers(entry.options)
        if entry.isNotification {
            writer.appendNotification(method: entry.method, params: entry.params, extra: extra, to: &bytes)
        } else {
            writer.appendRequestTail(method: entry.method, params: entry.params, extra: extra, to: &bytes)
        }
        return BatchDraft.Member(range: start..<bytes.count, isCall: !entry.isNotification)
    }

    /// Returns the bytes that a member takes in an array, with 40 bytes for an id that is not known yet.
    private func size(_ member: BatchDraft.Member) -> Int {
        member.isCall ? requestHead.count + 40 + member.range.count : member.range.count
    }

    /// Returns `nil` for a notification that was sent.
    private func result(
        _ outcome: CallOutcome?, _ entries: [BatchEntry], _ index: Int
    ) -> Result<RawJSON, CallError>? {
        switch outcome {
        case .result(let result): .success(result)
        case .error(let error, _): .failure(.answered(error.answering(entries[index].method)))
        case .failure(let failure): .failure(.failed(failure.error(method: entries[index].method)))
        case .cancelled: .failure(.cancelled)
        case .sent, nil: nil
        }
    }

    /// Sends one array, or queues it at a limit.
    private func submit(_ draft: BatchDraft, timeout: Duration?, _ ticket: borrowing CallTicket) {
        let waiter = CallWaiter.batch(draft.collector, draft.indices)
        let calls = draft.members.count { $0.isCall }
        guard calls > 0 else { return submitNotification(composed(draft), ticket, waiter) }
        var draft = draft
        if let customIDs { draft.ids = (0..<calls).map { _ in customIDs.next() } }
        submit(draft, calls: calls, timeout: timeout, ticket, waiter)
    }

    /// Returns an array of notifications alone.
    private func composed(_ draft: BatchDraft) -> [UInt8] {
        var bytes: [UInt8] = []
        for member in draft.members {
            bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ","))
            bytes.append(contentsOf: draft.bytes[member.range])
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }

    private func submit(
        _ draft: BatchDraft, calls: Int, timeout: Duration?, _ ticket: borrowing CallTicket, _ waiter: CallWaiter
    ) {
        let deadline = deadline(timeout)
        let (effects, refused) = state.withLock { state -> (Effects, CallOutcome?) in
            var effects = Effects()
            if ticket.isCancelled { return (effects, .cancelled) }
            let isFull = state.transport.map { state.outbox.isFull($0) } ?? false
            switch state.machine.sendRequested(calls: calls, outboxIsFull: isFull) {
            case .send:
                guard let transport = state.transport else { return (effects, .failure(refusal(.connecting, state))) }
                switch launch(draft, transport, &state, &effects) {
                case .success(let (members, place)):
                    let action = state.machine.batchSent(members, ticket: place, deadline: deadline)
                    ticket.key = action.key
                    effects.timer = action.timer
                    return (effects, nil)
                case .failure(.failed(let failure)): return (effects, .failure(failure))
                case .failure(.transportEnds): break
                }
            case .wait: break
            case .refuse(let phase): return (effects, .failure(refusal(phase, state)))
            case .refuseSize:
                let message =
                    "Could not send a batch of \(calls) calls at once: `maximumCallsInFlight` is "
                    + "\(configuration.maximumCallsInFlight). Raise it, or lower `batchLimits`."
                return (effects, .failure(CallFailure(code: .batchTooLarge, message: message, delivery: .notSent)))
            }
            let action = state.machine.waitBegan(
                waiter, message: .batch(draft), kind: .batch(calls), deadline: deadline)
            ticket.key = action.key
            effects.timer = action.timer
            return (effects, nil)
        }
        run(effects)
        if let refused { waiter.settle(refused) }
    }

    typealias LaunchedBatch = (members: [(id: RequestID, waiter: CallWaiter)], ticket: OutboxTicket)

    /// Assigns ids to the calls of a batch and puts the array into the outbox. It is called under the lock.
    func launch(
        _ draft: BatchDraft, _ transport: any MessageTransport, _ state: inout State, _ effects: inout Effects
    ) -> Result<LaunchedBatch, LaunchRefusal> {
        var array = ArrayComposer()
        array.bytes.reserveCapacity(2 + draft.members.reduce(0) { $0 + 1 + min(size($1), ArrayComposer.maximumCopy) })
        var members: [(id: RequestID, waiter: CallWaiter)] = []
        members.reserveCapacity(draft.members.count)
        var taken: Set<RequestID> = []
        var ids = draft.ids[...]
        for (index, member) in zip(draft.indices, draft.members) {
            array.beginMember()
            guard member.isCall else {
                array.append(draft.bytes, member.range)
                continue
            }
            let id = ids.popFirst() ?? state.ids.next()
            if !state.machine.countsIDs, !state.machine.isFree(id) || !taken.insert(id).inserted {
                return .failure(.failed(idInUse(id)))
            }
            if array.copies(member.range) {
                draft.bytes.withUnsafeBytes { pieces in
                    let tail = UnsafeRawBufferPointer(rebasing: pieces[member.range])
                    writer.appendRequest(id: id, tail: tail, to: &array.bytes)
                }
            } else {
                writer.beginRequest(id: id, &array.bytes)
                array.append(draft.bytes, member.range)
            }
            members.append((id, .member(draft.collector, index)))
        }
        array.bytes.append(UInt8(ascii: "]"))
        switch array.isShared
            ? enqueue(sharing: array.pieces, to: transport) : enqueue(whole: array.bytes, to: transport)
        {
        case .queued(let ticket, let mustWake):
            state.outbox.noteAccepted(ticket, bytes: array.count)
            if mustWake { effects.wakes = transport }
            return .success((members, ticket))
        case .refused: return .failure(.transportEnds)
        }
    }
}

extension SessionDriver: PlainSender {
    package func check(_ call: OutboundCall) throws { try checkParams(call.params, call.method) }

    package func send(call: OutboundCall) async throws -> RawJSON { try await self.call(call) }

    package func send(notification: OutboundCall) async throws {
        try await notify(notification.method, params: notification.params, options: notification.options)
    }

    package func send(
        _ entries: [BatchEntry], timeout: CallTimeout,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try await send(entries, timeout: timeout, pace: .asTheyCome, eachOutcome: eachOutcome)
    }
}
