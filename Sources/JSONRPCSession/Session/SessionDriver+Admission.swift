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

    /// Puts one queued message into the outbox. Returns `false` if the transport refuses it.
    private func admit(
        _ key: CallKey, _ message: QueuedMessage, _ transport: any MessageTransport, _ state: inout State,
        _ effects: inout Effects
    ) -> Bool {
        switch message {
        case .call(let tail, let id):
            switch launch(.owned(tail), id, &state, &effects) {
            case .success(let (id, ticket)): state.machine.waitingCallSent(key, id: id, ticket: ticket)
            case .failure(let refusal): refuse(key, refusal.failure, &state, &effects)
            }
        case .notification(let bytes):
            switch enqueue(whole: bytes, to: transport) {
            case .queued(let ticket, let mustWake):
                state.outbox.noteAccepted(ticket, bytes: bytes.count)
                if mustWake { effects.wakes = transport }
                if let waiter = state.machine.waitingNotificationSent(key) { effects.settled.append((waiter, .sent)) }
            case .refused: refuse(key, refusal(.closing, state), &state, &effects)
            }
        case .batch(let draft):
            switch launch(draft, transport, &state, &effects) {
            case .success(let (members, ticket)): _ = state.machine.waitingBatchSent(key, members, ticket: ticket)
            case .failure(let refusal): refuse(key, refusal.failure, &state, &effects)
            }
        }
        return true
    }

    private func refuse(_ key: CallKey, _ failure: CallFailure, _ state: inout State, _ effects: inout Effects) {
        if let waiter = state.machine.waitingMessageRefused(key) {
            effects.settled.append((waiter, .failure(failure)))
        }
    }
}
