// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

extension SessionStateMachine {
    // MARK: A response

    /// The meaning of a response.
    enum ResponseAction: Sendable {
        /// It answers the call of this waiter.
        case resume(Waiter)
        /// Its call was cancelled or timed out, or may have been: its id is no longer remembered.
        case reportLate
        /// Its call was cancelled or timed out, and this receiver wants the response.
        case late(Waiter.LateReceiver)
        /// Its call had already been answered.
        case reportDuplicate
        /// Its id is not known to have been issued.
        case reportUnknown
    }

    /// Handles a response.
    mutating func responseReceived(_ id: RequestID) -> ResponseAction {
        if let slot = slotInFlight(id), let waiter = takeWaiter(slot) {
            _ = land(slot, .answered)
            return .resume(waiter)
        }
        let ending = recent[id]
        if ending == .abandoned { recent.markAnswered(id) }
        if !lateReceivers.isEmpty, let receiver = lateReceivers.removeValue(forKey: id) { return .late(receiver) }
        switch ending {
        case .abandoned: return .reportLate
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

    /// The meaning of an error without a usable id.
    enum ErrorWithoutIDAction: Sendable {
        /// It answers the calls of these waiters: one whole batch.
        case answersBatch([Waiter])
        /// It answers the call of this waiter, which has this id.
        case answersCall(Waiter, RequestID)
        /// It cannot be assigned to a call.
        case doNothing
    }

    /// The place of an error without a usable id.
    enum ErrorPlace: Sendable, CaseIterable {
        /// It is a message.
        case message
        /// It is the only response in an array.
        case array
        /// It is in an array with other responses.
        case arrayOfResponses
        /// It is in an array with other errors without a usable id.
        case arrayOfErrors
    }

    /// Handles a response with an error and without a usable id.
    ///
    /// - Parameter error: The error. If it answers no call, calls that time out mention it.
    mutating func errorWithoutIDReceived(
        _ place: ErrorPlace, _ error: @autoclosure () -> UnattributedError? = nil
    ) -> ErrorWithoutIDAction {
        let action = attributeError(place)
        if case .doNothing = action, inFlight > 0, let error = error() { unattributedError = error }
        return action
    }

    /// Returns what an error without a usable id answers.
    ///
    /// A server sends it if it refuses a whole batch, and if it could not read another message. The error does not
    /// identify the message. So it answers a call or a batch only if it can concern nothing else: the call or the batch
    /// is the only one in flight, no late response is awaited, and the peer has accepted the messages that get no
    /// response.
    private mutating func attributeError(_ place: ErrorPlace) -> ErrorWithoutIDAction {
        guard inFlight > 0, recent.unanswered == 0, !mayRefuseOneWayMessage, place != .arrayOfErrors else {
            return .doNothing
        }
        if place == .message, let (array, members) = arrays.first, inFlight == members.count,
            Int(slots[Int(array)].unanswered) == members.count
        {
            return .answersBatch(takeMembers(of: array, .answered).map(\.waiter))
        }
        guard inFlight == 1, let index = slots.firstIndex(where: { $0.stage == .inFlight }) else { return .doNothing }
        // The other responses of its array belong to the same batch.
        if place == .arrayOfResponses, arrays[slots[index].array]?.count ?? 1 == 1 { return .doNothing }
        let slot = Int32(truncatingIfNeeded: index)
        let id = requestID(of: slot)
        return takeInFlight(slot, .answered).map { .answersCall($0.waiter, id) } ?? .doNothing
    }

    // MARK: Cancellation and deadlines

    /// A call that was cancelled, timed out, or lost with its connection.
    struct Abandoned: Sendable {
        var waiter: Waiter
        /// The request in the outbox; `nil` if it was not put there.
        var sent: Sent?
    }

    /// A request that was put into the outbox.
    struct Sent: Sendable, Equatable {
        var id: RequestID
        var ticket: OutboxTicket
    }

    /// The end of a wait that no response brought.
    enum Ending: Sendable, Equatable {
        /// The message is in the outbox, and gets no response.
        case sent
        /// The call was cancelled. `Sent` is `nil` if its request was queued.
        case cancelled(Sent?, ClientError.Delivery)
        /// The deadline of the call has passed. `Sent` is `nil` if its request was queued.
        case timedOut(Sent?, ClientError.Delivery)
        case refused(Refusal)
    }

    /// What an event asks of the driver, to be performed after the lock is released.
    struct Actions: Sendable {
        var ended: [(waiter: Waiter, ending: Ending)] = []
        /// The new time for the timer, if it is earlier than the current one.
        var timer: SessionTime?
        /// The phase that begins.
        var newPhase: DuplexSession.State?
        /// The closing handshake that the transport begins, or shortens.
        var closes: CloseRequest?
        /// Whether to stop reading from the connection for now.
        var pausesReading = false
    }

    /// Cancels calls and arrays. Keys whose calls have been settled have no effect.
    ///
    /// - Parameter goesOn: Whether other messages get the places of these calls.
    mutating func cancelRequested(
        _ keys: some Sequence<CallKey>, goesOn: Bool = true, _ outbox: inout some MessageOutbox
    ) -> Actions {
        var actions = Actions()
        for key in keys {
            guard let slot = slot(for: key) else { continue }
            end(abandon(slot), Ending.cancelled, &actions, &outbox)
        }
        if goesOn { goOn(&actions, &outbox) }
        return actions
    }

    /// The number of late responses that are awaited. A peer that never answers costs no more than these.
    static var maximumLateReceivers: Int { 1024 }

    /// Withdraws the requests of calls that were given up, if they are still in the outbox.
    private mutating func end(
        _ calls: [Abandoned], _ ending: (Sent?, ClientError.Delivery) -> Ending, _ actions: inout Actions,
        _ outbox: inout some MessageOutbox
    ) {
        var last: (ticket: OutboxTicket, isWithdrawn: Bool)?
        for call in calls {
            guard let sent = call.sent else {
                actions.ended.append((call.waiter, ending(nil, .notSent)))
                continue
            }
            // The members of an array share one ticket, and a message can be withdrawn only once.
            let isWithdrawn: Bool
            if let last, last.ticket == sent.ticket {
                isWithdrawn = last.isWithdrawn
            } else {
                isWithdrawn = outbox.withdraw(sent.ticket)
                last = (sent.ticket, isWithdrawn)
            }
            if !isWithdrawn, lateReceivers.count < Self.maximumLateReceivers, let receiver = call.waiter.lateReceiver {
                lateReceivers[sent.id] = receiver
            }
            if isWithdrawn {
                // The peer has not seen the request.
                recent.withdrawn()
                launched &-= 1
                outbox.withdrew(sent.id)
            }
            actions.ended.append((call.waiter, ending(sent, isWithdrawn ? .notSent : .outcomeUnknown)))
        }
    }

    private mutating func abandon(_ slot: Int32) -> [Abandoned] {
        switch slots[Int(slot)].stage {
        case .free: return []
        case .waiting: return abandonQueued(slot).map { [Abandoned(waiter: $0, sent: nil)] } ?? []
        case .inFlight: return takeInFlight(slot, .abandoned).map { [$0] } ?? []
        case .array: return takeMembers(of: slot, .abandoned)
        }
    }

    mutating func takeInFlight(_ slot: Int32, _ ending: RecentIDs.Ending) -> Abandoned? {
        guard let waiter = takeWaiter(slot) else { return nil }
        let ticket = slots[Int(slot)].ticket
        let id = land(slot, ending)
        return Abandoned(waiter: waiter, sent: Sent(id: id, ticket: ticket))
    }

    private mutating func takeMembers(of array: Int32, _ ending: RecentIDs.Ending) -> [Abandoned] {
        guard let members = arrays[array] else { return [] }
        return members.compactMap { member in
            let slot = slots[Int(member)]
            guard slot.stage == .inFlight, slot.array == array else { return nil }
            return takeInFlight(member, ending)
        }
    }

    /// Returns the actions that are due when the timer fires, and the next time for the timer: immediately, if it has
    /// passed; `nil` if there is no deadline. It handles at most `limit` entries.
    mutating func deadlineReached(
        now: SessionTime, limit: Int = 1024, _ outbox: inout some MessageOutbox
    ) -> (actions: Actions, next: SessionTime?) {
        var actions = Actions()
        for slot in deadlines.takeExpired(now: now, limit: limit) {
            end(abandon(slot), Ending.timedOut, &actions, &outbox)
        }
        if let drainDeadline, drainDeadline <= now {
            self.drainDeadline = nil
            if phase == .draining { closeTransport(&actions) }
        }
        goOn(&actions, &outbox)
        let next = [deadlines.earliest, drainDeadline].compactMap { $0 }.min()
        timerDeadline = next
        return (actions, next)
    }

    /// Returns whether the timer is set for a deadline that has gone, and stores the earliest deadline that is left.
    mutating func timerIsObsolete() -> Bool {
        let earliest = [deadlines.earliest, drainDeadline].compactMap { $0 }.min()
        guard timerDeadline != earliest else { return false }
        timerDeadline = earliest
        return true
    }

    /// Whether a deadline has passed.
    func isDue(now: SessionTime) -> Bool {
        [deadlines.earliest, drainDeadline].contains { $0.map { $0 <= now } ?? false }
    }
}
