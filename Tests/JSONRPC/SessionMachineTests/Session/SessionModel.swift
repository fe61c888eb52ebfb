// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

@testable import JSONRPCSession

/// One session in a model test: the machine, an outbox that is an array, and records of the waiters and their calls.
///
/// There are no threads and no time. An event is an enumeration case, so every order of events can be tried. After each
/// event, ``faults`` holds each invariant that is broken.
struct SessionModel {
    enum Event: Hashable, Sendable {
        case open, failToConnect
        /// Submits the next call, array or notification.
        case call, array, notify
        /// Cancels the submission with this number.
        case cancel(Int)
        /// A response to this id.
        case respond(Int64)
        case errorWithoutID(inArray: Bool)
        /// The timer fires at the time for which it was set.
        case timer
        case serve, endServing
        /// The transport reads by itself although the session does not read.
        case readDuringPause
        case fillOutbox
        /// The transport writes everything that was appended.
        case write
        /// The transport reports that there is room.
        case drainOutbox
        case close, closeNow, hasten, violate
        case transportClosed
    }

    /// Corrupts the machine's actions, so that a test shows that each invariant can fail.
    enum PlantedFault: CaseIterable, Sendable {
        case losesAWaiter, settlesTwice, saysNotSentOfAWrittenRequest, closesWithoutATransport, actsAfterTheEnd
        case exceedsTheLimit, issuesAnIDTwice, servesTooMany, doesNotReadAgain
    }

    /// The limits of the tried events.
    struct Bounds: Sendable {
        var calls = 3
        var arrays = 1
        var notifications = 1
        var served = 1
        var cancellations = 2
        var inFlight = 2
        /// Whether served calls send answers. Each answer makes a new state, so the number of states is then unlimited.
        var sendsAnswers = true
    }

    let bounds: Bounds
    let fault: PlantedFault?
    var machine: Machine
    var outbox = ModelOutbox()
    var faults: [String] = []

    private var calls = 0
    private var arrays = 0
    private var notifications = 0
    private var cancellations = 0
    private var nextWaiter = 1
    private var keys: [CallKey?] = []
    /// The waiters that have no outcome yet.
    private var waiting: Set<Int> = []
    /// The waiters of the members of arrays that were not sent, by the array's waiter.
    private var members: [Int: [Int]] = [:]
    private var now = 0
    private var timer: Int?
    private var hasTransport = false
    private var isReadingPaused = false
    /// The peer's calls without an answer.
    private var served: [CallKey] = []
    private var isOver = false

    init(_ bounds: Bounds = Bounds(), fault: PlantedFault? = nil) {
        self.bounds = bounds
        self.fault = fault
        machine = Machine(maximumCallsInFlight: bounds.inFlight, recentIDs: 4)
    }

    // MARK: Events

    /// The events that can happen now.
    var events: [Event] {
        var events: [Event] = []
        if machine.phase == .connecting { events += [.open, .failToConnect] }
        if calls < bounds.calls { events.append(.call) }
        if arrays < bounds.arrays { events.append(.array) }
        if notifications < bounds.notifications { events.append(.notify) }
        if cancellations < bounds.cancellations {
            events += keys.indices.filter { keys[$0] != nil }.map { .cancel($0) }
        }
        if !isOver { events += [.close, .closeNow, .hasten] }
        guard hasTransport else { return events }
        events += (1..<max(outbox.nextNumber, 1)).map { .respond($0) }
        events += [.errorWithoutID(inArray: false), .errorWithoutID(inArray: true), .violate, .transportClosed]
        if timer != nil { events.append(.timer) }
        if !isReadingPaused { events.append(.serve) }
        if !served.isEmpty { events.append(.endServing) }
        if isReadingPaused { events.append(.readDuringPause) }
        events.append(outbox.isFull ? .drainOutbox : .fillOutbox)
        if outbox.written < outbox.position { events.append(.write) }
        return events
    }

