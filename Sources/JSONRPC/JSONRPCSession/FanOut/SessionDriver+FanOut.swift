// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

/// A call of a fan-out, ready to be sent.
struct FanOutCall: Sendable {
    /// The slot of the fan-out that the outcome is for.
    var slot: Int32
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
                let waiter = CallWaiter.fanOut(inbox, calls[index].slot)
                let call = Submission<CallWaiter>.call(
                    tail: tails[calls[index].tail], id: ids?[index - chunk.lowerBound])
                switch state.machine.submit(call, waiter, deadline: deadline, to: &state.outbox) {
                case .registered(let key, let timer):
                    calls[index].key = key
                    if let timer { effects.timer = timer }
                case .refused(let refusal):
                    effects.settled.append((waiter, .failure(failure(refusal, state))))
                case .sent, .mustWait: break
                }
            }
            effects.wakes = state.outbox.takeWake()
        }
        run(effects)
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
                let actions = state.machine.cancelRequested(chunk, goesOn: isLast, &state.outbox)
                add(actions, &state, to: &effects)
                return effects
            }
            endObsoleteSleep()
            run(effects)
        }
    }
}
