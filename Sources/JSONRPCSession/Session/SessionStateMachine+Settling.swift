// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

extension SessionStateMachine {
    // MARK: A response

    /// What a response means.
    enum ResponseAction: Sendable {
        /// It answers this waiter's call.
        case resume(Waiter)
        /// Its call was given up before, or may have been: too many others were since.
        case reportLate
        /// Its call had been answered before.
        case reportDuplicate
        /// Its id was never issued, as far as is remembered.
        case reportUnknown
    }

    /// A response has come.
    mutating func responseReceived(_ id: RequestID) -> ResponseAction {
        if let slot = slotInFlight(id), let waiter = takeWaiter(slot) {
            _ = land(slot, .answered)
            return .resume(waiter)
        }
        switch recent[id] {
        case .abandoned:
            recent.markAnswered(id)
            return .reportLate
        case .answered: return .reportDuplicate
        case nil: break
        }
        guard case .number(let number) = id, let issuedNumbers, issuedNumbers.contains(number) else {
            return .reportUnknown
        }
        return recent.hasForgotten ? .reportLate : .reportDuplicate
    }

    func slotInFlight(_ id: RequestID) -> Int32? {
        switch id {
        case .number(let number): numbers[number]
        case .string(let name): slotOfName[name]
        }
    }

    // MARK: An error without an id

    /// What an error without a usable id means.
    enum ErrorWithoutIDAction: Sendable {
        /// It answers these waiters' calls: one whole batch.
        case answersBatch([Waiter])
        /// It answers this waiter's call, which had this id.
        case answersCall(Waiter, RequestID)
        /// Nobody can say which call it answers, or there is none.
        case doNothing
    }

    /// A response with an error and without a usable id has come. `isAlone` is false for a member of an array.
    ///
    /// A server that refuses a whole batch answers so, and so does a server that could not read some other message, and
    /// nothing in it says which. It is taken for a batch's answer when exactly one batch is in flight of which no
    /// member was answered; a batch is never refused within an array. Otherwise it is taken for a call's answer when
    /// exactly one call is in flight.
    mutating func errorWithoutIDReceived(isAlone: Bool) -> ErrorWithoutIDAction {
        if isAlone {
            let unanswered = batches.filter { Int(slots[Int($0.key)].unanswered) == $0.value.count }
            if unanswered.count == 1, let batch = unanswered.first?.key {
                return .answersBatch(takeMembers(of: batch, .answered).map(\.waiter))
            }
            if !unanswered.isEmpty { return .doNothing }
        }
        guard inFlight == 1, let index = slots.firstIndex(where: { $0.stage == .inFlight }) else { return .doNothing }
        let slot = Int32(truncatingIfNeeded: index)
        let id = requestID(of: slot)
        return takeInFlight(slot, .answered).map { .answersCall($0.waiter, id) } ?? .doNothing
    }

    // MARK: Cancellation and deadlines

    /// A call that is given up.
    struct Abandoned: Sendable {
        var waiter: Waiter
        /// What it was sent as: nil when it was not handed to the transport.
        var sent: Sent?
    }

    /// A request that was handed to the transport.
    struct Sent: Sendable, Equatable {
        var id: RequestID
        var ticket: OutboxTicket
    }

    /// A caller gives up. The calls to settle: one, all that are left of a batch, or none, when the call has been
    /// settled in the meantime.
    mutating func cancelRequested(_ key: CallKey) -> [Abandoned] {
        guard let slot = slot(for: key) else { return [] }
        return abandon(slot)
    }

    private mutating func abandon(_ slot: Int32) -> [Abandoned] {
        switch slots[Int(slot)].stage {
        case .free: return []
        case .waitingCall, .waitingNotification, .waitingBatch:
            return leaveQueue(slot).map { [Abandoned(waiter: $0, sent: nil)] } ?? []
        case .inFlight: return takeInFlight(slot, .abandoned).map { [$0] } ?? []
        case .batch: return takeMembers(of: slot, .abandoned)
        }
    }

