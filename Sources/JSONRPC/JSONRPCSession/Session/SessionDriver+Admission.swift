// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

extension SessionDriver {
    /// Puts queued messages into the outbox while there is room. It is called under the lock.
    func admitWaiting(_ state: inout State, _ effects: inout Effects) {
        guard !state.machine.queue.isEmpty else { return }
        while let transport = state.transport {
            let isFull = state.outbox.isFull(transport)
            switch state.machine.roomAppeared(outboxIsFull: isFull) {
            case .doNothing: return
            case .send(let key, let message):
                guard admit(key, message, transport, &state, &effects) else { return }
            }
        }
    }

    /// Puts one queued message into the outbox. Returns `false` if the transport refuses it: then it waits for the end of
    /// the transport.
    private func admit(
        _ key: CallKey, _ message: QueuedMessage, _ transport: any MessageTransport, _ state: inout State,
        _ effects: inout Effects
    ) -> Bool {
        let refusal: LaunchRefusal
        switch message {
        case .call(let tail, let id):
            switch launch(.owned(tail), id, &state, &effects) {
            case .success(let (id, ticket)):
                state.machine.waitingCallSent(key, id: id, ticket: ticket)
                return true
            case .failure(let reason): refusal = reason
            }
        case .notification(let bytes):
            guard case .queued(_, let mustWake) = putOneWay(bytes, transport, &state) else { return false }
            if mustWake { effects.wakes = transport }
            if let waiter = state.machine.waitingNotificationSent(key) { effects.settled.append((waiter, .sent)) }
            return true
        case .batch(let draft):
            switch launch(draft, transport, &state, &effects) {
            case .success(let (members, ticket)):
                _ = state.machine.waitingBatchSent(key, members, ticket: ticket)
                return true
            case .failure(let reason): refusal = reason
            }
        }
        guard case .failed(let failure) = refusal else { return false }
        if let waiter = state.machine.waitingMessageRefused(key) {
            effects.settled.append((waiter, .failure(failure)))
        }
        return true
    }
}
