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
        var members: [ArrayDraft.Member] = []
        members.reserveCapacity(entries.count)
        for index in entries.indices { members.append(try append(entries[index], to: &bytes)) }
        let arrays = configuration.batchLimits.split(members.map { writer.size(of: $0) })
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
                    ArrayDraft(bytes: bytes, members: members[array]), to: collector, timeout: limit, ticket.ticket)
            }
            return await wait(collector)
        } onCancel: {
            for ticket in tickets { cancel(ticket.ticket) }
        }
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

    /// Sends one array, queues it at a limit, or refuses it.
    private func submit(
        _ draft: ArrayDraft, to collector: BatchCollector, timeout: Duration?, _ ticket: borrowing CallTicket
    ) {
        let waiter = CallWaiter.batch(collector, draft.members.indices)
        let waiters = draft.members.indices.filter { draft.members[$0].isCall }
            .map { CallWaiter.member(collector, $0) }
        guard !waiters.isEmpty else { return submit(.oneWay(composed(draft)), waiter, timeout: nil, ticket) }
        let ids = customIDs.map { ids in waiters.map { _ in ids.next() } } ?? []
        submit(.array(draft, waiters: waiters, ids: ids), waiter, timeout: timeout, ticket)
    }

    /// Returns an array of notifications alone.
    private func composed(_ draft: ArrayDraft) -> [UInt8] {
        var bytes: [UInt8] = []
        for member in draft.members {
            bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ","))
            bytes.append(contentsOf: draft.bytes[member.range])
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
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
