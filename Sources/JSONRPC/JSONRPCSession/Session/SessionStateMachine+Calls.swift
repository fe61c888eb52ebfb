// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

struct CallDeadline: Sendable, Equatable {
    var time: SessionTime
    /// The timeout of the call. Calls with the same timeout expire in order.
    var timeout: Duration
}

extension SessionStateMachine {
    // MARK: A message to send

    /// The reason why a message is not sent.
    enum Refusal: Sendable, Equatable {
        /// The session accepts no messages in this phase.
        case phase(DuplexSession.State)
        /// The array has more calls than may ever be in flight.
        case tooManyCalls(Int)
        /// The id generator returned the id of a call in flight.
        case idInUse(RequestID)
    }

    enum SubmitAction: Sendable, Equatable {
        /// It is in flight or queued, and its waiter is stored. `timer` is the new time for the timer, if it is earlier
        /// than the current one.
        case registered(CallKey, timer: SessionTime?)
        /// It is in the outbox, and gets no response. Its waiter was not stored.
        case sent
        /// It is not sent. Its waiter was not stored.
        case refused(Refusal)
        /// It would have to wait, and has no waiter.
        case mustWait
    }

    /// Sends a submission, queues it at a limit, or refuses it. The time in the queue counts toward the deadline.
    ///
    /// - Parameter waiter: Gets the outcome of a call or an array. Without a waiter, the submission is not queued.
    mutating func submit(
        _ submission: Submission<Waiter>, _ waiter: Waiter?, deadline: CallDeadline? = nil,
        to outbox: inout some MessageOutbox
    ) -> SubmitAction {
        switch phase {
        case .open: break
        case .connecting, .draining, .closing, .closed: return .refused(.phase(phase))
        }
        guard submission.calls <= maximumCallsInFlight else { return .refused(.tooManyCalls(submission.calls)) }
        if queue.isEmpty, hasRoom(for: submission, &outbox) {
            switch put(submission, waiter, in: nil, &outbox) {
            case .inFlight(let slot): return registered(slot, deadline)
            case .sent: return .sent
            case .refused(let refusal): return .refused(refusal)
            case .transportEnds: break
            }
        }
        guard let waiter else { return .mustWait }
        let slot = occupy(.waiting, waiter)
        queue.append(slot: slot, message: submission.kept)
        return registered(slot, deadline)
    }

    /// Sends a message that gets no response, in any phase and without waiting for room. The number of such messages is
    /// bounded by that of calls.
    mutating func sendNotice(_ message: [UInt8], to outbox: inout some MessageOutbox) {
        if outbox.append(oneWay: message) != nil { oneWayMessageSent() }
    }

    private mutating func registered(_ slot: Int32, _ deadline: CallDeadline?) -> SubmitAction {
        var timer: SessionTime?
        if let deadline, deadlines.insert(slot: slot, deadline: deadline.time, timeout: deadline.timeout) {
            timer = timerWanted(at: deadline.time)
        }
        return .registered(key(of: slot), timer: timer)
    }

    /// Stores an earlier time for the timer, and returns it if the timer must be set again.
    mutating func timerWanted(at time: SessionTime) -> SessionTime? {
        if let due = timerDeadline, due <= time { return nil }
        timerDeadline = time
        return time
    }

    private func hasRoom(for submission: Submission<Waiter>, _ outbox: inout some MessageOutbox) -> Bool {
        inFlight &+ submission.calls <= maximumCallsInFlight && !outbox.isFull
    }

    // MARK: A message in the outbox

    private enum Placement {
        case inFlight(Int32)
        case sent
        case refused(Refusal)
        /// The outbox accepts no messages, because the transport is about to report its end. The message waits for the
        /// end, whose reason is the failure of its calls.
        case transportEnds
    }

    /// Puts a submission into the outbox, and registers its calls.
    ///
    /// - Parameter slot: The slot of a queued submission. It keeps its key and its deadline.
    private mutating func put(
        _ submission: Submission<Waiter>, _ waiter: Waiter?, in slot: Int32?, _ outbox: inout some MessageOutbox
    ) -> Placement {
        switch submission {
        case .call(let tail, let drawn):
            let id = drawn ?? outbox.nextID()
            guard countsIDs || slotInFlight(id) == nil else { return .refused(.idInUse(id)) }
            guard let ticket = outbox.append(call: tail, id: id) else { return .transportEnds }
            let slot = leaveQueue(slot) ?? occupy(.inFlight, waiter)
            launch(slot, id: id, ticket: ticket)
            return .inFlight(slot)
        case .oneWay(let message):
            guard outbox.append(oneWay: message) != nil else { return .transportEnds }
            oneWayMessageSent()
            return .sent
        case .array(let draft, let waiters, let drawn):
            var ids = drawn
            if ids.isEmpty {
                ids.reserveCapacity(waiters.count)
                for _ in waiters { ids.append(outbox.nextID()) }
            }
            if let taken = firstTaken(ids) { return .refused(.idInUse(taken)) }
            guard let ticket = outbox.append(draft, ids: ids) else { return .transportEnds }
            if waiters.isEmpty {
                oneWayMessageSent()
                return .sent
            }
            let array = leaveQueue(slot) ?? occupy(.array, nil)
            slots[Int(array)].stage = .array
            launchMembers(waiters, ids, of: array, ticket: ticket)
            return .inFlight(array)
        }
    }

