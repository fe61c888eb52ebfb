// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

/// Regular responses that were read together and wait to be settled together.
///
/// For each response by itself the lock would go back and forth between the transport's thread and the callers', and
/// with it everything that it protects.
struct ArrivedResponses {
    /// As many are settled within one critical section at most: callers wait for its end.
    static let limit = 32

    /// A response, and where in its bytes the result lies.
    struct Response {
        var id: Int64
        var result: Range<Int>
        var bytes: [UInt8]

        /// The result, in the response's storage.
        consuming func takeResult() -> ArraySlice<UInt8> { bytes[result] }
    }

    /// More may come soon.
    var isGathering = false
    private(set) var responses: [Response] = []
    /// What becomes of them, in the same order. Kept for its storage.
    var actions: [SessionDriver.Machine.ResponseAction] = []

    /// What was done with a response.
    enum Addition {
        /// It is not to be put off.
        case refused
        case added(isFull: Bool)
    }

    mutating func add(_ id: Int64, _ result: Range<Int>, _ message: ArrivedMessage) -> Addition {
        guard isGathering else { return .refused }
        responses.append(Response(id: id, result: result, bytes: message.kept()))
        return .added(isFull: responses.count >= Self.limit)
    }

    /// Gives the responses away in the order in which they came, each without a copy that would have to be released
    /// here.
    mutating func forEach(_ body: (consuming Response, SessionDriver.Machine.ResponseAction) -> Void) {
        responses.reverse()
        for action in actions { body(responses.removeLast(), action) }
        actions.removeAll(keepingCapacity: true)
    }
}

extension SessionDriver {
    /// Settles the calls whose responses were put off, in the order in which they came.
    func settleArrived() {
        guard !arrived.responses.isEmpty else { return }
        // Out of the property, whose every use would be checked for exclusivity.
        var arrived = ArrivedResponses()
        swap(&arrived, &self.arrived)
        let effects = state.withLock { state -> Effects? in
            for response in arrived.responses {
                arrived.actions.append(state.machine.responseReceived(.number(response.id)))
            }
            return admitted(&state)
        }
        arrived.forEach { response, action in
            guard case .resume(let waiter) = action else { return settle(action, response) }
            waiter.settle(.result(RawJSON(unchecked: response.takeResult())))
        }
        swap(&arrived, &self.arrived)
        if let effects { run(effects) }
    }

    /// Reports a response to no call that is in flight.
    private func settle(_ action: Machine.ResponseAction, _ response: borrowing ArrivedResponses.Response) {
        let (id, result, kept) = (response.id, response.result, response.bytes)
        kept.withUnsafeBytes { bytes in
            let message = ArrivedMessage(bytes: bytes, owned: kept, isBinary: false)
            settle(action, .number(id), .result(message.json(result)), message)
        }
    }

    /// After calls have left the table: others may be sent, and a close may go on. Nil when nothing follows. Called
    /// under the lock.
    func admitted(_ state: inout State) -> Effects? {
        guard !state.machine.queue.isEmpty || state.machine.phase != .open else { return nil }
        var effects = Effects()
        admitWaiting(&state, &effects)
        if state.machine.drained() { closeTransport(&state, &effects) }
        return effects
    }
}