    mutating func perform(_ event: Event) {
        switch event {
        case .open: if machine.connectionOpened() { hasTransport = true }
        case .failToConnect: isOver = machine.connectionFailed(CancellationError()) || isOver
        case .call:
            calls += 1
            submit(.call(tail: [], id: nil), timeout: calls == 1 ? 5 : nil)
        case .array:
            arrays += 1
            let waiters = [nextWaiter + 1, nextWaiter + 2]
            members[nextWaiter] = waiters
            let draft = ArrayDraft(bytes: [UInt8(nextWaiter)], members: [])
            nextWaiter += 2
            submit(.array(draft, waiters: waiters, ids: []), waiter: nextWaiter - 2, timeout: 9)
        case .notify:
            notifications += 1
            submit(.oneWay([]), timeout: nil)
        case .cancel(let number):
            cancellations += 1
            if let key = keys[number] { act(machine.cancelRequested([key], &outbox)) }
        case .respond(let id): respond(id)
        case .errorWithoutID(let inArray):
            switch machine.errorWithoutIDReceived(inArray ? .array : .message) {
            case .answersBatch(let waiters): for waiter in waiters { settle(waiter) }
            case .answersCall(let waiter, _): settle(waiter)
            case .doNothing: break
            }
            goOn()
        case .timer: timerFires()
        case .serve:
            let limit = bounds.served + (fault == .servesTooMany ? 1 : 0)
            let action = machine.requestReceived(nil, bytes: 1, within: ServingLimits(calls: limit, bytes: .max))
            if let key = action.key { served.append(key) }
        case .endServing:
            act(machine.answer(bounds.sendsAnswers ? [] : nil, ends: served.removeFirst(), &outbox))
        case .readDuringPause:
            switch machine.readDuringPause(now: .at(now), &outbox) {
            case .pauseAgain: break
            case .disconnect: faults.append("a peer is disconnected before its time is over")
            case .doNothing: faults.append("the session does not know that it does not read")
            }
        case .fillOutbox: outbox.isFull = true
        case .drainOutbox:
            outbox.isFull = false
            act(machine.roomAppeared(in: &outbox))
            if fault != .doesNotReadAgain, machine.readingResumed() { isReadingPaused = false }
        case .write: outbox.written = outbox.position
        case .close: close(drainUntil: now + 20)
        case .closeNow: close(drainUntil: nil)
        case .hasten: close(drainUntil: nil, hastens: true)
        case .violate:
            let failure = ClientError(.protocolViolation, "", delivery: .outcomeUnknown)
            act(machine.violated(failure, .normal))
        case .transportClosed: transportClosed()
        }
        check(event)
    }

    // MARK: What a driver does

    private mutating func submit(_ submission: Submission<Int>, waiter: Int? = nil, timeout: Int?) {
        let waiter = waiter ?? nextWaiter
        nextWaiter += 1
        waiting.insert(waiter)
        let wasOver = isOver
        switch machine.submit(submission, waiter, deadline: .after(timeout, now: now), to: &outbox) {
        case .registered(let key, let time):
            keys.append(key)
            set(time)
            if wasOver { faults.append("a submission was accepted after the end") }
        case .sent: settle(waiter)
        case .refused: settle(waiter)
        case .mustWait: faults.append("a waiter was not stored")
        }
        arraysWereSent()
        if fault == .actsAfterTheEnd, isOver { act(Machine.Actions(ended: [(waiter, .sent)])) }
    }

    private mutating func respond(_ id: Int64) {
        if case .resume(let waiter) = machine.responseReceived(.number(id)) {
            if fault == .losesAWaiter { return }
            settle(waiter)
            if fault == .settlesTwice { settle(waiter) }
        }
        goOn()
    }

    private mutating func goOn() {
        if machine.mayGoOn { act(machine.roomAppeared(in: &outbox)) }
    }

    private mutating func timerFires() {
        now = max(now, timer ?? now)
        var next: SessionTime?
        repeat {
            let (actions, time) = machine.deadlineReached(now: .at(now), limit: 1, &outbox)
            act(actions)
            next = time
        } while next.map { $0 <= .at(now) } ?? false
        timer = next.map { Int($0.nanoseconds) }
    }

    private mutating func close(drainUntil: Int?, hastens: Bool = false) {
        let actions = machine.closeRequested(
            .normal, drainUntil: drainUntil.map { .at($0) }, hastens: hastens)
        if actions.newPhase == .closed { isOver = true }
        act(actions)
    }

    private mutating func transportClosed() {
        hasTransport = false
        isReadingPaused = false
        _ = machine.readingResumed()
        timer = nil
        let closure = DuplexSession.Closure(initiator: .failure, code: 1006, reason: "")
        for (waiter, sent, delivery) in machine.transportClosed(closure, unsentFrom: .at(outbox.written)) {
            if fault == .losesAWaiter { continue }
            settle(waiter)
            let said: ClientError.Delivery = fault == .saysNotSentOfAWrittenRequest ? .notSent : delivery
            if said == .notSent, let sent, sent.ticket.position < outbox.written {
                faults.append("\(sent.id) was written, and is said not to have been sent")
            }
        }
        isOver = true
    }

    private mutating func act(_ actions: Machine.Actions) {
        arraysWereSent()
        for (waiter, ending) in actions.ended {
            if isOver { faults.append("waiter \(waiter) left after the end") }
            settle(waiter)
            switch ending {
            case .cancelled(let sent?, let delivery), .timedOut(let sent?, let delivery):
                let said: ClientError.Delivery = fault == .saysNotSentOfAWrittenRequest ? .notSent : delivery
                if said == .notSent, sent.ticket.position < outbox.written {
                    faults.append("\(sent.id) was written, and is said not to have been sent")
                }
            case .cancelled, .timedOut, .sent, .refused: break
            }
        }
        set(actions.timer)
        if actions.pausesReading {
            if isReadingPaused { faults.append("the reading is stopped twice") }
            isReadingPaused = true
            machine.pauseBegan(now: .at(now))
        }
        let closes = actions.closes != nil || fault == .closesWithoutATransport && machine.phase == .closed
        if closes, !hasTransport { faults.append("a transport is to be closed, and there is none") }
    }

