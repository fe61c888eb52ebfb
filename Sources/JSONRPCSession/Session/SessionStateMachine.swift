// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// Matches each response to the request which caused it, and says who may send now and who waits. One connection's
/// life.
///
/// It does no I/O, reads no clock and draws no random numbers. A `Waiter` is stored once and leaves in exactly one
/// action; whoever gets the action settles it. A `Message` is what a caller wants to send and cannot send yet.
///
/// Every entry lives in a slot. A slot is found by its ``CallKey`` (for cancellation), by its request id (for the
/// response), or through the deadlines. The table lies beside ``phase``, not in it: as a payload, it would be copied
/// with each change of the phase.
struct SessionStateMachine<Waiter: Sendable, Message: Sendable>: Sendable {
    /// How far the connection's life has come.
    enum Phase: Sendable, Equatable {
        /// The transport has not reported in. Can transition to: `open`, `closed`.
        case connecting
        /// Calls are accepted. Can transition to: `draining` (a graceful close), `closing`, `closed`.
        case open
        /// No new calls; those accepted go on. Can transition to: `closing` (all settled, or the time for it is
        /// over), `closed`.
        case draining
        /// The transport was told to close. Responses still count. Can transition to: `closed`.
        case closing
        /// Terminal. There are no entries.
        case closed
    }

    /// What a slot holds.
    enum Stage: UInt8, Sendable {
        case free
        /// A call which waits for its turn to be sent.
        case waitingCall
        /// A notification which waits for its turn.
        case waitingNotification
        /// A batch which waits for its turn.
        case waitingBatch
        /// A call whose request went to the transport.
        case inFlight
        /// A batch which went to the transport: it holds the deadline and the key of its members, and no waiter.
        case batch
    }

    struct Slot: Sendable {
        var waiter: Waiter?
        /// The request id, when it is a number.
        var number: Int64 = 0
        /// Where the message lies in the transport's outbox.
        var ticket = OutboxTicket(position: 0)
        var generation: UInt32 = 0
        var stage = Stage.free
        /// True when the request id is a string, kept in `names`.
        var isNamed = false
        /// The slot of the batch that this call is a member of.
        var batch: Int32 = -1
        /// Of a batch: how many of its members are in flight.
        var unanswered: Int32 = 0
    }

    /// The greatest number of calls in flight.
    let maximumCallsInFlight: Int
    /// True when ids are numbers that count up: then a number below the highest one was issued before.
    let countsIDs: Bool

    var phase = Phase.connecting
    var slots: ContiguousArray<Slot> = []
    var freeSlots: ContiguousArray<Int32> = []
    var numbers = NumberTable()
    var slotOfName: [String: Int32] = [:]
    var nameOfSlot: [Int32: String] = [:]
    /// The members of each batch in flight, by the batch's slot.
    var batches: [Int32: ContiguousArray<Int32>] = [:]
    var queue = AdmissionQueue<Message>()
    var deadlines = DeadlineQueue()
    var drainDeadline: SessionTime?
    /// When the timer is due to go off.
    var timerDeadline: SessionTime?
    var recent: RecentIDs
    var issuedNumbers: ClosedRange<Int64>?

    /// Calls whose response is awaited.
    private(set) var inFlight = 0
    /// Calls of the peer that are being served.
    private(set) var served = 0
    /// Waiters that came in.
    private(set) var issued: UInt64 = 0
    /// Waiters that went out.
    private(set) var settled: UInt64 = 0

    init(maximumCallsInFlight: Int, countsIDs: Bool = true, recentIDs: Int = 1024) {
        self.maximumCallsInFlight = max(1, maximumCallsInFlight)
        self.countsIDs = countsIDs
        recent = RecentIDs(capacity: recentIDs)
    }

    // MARK: Slots

    /// Puts a waiter in a slot.
    mutating func occupy(_ stage: Stage, _ waiter: Waiter) -> Int32 {
        let slot = reserve(stage)
        slots[Int(slot)].waiter = waiter
        issued &+= 1
        return slot
    }

    /// Takes a free slot, or makes one.
    mutating func reserve(_ stage: Stage) -> Int32 {
        if let free = freeSlots.popLast() {
            slots[Int(free)].stage = stage
            return free
        }
        let slot = Int32(truncatingIfNeeded: slots.count)
        var fresh = Slot()
        fresh.stage = stage
        slots.append(fresh)
        return slot
    }

