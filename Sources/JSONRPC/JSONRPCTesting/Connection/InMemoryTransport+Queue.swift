// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import JSONRPCSession
import TaskWaits

/// The work of an end on its queue. No lock is held while the receiver or the other end is called.
extension InMemoryTransport {
    /// Sends and delivers all messages that can be sent and delivered now.
    func turn() {
        // Tests may wait for messages that are sent at once.
        let isOpen = state.update { state in
            state.wakeIsPending = false
            return state.receiver != nil
        }
        guard isOpen else { return }
        sendOutbox()
        deliverInbox()
        tellIfDrained()
        state.notify()
    }

    // MARK: Outbox

    private func sendOutbox() {
        while let peer = state.withLock({ $0.peer }), peer.hasRoom, let arrival = nextToSend() {
            peer.arrive(arrival)
        }
    }

    private func nextToSend() -> Arrival? {
        state.withLock { state in
            if state.isClosed || state.allowance == 0 || state.closeWasSent { return nil }
            if let message = state.outbox.popFirst() {
                if let allowance = state.allowance { state.allowance = allowance - 1 }
                return .message(message)
            }
            guard let closing = state.closing else { return nil }
            state.closeWasSent = true
            return .close(code: closing.code, reason: closing.reason)
        }
    }

    private func tellIfDrained() {
        let receiver = state.withLock { state -> (any MessageReceiver)? in
            guard state.isAboveLowWaterMark, state.outbox.queuedBytes <= configuration.lowWaterMarkBytes else {
                return nil
            }
            state.isAboveLowWaterMark = false
            return state.receiver
        }
        receiver?.outboxDrained()
    }

    // MARK: Inbox

    /// Whether the other end can send a message to this end.
    private var hasRoom: Bool {
        state.withLock { $0.inboxBytes < configuration.windowBytes }
    }

    private func arrive(_ arrival: Arrival) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.inbox.append(arrival)
            state.inboxBytes += arrival.size
        }
        schedule()
    }

    /// Delivers the messages in the inbox as one read, as over a socket.
    private func deliverInbox() {
        var reader: (any MessageReceiver)?
        defer { reader?.readEnded() }
        while let (arrival, receiver, peer) = nextToDeliver() {
            switch arrival {
            case .message(let message):
                if reader == nil {
                    reader = receiver
                    receiver.readBegan()
                }
                receiver.deliver(
                    [UInt8](concatenating: message.pieces), isBinary: message.isBinary,
                    isAssembled: message.isAssembled)
                // The delivery may have made room for the peer's next message.
                peer?.schedule()
            case .close(let code, let reason):
                reader.take()?.readEnded()
                // Messages that were queued before the peer's close still go out, as over a socket.
                sendOutbox()
                let isAnswer = state.withLock { $0.closeWasSent }
                finish(
                    initiator: isAnswer ? .local : .remote, code: code, reason: reason,
                    tellingPeer: isAnswer ? nil : .close(code: code, reason: reason))
            case .drop(let error):
                reader.take()?.readEnded()
                finish(initiator: .failure, code: 1006, reason: "", error: error, tellingPeer: nil)
            }
        }
    }

    private func nextToDeliver() -> (Arrival, any MessageReceiver, InMemoryTransport?)? {
        state.withLock { state in
            guard state.isReading, !state.isInboxHeld, let receiver = state.receiver,
                let arrival = state.inbox.popFirst()
            else { return nil }
            state.inboxBytes -= arrival.size
            return (arrival, receiver, state.peer)
        }
    }

    // MARK: End

    /// Ends the connection at this end, once, and notifies the other end. Runs on the queue.
    func finish(
        initiator: TransportClosure.Initiator, code: UInt16, reason: String, error: (any Error)? = nil,
        tellingPeer arrival: Arrival?
    ) {
        let ended = state.withLock { state -> (any MessageReceiver, InMemoryTransport?, TransportClosure)? in
            guard let receiver = state.receiver else { return nil }
            let closure = TransportClosure(
                initiator: initiator, code: code, reason: reason, error: error, unsentFrom: state.outbox.unsentFrom)
            let peer = state.peer
            state.isClosed = true
            state.outbox.removeAll()
            state.inbox.removeAll()
            state.inboxBytes = 0
            state.peer = nil
            state.receiver = nil
            return (receiver, peer, closure)
        }
        guard let (receiver, peer, closure) = ended else { return }
        if let arrival { peer?.arrive(arrival) }
        receiver.transportClosed(closure)
        state.notify()
    }
}