    /// Returns the first id of an array that a call in flight or another member has.
    private func firstTaken(_ ids: [RequestID]) -> RequestID? {
        if countsIDs { return nil }
        var seen: Set<RequestID> = []
        return ids.first { slotInFlight($0) != nil || !seen.insert($0).inserted }
    }

    private mutating func launchMembers(
        _ waiters: [Waiter], _ ids: [RequestID], of array: Int32, ticket: OutboxTicket
    ) {
        var members: ContiguousArray<Int32> = []
        members.reserveCapacity(waiters.count)
        for index in waiters.indices {
            let slot = occupy(.inFlight, waiters[index])
            launch(slot, id: ids[index], ticket: ticket, array: array)
            members.append(slot)
        }
        slots[Int(array)].ticket = ticket
        slots[Int(array)].unanswered = Int32(truncatingIfNeeded: members.count)
        arrays[array] = members
    }

    // MARK: Room for queued messages

    /// Sends queued messages after the outbox has drained or calls have ended, and continues a graceful close.
    mutating func roomAppeared(in outbox: inout some MessageOutbox) -> Actions {
        var actions = Actions()
        goOn(&actions, &outbox)
        return actions
    }

    /// Whether ``roomAppeared(in:)`` may have something to do after calls have ended.
    var mayGoOn: Bool { !queue.isEmpty || phase != .open }

    mutating func goOn(_ actions: inout Actions, _ outbox: inout some MessageOutbox) {
        while let slot = queue.first, let submission = queue.head, phase == .open || phase == .draining,
            hasRoom(for: submission, &outbox)
        {
            let placement = put(submission, nil, in: slot, &outbox)
            if case .transportEnds = placement { break }
            switch placement {
            case .inFlight, .transportEnds: break
            case .sent: if let waiter = abandonQueued(slot) { actions.ended.append((waiter, .sent)) }
            case .refused(let refusal):
                if let waiter = abandonQueued(slot) { actions.ended.append((waiter, .refused(refusal))) }
            }
        }
        if phase == .draining, isIdle { closeTransport(&actions) }
    }

    /// Removes a submission from the queue after it was put into the outbox. The waiter of an array is removed, too,
    /// because the waiters of its members replace it. Returns the slot.
    private mutating func leaveQueue(_ slot: Int32?) -> Int32? {
        guard let slot else { return nil }
        if case .array? = queue.remove(slot: slot) { _ = takeWaiter(slot) }
        return slot
    }

    mutating func abandonQueued(_ slot: Int32) -> Waiter? {
        _ = queue.remove(slot: slot)
        deadlines.remove(slot: slot)
        let waiter = takeWaiter(slot)
        vacate(slot)
        return waiter
    }
    // MARK: A response

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

    /// The end of a wait without a response.
    enum Ending: Sendable, Equatable {
        /// The message is in the outbox, and gets no response.
        case sent
        /// The call was cancelled. `Sent` is `nil` if its request was queued.
        case cancelled(Sent?, ClientError.Delivery)
        /// The deadline of the call has passed. `Sent` is `nil` if its request was queued.
        case timedOut(Sent?, ClientError.Delivery)
        case refused(Refusal)
    }

    /// The side effects of an event, which the driver performs after the lock is released.
    struct Actions: Sendable {
        var ended: [(waiter: Waiter, ending: Ending)] = []
        /// The new time for the timer, if it is earlier than the current one.
        var timer: SessionTime?
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

    /// The maximum number of late responses that are awaited, because a peer may never answer.
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

    mutating func takeMembers(of array: Int32, _ ending: RecentIDs.Ending) -> [Abandoned] {
        guard let members = arrays[array] else { return [] }
        return members.compactMap { member in
            let slot = slots[Int(member)]
            guard slot.stage == .inFlight, slot.array == array else { return nil }
            return takeInFlight(member, ending)
        }
    }

    /// Returns the actions that are due when the timer fires, and the next time for the timer, which may have passed;
    /// `nil` if there is no deadline. It handles at most `limit` entries.
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
        timerDeadline = earliestDeadline
        return (actions, timerDeadline)
    }

    private var earliestDeadline: SessionTime? { [deadlines.earliest, drainDeadline].compactMap { $0 }.min() }

    /// Returns whether the timer is set for a deadline that has gone, and stores the earliest deadline that is left.
    mutating func timerIsObsolete() -> Bool {
        let earliest = earliestDeadline
        defer { timerDeadline = earliest }
        return timerDeadline != earliest
    }

    func isDue(now: SessionTime) -> Bool { earliestDeadline.map { $0 <= now } ?? false }
}