    /// Gives a waiter out: the one place where they leave.
    mutating func takeWaiter(_ slot: Int32) -> Waiter? {
        guard let waiter = slots[Int(slot)].waiter.take() else { return nil }
        settled &+= 1
        return waiter
    }

    /// Makes a slot free for another entry. Keys to it lose their meaning.
    mutating func vacate(_ slot: Int32) {
        let index = Int(slot)
        slots[index].stage = .free
        slots[index].batch = -1
        slots[index].generation &+= 1
        freeSlots.append(slot)
    }

    func key(of slot: Int32) -> CallKey { CallKey(slot: slot, generation: slots[Int(slot)].generation) }

    /// The slot that a key means, nil when its entry is gone.
    func slot(for key: CallKey) -> Int32? {
        let index = Int(key.slot)
        guard slots.indices.contains(index), slots[index].generation == key.generation, slots[index].stage != .free
        else { return nil }
        return key.slot
    }

    // MARK: Requests in flight

    /// Notes that a slot's request went out under this id. False when a call with that id is in flight.
    mutating func launch(_ slot: Int32, id: RequestID, ticket: OutboxTicket, batch: Int32 = -1) -> Bool {
        let index = Int(slot)
        switch id {
        case .number(let number):
            guard numbers.insert(number, slot: slot) else { return false }
            slots[index].number = number
            slots[index].isNamed = false
            noteIssued(number)
        case .string(let name):
            guard slotOfName.updateValue(slot, forKey: name) == nil else { return false }
            nameOfSlot[slot] = name
            slots[index].isNamed = true
        }
        slots[index].stage = .inFlight
        slots[index].ticket = ticket
        slots[index].batch = batch
        inFlight &+= 1
        return true
    }

    private mutating func noteIssued(_ number: Int64) {
        guard countsIDs else { return }
        guard let range = issuedNumbers else {
            issuedNumbers = number...number
            return
        }
        if number > range.upperBound { issuedNumbers = range.lowerBound...number }
    }

    /// Takes a request in flight out of all tables, and its slot with it.
    mutating func land(_ slot: Int32, _ ending: RecentIDs.Ending) -> RequestID {
        let id = requestID(of: slot)
        switch id {
        case .number(let number):
            _ = numbers.remove(number)
            if !countsIDs || ending == .abandoned { recent.insert(id, ending) }
        case .string(let name):
            slotOfName[name] = nil
            nameOfSlot[slot] = nil
            recent.insert(id, ending)
        }
        deadlines.remove(slot: slot)
        let batch = slots[Int(slot)].batch
        vacate(slot)
        inFlight &-= 1
        if batch >= 0 { memberLanded(in: batch) }
        return id
    }

    func requestID(of slot: Int32) -> RequestID {
        guard slots[Int(slot)].isNamed, let name = nameOfSlot[slot] else { return .number(slots[Int(slot)].number) }
        return .string(name)
    }

    private mutating func memberLanded(in batch: Int32) {
        slots[Int(batch)].unanswered &-= 1
        guard slots[Int(batch)].unanswered == 0 else { return }
        batches[batch] = nil
        deadlines.remove(slot: batch)
        vacate(batch)
    }

    // MARK: Calls of the peer

    mutating func servingBegan() { served += 1 }

    mutating func servingEnded() { served -= 1 }

    // MARK: Looking

    /// True when nothing is left to wait for.
    var isIdle: Bool { inFlight == 0 && queue.isEmpty && served == 0 }

    /// What tests and metrics look at.
    struct Snapshot: Sendable, Equatable {
        var phase: Phase
        var inFlight: Int
        var waiting: Int
        var served: Int
        var deadlines: Int
        var occupiedSlots: Int
        var issued: UInt64
        var settled: UInt64
    }

    var snapshot: Snapshot {
        Snapshot(
            phase: phase, inFlight: inFlight, waiting: queue.count, served: served, deadlines: deadlines.count,
            occupiedSlots: slots.count - freeSlots.count, issued: issued, settled: settled)
    }
}

/// Names an entry of a ``SessionStateMachine`` for as long as it is there, and never another.
struct CallKey: Sendable, Hashable {
    var slot: Int32
    var generation: UInt32

    /// Both parts in one word, which is neither 0 nor all ones.
    var word: UInt64 { (UInt64(UInt32(bitPattern: slot)) &+ 1) << 32 | UInt64(generation) }

    init(slot: Int32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    init(word: UInt64) {
        slot = Int32(truncatingIfNeeded: (word >> 32) &- 1)
        generation = UInt32(truncatingIfNeeded: word)
    }
}
