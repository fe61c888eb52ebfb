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
    var responses: [Response] = []
    /// What becomes of them, in the same order. Kept for its storage.
    var actions: [SessionDriver.Machine.ResponseAction] = []
}

extension SessionDriver {
    /// Puts off a response until ``settleArrived()``.
    func gather(_ id: Int64, _ result: Range<Int>, _ message: ArrivedMessage) {
        arrived.responses.append(ArrivedResponses.Response(id: id, result: result, bytes: message.kept()))
        if arrived.responses.count == ArrivedResponses.limit { settleArrived() }
    }

    /// Settles the calls whose responses were put off, in the order in which they came.
    func settleArrived() {
        guard !arrived.responses.isEmpty else { return }
        let effects = state.withLock { state -> Effects? in
            for response in arrived.responses {
                arrived.actions.append(state.machine.responseReceived(.number(response.id)))
            }
            return admitted(&state)
        }
        // Backwards, for `removeLast` gives each response away without a copy that would have to be released here.
        arrived.responses.reverse()
        for action in arrived.actions {
            let response = arrived.responses.removeLast()
            if case .resume(let waiter) = action {
                waiter.settle(.result(RawJSON(unchecked: response.takeResult())))
            } else {
                response.bytes.withUnsafeBytes { bytes in
                    let message = ArrivedMessage(bytes: bytes, owned: response.bytes, isBinary: false)
                    settle(action, .number(response.id), .result(message.json(response.result)), message)
                }
            }
        }
        arrived.actions.removeAll(keepingCapacity: true)
        if let effects { run(effects) }
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
