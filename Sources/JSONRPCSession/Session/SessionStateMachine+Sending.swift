// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// When a call is given up.
struct CallDeadline: Sendable, Equatable {
    var time: SessionTime
    /// The timeout it was computed from: calls with the same one expire in order.
    var timeout: Duration
}

extension SessionStateMachine {
    // MARK: A caller comes

    /// What to do with a message.
    enum SendDecision: Sendable, Equatable {
        /// Hand it to the transport, then tell by ``callSent(_:id:ticket:deadline:)`` or
        /// ``batchSent(_:ids:ticket:deadline:)``; for a notification there is nothing to tell.
        case send
        /// Tell by ``waitBegan(_:message:kind:deadline:)``.
        case wait
        /// The session takes no messages in this phase.
        case refuse(Phase)
        /// The batch has more calls than may ever be in flight.
        case refuseSize
    }

    /// A caller wants to send a message that makes so many calls.
    func sendRequested(calls: Int, outboxIsFull: Bool) -> SendDecision {
        switch phase {
        case .open: break
        case .connecting, .draining, .closing, .closed: return .refuse(phase)
        }
        guard calls <= maximumCallsInFlight else { return .refuseSize }
        guard queue.isEmpty, !outboxIsFull, inFlight &+ calls <= maximumCallsInFlight else { return .wait }
        return .send
    }

    /// True when no call in flight has this id.
    func isFree(_ id: RequestID) -> Bool {
        switch id {
        case .number(let number): numbers[number] == nil
        case .string(let name): slotOfName[name] == nil
        }
    }

    // MARK: A message went to the transport

    /// A call or batch has been registered.
    struct SentAction: Sendable, Equatable {
        var key: CallKey
        /// Set the timer to this time: it is earlier than what the timer is set to.
        var timer: SessionTime?
    }

    /// A call's request was handed to the transport, and `id` was free.
    mutating func callSent(
        _ waiter: Waiter, id: RequestID, ticket: OutboxTicket, deadline: CallDeadline?
    ) -> SentAction {
        let slot = occupy(.inFlight, waiter)
        _ = launch(slot, id: id, ticket: ticket)
        return SentAction(key: key(of: slot), timer: setDeadline(deadline, slot: slot))
    }

    /// A batch was handed to the transport; its ids were free and differ from each other. Each member has its own
    /// waiter; the key means all of them.
    mutating func batchSent(
        _ members: [(id: RequestID, waiter: Waiter)], ticket: OutboxTicket, deadline: CallDeadline?
    ) -> SentAction {
        let batch = reserve(.batch)
        launchMembers(members, of: batch, ticket: ticket)
        return SentAction(key: key(of: batch), timer: setDeadline(deadline, slot: batch))
    }

    private mutating func launchMembers(
        _ members: [(id: RequestID, waiter: Waiter)], of batch: Int32, ticket: OutboxTicket
    ) {
        var slots: ContiguousArray<Int32> = []
        slots.reserveCapacity(members.count)
        for member in members {
            let slot = occupy(.inFlight, member.waiter)
            _ = launch(slot, id: member.id, ticket: ticket, batch: batch)
            slots.append(slot)
        }
        self.slots[Int(batch)].ticket = ticket
        self.slots[Int(batch)].unanswered = Int32(truncatingIfNeeded: slots.count)
        batches[batch] = slots
    }

    private mutating func setDeadline(_ deadline: CallDeadline?, slot: Int32) -> SessionTime? {
        guard let deadline else { return nil }
        guard deadlines.insert(slot: slot, deadline: deadline.time, timeout: deadline.timeout) else { return nil }
        return timerWanted(at: deadline.time)
    }

    /// Notes an earlier time for the timer, and gives it when the timer has to be set again.
    mutating func timerWanted(at time: SessionTime) -> SessionTime? {
        if let due = timerDeadline, due <= time { return nil }
        timerDeadline = time
        return time
    }

    // MARK: A message waits

    /// What kind of message waits.
    enum WaitingKind: Sendable, Equatable {
        case call
        case notification
        /// With so many calls.
        case batch(Int)
    }

    /// A caller waits for room. The time in the queue counts toward the deadline.
    mutating func waitBegan(
        _ waiter: Waiter, message: Message, kind: WaitingKind, deadline: CallDeadline?
    ) -> SentAction {
        let slot: Int32
        switch kind {
        case .call:
            slot = occupy(.waitingCall, waiter)
            queue.append(slot: slot, message: message, calls: 1)
        case .notification:
            slot = occupy(.waitingNotification, waiter)
            queue.append(slot: slot, message: message, calls: 0)
        case .batch(let calls):
            slot = occupy(.waitingBatch, waiter)
            queue.append(slot: slot, message: message, calls: calls)
        }
        return SentAction(key: key(of: slot), timer: setDeadline(deadline, slot: slot))
    }

    // MARK: There may be room

    /// What to do about the queue.
    enum AdmitAction: Sendable {
        /// Hand this message to the transport, then tell by the `waiting…Sent` method for its kind.
        case send(CallKey, Message)
        case doNothing
    }

    /// A call has ended, or the outbox has drained. Ask again until it says `doNothing`.
    func roomAppeared(outboxIsFull: Bool) -> AdmitAction {
        guard let first = queue.first, let head = queue.head else { return .doNothing }
        switch phase {
        case .open, .draining: break
        case .connecting, .closing, .closed: return .doNothing
        }
        guard !outboxIsFull, inFlight &+ head.calls <= maximumCallsInFlight else { return .doNothing }
        return .send(key(of: first), head.message)
    }

    /// The call at the head of the queue was handed to the transport; it keeps its key and its deadline.
    mutating func waitingCallSent(_ key: CallKey, id: RequestID, ticket: OutboxTicket) {
        guard let slot = slot(for: key), slots[Int(slot)].stage == .waitingCall else { return }
        _ = queue.remove(slot: slot)
        _ = launch(slot, id: id, ticket: ticket)
    }

    /// The notification at the head of the queue was handed to the transport: its waiter is done.
    mutating func waitingNotificationSent(_ key: CallKey) -> Waiter? {
        guard let slot = slot(for: key), slots[Int(slot)].stage == .waitingNotification else { return nil }
        return leaveQueue(slot)
    }

    /// The batch at the head of the queue was handed to the transport; it keeps its key and its deadline. Its one
    /// waiter comes back, its members' waiters take over.
    mutating func waitingBatchSent(
        _ key: CallKey, _ members: [(id: RequestID, waiter: Waiter)], ticket: OutboxTicket
    ) -> Waiter? {
        guard let slot = slot(for: key), slots[Int(slot)].stage == .waitingBatch else { return nil }
        _ = queue.remove(slot: slot)
        let waiter = takeWaiter(slot)
        slots[Int(slot)].stage = .batch
        launchMembers(members, of: slot, ticket: ticket)
        return waiter
    }

    /// Takes a message that cannot be sent out of the queue, and gives its waiter.
    mutating func waitingMessageRefused(_ key: CallKey) -> Waiter? {
        guard let slot = slot(for: key) else { return nil }
        switch slots[Int(slot)].stage {
        case .waitingCall, .waitingNotification, .waitingBatch: return leaveQueue(slot)
        case .free, .inFlight, .batch: return nil
        }
    }

    /// Takes a waiting entry out of all tables.
    mutating func leaveQueue(_ slot: Int32) -> Waiter? {
        _ = queue.remove(slot: slot)
        deadlines.remove(slot: slot)
        let waiter = takeWaiter(slot)
        vacate(slot)
        return waiter
    }
}