    private mutating func takeInFlight(_ slot: Int32, _ ending: RecentIDs.Ending) -> Abandoned? {
        guard let waiter = takeWaiter(slot) else { return nil }
        let ticket = slots[Int(slot)].ticket
        let id = land(slot, ending)
        return Abandoned(waiter: waiter, sent: Sent(id: id, ticket: ticket))
    }

    private mutating func takeMembers(of batch: Int32, _ ending: RecentIDs.Ending) -> [Abandoned] {
        guard let members = batches[batch] else { return [] }
        return members.compactMap { member in
            let slot = slots[Int(member)]
            guard slot.stage == .inFlight, slot.batch == batch else { return nil }
            return takeInFlight(member, ending)
        }
    }

    /// What is due.
    struct DeadlineAction: Sendable {
        var expired: [Abandoned] = []
        /// The time for a graceful close is over: tell the transport to close.
        var closesTransport = false
        /// When to come again: now, if this time has passed. Nil when nothing is left to wait for.
        var next: SessionTime?
    }

    /// The timer went off. At most `limit` entries are looked at.
    mutating func deadlineReached(now: SessionTime, limit: Int = 1024) -> DeadlineAction {
        var action = DeadlineAction()
        for slot in deadlines.takeExpired(now: now, limit: limit) { action.expired += abandon(slot) }
        if let drainDeadline, drainDeadline <= now {
            self.drainDeadline = nil
            if phase == .draining {
                phase = .closing
                action.closesTransport = true
            }
        }
        action.next = [deadlines.earliest, drainDeadline].compactMap { $0 }.min()
        timerDeadline = action.next
        return action
    }

    // MARK: Opening and closing

    /// The transport stands. False when it came too late: then it is to be closed.
    mutating func connectionOpened() -> Bool {
        guard phase == .connecting else { return false }
        phase = .open
        return true
    }

    /// What a wish to close leads to.
    enum CloseAction: Sendable, Equatable {
        /// Tell the transport to close.
        case closeTransport
        /// Wait until all is settled; set the timer, if there is a time.
        case wait(timer: SessionTime?)
        /// There is no transport, and none is to come.
        case finish
        case doNothing
    }

    /// Somebody wants the session closed. Calls accepted before go on until `drainUntil`; nil waits for none.
    mutating func closeRequested(drainUntil: SessionTime?) -> CloseAction {
        switch phase {
        case .connecting:
            phase = .closed
            return .finish
        case .open, .draining:
            guard let drainUntil, !isIdle else {
                phase = .closing
                drainDeadline = nil
                return .closeTransport
            }
            phase = .draining
            drainDeadline = min(drainDeadline ?? drainUntil, drainUntil)
            return .wait(timer: timerWanted(at: drainUntil))
        case .closing, .closed: return .doNothing
        }
    }

    /// Something has ended. True when a graceful close waited for it: then the transport is to be closed.
    mutating func drained() -> Bool {
        guard phase == .draining, isIdle else { return false }
        phase = .closing
        drainDeadline = nil
        return true
    }

    /// The connection is gone: everybody who waits, those in flight first in the order in which they were sent, then
    /// the queue in its order.
    mutating func transportClosed() -> [Abandoned] {
        phase = .closed
        drainDeadline = nil
        timerDeadline = nil
        var flying = slots.indices.filter { slots[$0].stage == .inFlight }
        flying.sort { (slots[$0].ticket, slots[$0].number) < (slots[$1].ticket, slots[$1].number) }
        var abandoned: [Abandoned] = []
        abandoned.reserveCapacity(flying.count + queue.count)
        for slot in flying {
            if let call = takeInFlight(Int32(truncatingIfNeeded: slot), .abandoned) { abandoned.append(call) }
        }
        for slot in queue.slotsInOrder {
            if let waiter = leaveQueue(slot) { abandoned.append(Abandoned(waiter: waiter, sent: nil)) }
        }
        return abandoned
    }
}
