// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

/// Regular responses that were read together and wait to be settled together.
///
/// If each response took the lock, the lock and the state that it protects would move between the processors of the
/// transport's thread and of the callers.
struct ArrivedResponses {
    /// The maximum number of responses that are settled under one lock, because callers wait for it.
    static let limit = 32

    /// A response, and the range of the result in its bytes.
    struct Response {
        var id: Int64
        var result: Range<Int>
        var bytes: [UInt8]

        /// The result. It shares the storage of the response, unless most of that is not the result.
        consuming func takeResult() -> ArraySlice<UInt8> {
            bytes[result].detached(from: bytes.count, slack: StoredPart.resultSlack)
        }
    }

    /// Whether further messages may follow soon.
    var isGathering = false
    private(set) var responses: [Response] = []
    /// The effects of the responses, in the same order. The array is kept to reuse its storage.
    var actions: [SessionDriver.Machine.ResponseAction] = []
    /// The outcomes of fan-outs, whose consumers are woken once for a read.
    var buffer = OutcomeBuffer()
    /// Whether there are outcomes that must be passed on before other messages are handled.
    var holdsOutcomes: Bool { !responses.isEmpty || !buffer.isEmpty }

    /// The result of gathering a response.
    enum Addition {
        /// The response must be handled at once.
        case refused
        case added(isFull: Bool)
    }

    mutating func add(_ id: Int64, _ result: Range<Int>, _ message: ArrivedMessage) -> Addition {
        guard isGathering else { return .refused }
        responses.append(Response(id: id, result: result, bytes: message.kept()))
        return .added(isFull: responses.count >= Self.limit)
    }

    /// Passes on the responses in the order of their arrival, without copies that would be released here.
    mutating func forEach(_ body: (consuming Response, SessionDriver.Machine.ResponseAction) -> Void) {
        responses.reverse()
        for action in actions { body(responses.removeLast(), action) }
        actions.removeAll(keepingCapacity: true)
    }
}

extension SessionDriver {
    /// Wakes the consumers of notifications, then settles the calls of the gathered responses, in the order of their
    /// arrival.
    func settleArrived() {
        settleResponses()
        arrived.buffer.flush()
    }

    /// Does the same, except that the outcomes of fan-outs may wait for the end of the read.
    func settleResponses() {
        pendingWakeups.perform()
        guard !arrived.responses.isEmpty else { return }
        // A local variable avoids the exclusivity check for each use of the property.
        var arrived = ArrivedResponses()
        swap(&arrived, &self.arrived)
        var buffer = OutcomeBuffer()
        swap(&buffer, &arrived.buffer)
        let effects = state.withLock { state -> Effects? in
            for response in arrived.responses {
                arrived.actions.append(state.machine.responseReceived(.number(response.id)))
            }
            return admitted(&state)
        }
        endObsoleteSleep()
        arrived.forEach { response, action in
            guard case .resume(let waiter) = action else { return settle(action, response) }
            let outcome = CallOutcome.result(RawJSON(unchecked: response.takeResult()))
            if case .fanOut(let inbox, let slot) = waiter { return buffer.add(inbox, slot, outcome) }
            waiter.settle(outcome)
        }
        swap(&buffer, &arrived.buffer)
        swap(&arrived, &self.arrived)
        if let effects { run(effects) }
    }

    /// Reports a response that belongs to no call in flight.
    private func settle(_ action: Machine.ResponseAction, _ response: borrowing ArrivedResponses.Response) {
        let (id, result, kept) = (response.id, response.result, response.bytes)
        kept.withUnsafeBytes { bytes in
            let message = ArrivedMessage(bytes: bytes, owned: kept, isBinary: false)
            settle(action, .number(id), .result(message.result(result)), message)
        }
    }

    /// Sends queued messages and continues a close after calls have ended. Returns `nil` if there are no effects. It is
    /// called under the lock.
    func admitted(_ state: inout State) -> Effects? {
        guard state.machine.mayGoOn else { return nil }
        var effects = Effects()
        add(state.machine.roomAppeared(in: &state.outbox), &state, to: &effects)
        return effects
    }
}