    private mutating func set(_ time: SessionTime?) {
        guard let time else { return }
        if isOver { faults.append("the timer is set after the end") }
        timer = min(timer ?? .max, Int(time.nanoseconds))
    }

    /// The members of an array that was sent wait instead of the array.
    private mutating func arraysWereSent() {
        for array in outbox.arrays {
            waiting.remove(array)
            waiting.formUnion(members.removeValue(forKey: array) ?? [])
        }
        outbox.arrays = []
    }

    private mutating func settle(_ waiter: Int) {
        if waiting.remove(waiter) == nil { faults.append("waiter \(waiter) has two outcomes") }
    }

    // MARK: Invariants

    private mutating func check(_ event: Event) {
        let snapshot = machine.snapshot
        if snapshot.issued != snapshot.settled + UInt64(waiting.count) {
            faults.append("\(snapshot.issued) were issued, \(snapshot.settled) settled, \(waiting.count) wait")
        }
        if snapshot.inFlight > bounds.inFlight - (fault == .exceedsTheLimit ? 1 : 0) {
            faults.append("\(snapshot.inFlight) calls are in flight")
        }
        if snapshot.served > bounds.served { faults.append("\(snapshot.served) calls are served") }
        if isReadingPaused, !outbox.isFull { faults.append("nothing ends the pause of reading") }
        if snapshot.phase == .closed, !waiting.isEmpty || snapshot.occupiedSlots > 0 || snapshot.deadlines > 0 {
            faults.append("something is left after the end")
        }
        if (snapshot.phase == .closed) != isOver { faults.append("the phase is \(snapshot.phase)") }
        if fault == .issuesAnIDTwice, let last = outbox.ids.last { outbox.ids.append(last) }
        if Set(outbox.ids).count != outbox.ids.count { faults.append("an id was issued twice") }
        if !faults.isEmpty { faults.append("after \(event)") }
    }

    /// Equal for states that differ in nothing relevant, and almost certainly different for others.
    var fingerprint: Int {
        var hasher = Hasher()
        hasher.combine(machine.phase)
        for slot in machine.slots {
            hasher.combine(slot.stage)
            hasher.combine(slot.waiter)
            hasher.combine(slot.number)
            hasher.combine(slot.ticket)
            hasher.combine(slot.array)
        }
        hasher.combine(machine.queue.slotsInOrder)
        hasher.combine(machine.snapshot.settled)
        hasher.combine(machine.snapshot.served)
        hasher.combine(machine.snapshot.deadlines)
        hasher.combine(machine.launched)
        hasher.combine(machine.drainDeadline)
        hasher.combine(machine.timerDeadline)
        hasher.combine(machine.mayRefuseOneWayMessage)
        hasher.combine(machine.recent.unanswered)
        hasher.combine(machine.closeRequest != nil)
        hasher.combine(machine.violation != nil)
        hasher.combine(outbox.isFull)
        hasher.combine(outbox.written)
        hasher.combine(outbox.position)
        hasher.combine(outbox.nextNumber)
        for number in [calls, arrays, notifications, cancellations, now, timer ?? -1] { hasher.combine(number) }
        hasher.combine(keys)
        hasher.combine(waiting)
        hasher.combine(hasTransport)
        hasher.combine(isReadingPaused)
        hasher.combine(isOver)
        return hasher.finalize()
    }
}

/// The outbox of a ``SessionModel``: one position for each message.
struct ModelOutbox: MessageOutbox {
    var isFull = false
    var nextNumber: Int64 = 1
    /// The position after the last message.
    var position = 0
    /// Messages before this position were written.
    var written = 0
    /// The waiters of the arrays that were appended.
    var arrays: [Int] = []
    var ids: [RequestID] = []

    mutating func nextID() -> RequestID {
        defer { nextNumber += 1 }
        ids.append(.number(nextNumber))
        return .number(nextNumber)
    }

    mutating func append(call tail: ArraySlice<UInt8>, id: RequestID) -> OutboxTicket? { append() }

    mutating func append(oneWay message: [UInt8]) -> OutboxTicket? { append() }

    mutating func append(_ array: ArrayDraft, ids: [RequestID]) -> OutboxTicket? {
        arrays.append(Int(array.bytes[0]))
        return append()
    }

    mutating func append(answer bytes: UnsafeRawBufferPointer) -> Bool { append() != nil }

    mutating func append(answer bytes: ArraySlice<UInt8>) -> Bool { append() != nil }

    mutating func holdsAnswers(timesLimit factor: Int) -> Bool { isFull && factor == 1 }

    mutating func answerProgress() -> (sent: UInt64, answerBytes: Int)? { (UInt64(written), position - written) }

    private mutating func append() -> OutboxTicket? {
        defer { position += 1 }
        return .at(position)
    }

    mutating func withdraw(_ ticket: OutboxTicket) -> Bool { ticket.position >= UInt64(written) }

    mutating func withdrew(_ id: RequestID) {}
}
