// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

/// A call of a fan-out, ready to be sent.
struct FanOutCall: Sendable {
    /// The lane of the fan-out that the outcome is for.
    var lane: Int32
    /// The range of the request's tail.
    var tail: Range<Int>
    /// The entry of the call, if it was submitted.
    var key: CallKey?
}

extension SessionDriver {
    /// The number of requests that are put into the outbox under one lock. Other callers wait meanwhile.
    private static var fanOutChunk: Int { 64 }

    /// Sends requests in order, or queues them at a limit. Each gets its own id and deadline, as a single call does, and
    /// the ``FanOutCall/key`` to cancel it. The outcome of a refused request is in the inbox when the function returns.
    func submit(_ calls: inout [FanOutCall], tails: [UInt8], timeout: Duration?, to inbox: FanOutInbox) {
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
        _ inbox: FanOutInbox
    ) {
        let ids = customIDs.map { ids in chunk.map { _ in ids.next() } }
        var effects = Effects()
        state.withLock { state in
            for index in chunk {
                let outcome = submit(
                    &calls[index], tails, ids?[index - chunk.lowerBound], deadline, inbox, &state, &effects)
                if let outcome { effects.settled.append((.lane(inbox, calls[index].lane), outcome)) }
            }
        }
        run(effects)
    }

    /// Returns the outcome of a request that is refused. It is called under the lock.
    private func submit(
        _ call: inout FanOutCall, _ tails: [UInt8], _ id: RequestID?, _ deadline: CallDeadline?,
        _ inbox: FanOutInbox, _ state: inout State, _ effects: inout Effects
    ) -> CallOutcome? {
        let isFull = state.transport.map { state.outbox.isFull($0) } ?? false
        switch state.machine.sendRequested(calls: 1, outboxIsFull: isFull) {
        case .send:
            let launched =
                if call.tail.count > Self.sharingThreshold {
                    launch(.owned(tails[call.tail]), id, &state, &effects)
                } else {
                    // The bytes are copied, so no reference to the array is counted.
                    tails.withUnsafeBytes {
                        launch(.borrowed(UnsafeRawBufferPointer(rebasing: $0[call.tail])), id, &state, &effects)
                    }
                }
            switch launched {
            case .success(let (id, ticket)):
                let action = state.machine.callSent(
                    .lane(inbox, call.lane), id: id, ticket: ticket, deadline: deadline)
                call.key = action.key
                if let timer = action.timer { effects.timer = timer }
                return nil
            case .failure(.failed(let failure)): return .failure(failure)
            case .failure(.transportEnds): break
            }
        case .wait: break
        case .refuse(let phase): return .failure(refusal(phase, state))
        case .refuseSize: return .failure(refusal(state.machine.phase, state))
        }
        let message = QueuedMessage.call(tail: tails[call.tail], id: id)
        let action = state.machine.waitBegan(
            .lane(inbox, call.lane), message: message, kind: .call, deadline: deadline)
        call.key = action.key
        if let timer = action.timer { effects.timer = timer }
        return nil
    }

    /// Cancels the calls of a fan-out that nobody waits for.
    ///
    /// Other callers get the places of these calls after the last one is cancelled. Before, a queued call of the fan-out
    /// would take the place of an earlier one, and be sent.
    func cancel(_ keys: [CallKey]) {
        var rest = keys[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(Self.fanOutChunk)
            rest = rest.dropFirst(chunk.count)
            let isLast = rest.isEmpty
            let effects = state.withLock { state in
                var effects = Effects()
                for key in chunk {
                    giveUp(state.machine.cancelRequested(key), { _, _ in .cancelled }, &state, &effects)
                }
                if isLast { admitWaiting(&state, &effects) }
                return effects
            }
            endObsoleteSleep()
            run(effects)
        }
    }
}
