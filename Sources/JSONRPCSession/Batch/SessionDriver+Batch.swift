// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

extension SessionDriver {
    /// Sends entries as one array, and gives the outcome of each in their order; nil for a notification.
    func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, any Error>?] {
        try Task.checkCancellation()
        guard !entries.isEmpty else { return [] }
        let members = try entries.map(member)
        let calls = entries.count { !$0.isNotification }
        guard calls > 0 else {
            try await send(composed(members), method: nil)
            return entries.map { _ in nil }
        }
        let limit = timeout.duration(configured: configuration.callTimeout)
        let ticket = CallTicket()
        let outcomes = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let collector = BatchCollector(entries: entries.count, calls: calls, continuation: continuation)
                submit(BatchDraft(members: members, collector: collector), calls: calls, timeout: limit, ticket)
            }
        } onCancel: {
            cancel(ticket)
        }
        if Task.isCancelled, outcomes.contains(where: { if case .cancelled = $0 { true } else { false } }) {
            throw CancellationError()
        }
        return zip(entries, outcomes).map { $0.isNotification ? nil : result($1, method: $0.method) }
    }

    private func member(_ entry: BatchEntry) throws -> BatchDraft.Member {
        try checkParams(entry.params, entry.method)
        let extra = extraMembers(entry.options)
        guard entry.isNotification else {
            return .call(tail: writer.requestTail(method: entry.method, params: entry.params, extra: extra))
        }
        var bytes: [UInt8] = []
        writer.appendNotification(method: entry.method, params: entry.params, extra: extra, to: &bytes)
        return .notification(bytes)
    }

    /// An array of notifications alone.
    private func composed(_ members: [BatchDraft.Member]) -> [UInt8] {
        var bytes: [UInt8] = []
        for member in members {
            guard case .notification(let notification) = member else { continue }
            bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ","))
            bytes.append(contentsOf: notification)
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }

    private func result(_ outcome: CallOutcome?, method: String) -> Result<RawJSON, any Error> {
        switch outcome {
        case .result(let result): .success(result)
        case .error(let error, _): .failure(error)
        case .failure(let failure): .failure(failure.error(method: method))
        case .cancelled, .sent, nil: .failure(CancellationError())
        }
    }

    private func submit(_ draft: BatchDraft, calls: Int, timeout: Duration?, _ ticket: CallTicket) {
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
                case .failure(let refusal): return (effects, .failure(refusal.failure))
                }
            case .wait:
                let action = state.machine.waitBegan(
                    .batch(draft.collector), message: .batch(draft), kind: .batch(calls), deadline: deadline)
                ticket.key = action.key
                effects.timer = action.timer
                return (effects, nil)
            case .refuse(let phase): return (effects, .failure(refusal(phase, state)))
            case .refuseSize:
                let message = "The batch has more calls than may be in flight."
                return (effects, .failure(CallFailure(code: .batchTooLarge, message: message, delivery: .notSent)))
            }
        }
        run(effects)
        if let refused { draft.collector.settleAll(refused) }
    }

    typealias LaunchedBatch = (members: [(id: RequestID, waiter: CallWaiter)], ticket: OutboxTicket)

    /// Gives a batch's calls their ids and hands the array to the transport. Called under the lock.
    func launch(
        _ draft: BatchDraft, _ transport: any MessageTransport, _ state: inout State, _ effects: inout Effects
    ) -> Result<LaunchedBatch, LaunchRefusal> {
        var bytes: [UInt8] = []
        var members: [(id: RequestID, waiter: CallWaiter)] = []
        var taken: Set<RequestID> = []
        for (index, member) in draft.members.enumerated() {
            bytes.append(UInt8(ascii: index == 0 ? "[" : ","))
            switch member {
            case .notification(let notification): bytes.append(contentsOf: notification)
            case .call(let tail):
                let id = state.ids.next()
                if !state.machine.countsIDs, !state.machine.isFree(id) || !taken.insert(id).inserted {
                    return .failure(LaunchRefusal(failure: idInUse(id)))
                }
                writer.appendRequest(id: id, tail: tail, to: &bytes)
                members.append((id, .member(draft.collector, index)))
            }
        }
        bytes.append(UInt8(ascii: "]"))
        switch transport.enqueue(whole: bytes) {
        case .queued(let ticket, let mustWake):
            state.outbox.noteAccepted(ticket, bytes: bytes.count)
            if mustWake { effects.wakes = transport }
            return .success((members, ticket))
        case .refused: return .failure(LaunchRefusal(failure: refusal(.closing, state)))
        }
    }
}
