// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// The deadline of a call.
struct CallDeadline: Sendable, Equatable {
    var time: SessionTime
    /// The timeout of the call. Calls with the same timeout expire in order.
    var timeout: Duration
}

extension SessionStateMachine {
    // MARK: A message to send

    /// What to do with a message.
    enum SendDecision: Sendable, Equatable {
        /// Put the message into the outbox, then call ``callSent(_:id:ticket:deadline:)`` or
        /// ``batchSent(_:ids:ticket:deadline:)``. A notification needs no further call.
        case send
        /// Call ``waitBegan(_:message:kind:deadline:)``.
        case wait
        /// The session accepts no messages in this phase.
        case refuse(Phase)
        /// The batch has more calls than may ever be in flight.
        case refuseSize
    }

    /// Decides about a message with this number of calls.
    func sendRequested(calls: Int, outboxIsFull: Bool) -> SendDecision {
        switch phase {
        case .open: break
        case .connecting, .draining, .closing, .closed: return .refuse(phase)
        }
        guard calls <= maximumCallsInFlight else { return .refuseSize }
        guard queue.isEmpty, !outboxIsFull, inFlight &+ calls <= maximumCallsInFlight else { return .wait }
        return .send
    }

    /// Returns whether no call in flight has this id.
    func isFree(_ id: RequestID) -> Bool {
        switch id {
        case .number(let number): numbers[number] == nil
        case .string(let name): slotOfName[name] == nil
        }
    }

    // MARK: A message in the outbox

    /// The result of registering a call or a batch.
    struct SentAction: Sendable, Equatable {
        var key: CallKey
        /// The new time for the timer, if it is earlier than the current one.
        var timer: SessionTime?
    }

    /// Registers a call whose request is in the outbox. `id` must be free.
    mutating func callSent(
        _ waiter: Waiter, id: RequestID, ticket: OutboxTicket, deadline: CallDeadline?
    ) -> SentAction {
        let slot = occupy(.inFlight, waiter)
        _ = launch(slot, id: id, ticket: ticket)
        return SentAction(key: key(of: slot), timer: setDeadline(deadline, slot: slot))
    }

    /// Registers a batch that is in the outbox. Its ids must be free and unique. Each member has its own waiter; the
    /// key identifies all of them.
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

    /// Stores an earlier time for the timer, and returns it if the timer must be set again.
    mutating func timerWanted(at time: SessionTime) -> SessionTime? {
        if let due = timerDeadline, due <= time { return nil }
        timerDeadline = time
        return time
    }

    // MARK: A queued message

    /// The kind of a queued message.
    enum WaitingKind: Sendable, Equatable {
        case call
        case notification
        /// A batch with this number of calls.
        case batch(Int)
    }

    /// Queues a message. The time in the queue counts toward the deadline.
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

    // MARK: Room for queued messages

    /// What to do about the queue.
    enum AdmitAction: Sendable {
        /// Put this message into the outbox, then call the `waiting…Sent` method for its kind.
        case send(CallKey, Message)
        case doNothing
    }

    /// Returns the next message that can be sent after a call has ended or the outbox has drained. Call it until it
    /// returns `doNothing`.
    func roomAppeared(outboxIsFull: Bool) -> AdmitAction {
        guard let first = queue.first, let head = queue.head else { return .doNothing }
        switch phase {
        case .open, .draining: break
        case .connecting, .closing, .closed: return .doNothing
        }
        guard !outboxIsFull, inFlight &+ head.calls <= maximumCallsInFlight else { return .doNothing }
        return .send(key(of: first), head.message)
    }

    /// Registers the call at the head of the queue, whose request is in the outbox. It keeps its key and its deadline.
    mutating func waitingCallSent(_ key: CallKey, id: RequestID, ticket: OutboxTicket) {
        guard let slot = slot(for: key), slots[Int(slot)].stage == .waitingCall else { return }
        _ = queue.remove(slot: slot)
        _ = launch(slot, id: id, ticket: ticket)
    }

    /// Removes the notification at the head of the queue, which is in the outbox, and returns its waiter.
    mutating func waitingNotificationSent(_ key: CallKey) -> Waiter? {
        guard let slot = slot(for: key), slots[Int(slot)].stage == .waitingNotification else { return nil }
        return leaveQueue(slot)
    }

    /// Registers the batch at the head of the queue, which is in the outbox. It keeps its key and its deadline. The
    /// waiters of its members replace its waiter, which is returned.
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

    /// Removes a message that cannot be sent from the queue, and returns its waiter.
    mutating func waitingMessageRefused(_ key: CallKey) -> Waiter? {
        guard let slot = slot(for: key) else { return nil }
        switch slots[Int(slot)].stage {
        case .waitingCall, .waitingNotification, .waitingBatch: return leaveQueue(slot)
        case .free, .inFlight, .batch: return nil
        }
    }

    /// Removes a queued entry from all tables.
    mutating func leaveQueue(_ slot: Int32) -> Waiter? {
        _ = queue.remove(slot: slot)
        deadlines.remove(slot: slot)
        let waiter = takeWaiter(slot)
        vacate(slot)
        return waiter
    }
}
