// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// The state machine of one connection. It matches responses to requests, and decides which messages are sent and which
/// are queued.
///
/// It also decides about the peer's calls: how many are served, and when the connection is not read because the peer
/// does not read its answers.
///
/// It does no I/O, reads no clock and draws no random numbers. Events that may send something borrow the connection's
/// ``MessageOutbox``. A `Waiter` is stored once and leaves in exactly one action, whose receiver settles it.
///
/// Every entry is stored in a slot. A slot is found by its ``CallKey`` (for cancellation), by its request id (for the
/// response), or through the deadlines. The table is not a payload of ``phase``, because it would be copied with each
/// change of the phase.
struct SessionStateMachine<Waiter: SessionWaiter>: Sendable {
    enum Stage: UInt8, Sendable {
        case free
        /// A queued submission.
        case waiting
        /// A call whose request is in the outbox or was sent.
        case inFlight
        /// An array that is in the outbox or was sent. It has the deadline and the key of its members, and no waiter.
        case array
    }

    struct Slot: Sendable {
        var waiter: Waiter?
        /// The request id, if it is a number.
        var number: Int64 = 0
        /// The position of the message in the transport's outbox.
        var ticket = OutboxTicket(position: 0)
        var generation: UInt32 = 0
        var stage = Stage.free
        /// Whether the request id is a string, which is stored in `names`.
        var isNamed = false
        /// The slot of the array that this call is a member of.
        var array: Int32 = -1
        /// For an array, the number of its members in flight.
        var unanswered: Int32 = 0
    }

    let maximumCallsInFlight: Int
    /// Whether ids are ascending numbers. Then every number below the highest one was issued before.
    let countsIDs: Bool

    /// `connecting` can become `open` or `closed`; `open` can become `draining` (a graceful close), `closing` or
    /// `closed`; `draining` becomes `closing` when all calls have ended or the time for it is over. Responses are
    /// accepted until the phase is `closed`: then there are no entries.
    var phase = DuplexSession.State.connecting
    /// The first request to close, with the earliest deadline.
    var closeRequest: CloseRequest?
    /// The violation by the peer for which this side closed the connection.
    var violation: ClientError?
    /// Set when the session is closed.
    var closure: DuplexSession.Closure?
    var slots: ContiguousArray<Slot> = []
    var freeSlots: ContiguousArray<Int32> = []
    var numbers = NumberTable()
    var slotOfName: [String: Int32] = [:]
    var nameOfSlot: [Int32: String] = [:]
    /// The members of each array in flight, by the array's slot.
    var arrays: [Int32: ContiguousArray<Int32>] = [:]
    var queue = AdmissionQueue<Submission<Waiter>>()
    var deadlines = DeadlineQueue()
    var drainDeadline: SessionTime?
    /// The time for which the timer is set.
    var timerDeadline: SessionTime?
    var recent: RecentIDs
    var issuedNumbers: ClosedRange<Int64>?
    /// The receivers of responses to calls that were cancelled or have timed out, at most ``maximumLateReceivers``.
    var lateReceivers: [RequestID: Waiter.LateReceiver] = [:]
    /// The last error without a usable id that answered no call.
    var unattributedError: UnattributedError?
    var served = ServedCalls()
    /// Set while the connection is not read, because the peer does not read its answers.
    var readingPause: ReadingPause?

    private(set) var inFlight = 0
    /// The number of requests that were sent and not withdrawn.
    var launched = 0
    /// ``launched`` when the last message that gets no response was sent; `nil` if none was sent.
    private var launchedBeforeOneWay: Int?
    /// The number of waiters that were stored.
    private(set) var issued: UInt64 = 0
    /// The number of waiters that were returned.
    private(set) var settled: UInt64 = 0

    init(maximumCallsInFlight: Int, countsIDs: Bool = true, recentIDs: Int = 1024) {
        self.maximumCallsInFlight = max(1, maximumCallsInFlight)
        self.countsIDs = countsIDs
        recent = RecentIDs(capacity: recentIDs)
    }

    // MARK: Slots

    /// Takes a free slot, or makes one, and stores a waiter in it.
    mutating func occupy(_ stage: Stage, _ waiter: Waiter?) -> Int32 {
        let slot = takeSlot(stage)
        guard let waiter else { return slot }
        slots[Int(slot)].waiter = waiter
        issued &+= 1
        return slot
    }

    private mutating func takeSlot(_ stage: Stage) -> Int32 {
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

    /// Removes and returns a waiter. It is the only place where waiters leave.
    mutating func takeWaiter(_ slot: Int32) -> Waiter? {
        guard let waiter = slots[Int(slot)].waiter.take() else { return nil }
        settled &+= 1
        return waiter
    }

    /// Frees a slot. Its keys become invalid.
    mutating func vacate(_ slot: Int32) {
        let index = Int(slot)
        slots[index].stage = .free
        slots[index].array = -1
        slots[index].generation &+= 1
        freeSlots.append(slot)
    }

    func key(of slot: Int32) -> CallKey { CallKey(slot: slot, generation: slots[Int(slot)].generation) }

    /// Returns the slot of a key; `nil` if its entry was removed.
    func slot(for key: CallKey) -> Int32? {
        let index = Int(key.slot)
        guard slots.indices.contains(index), slots[index].generation == key.generation, slots[index].stage != .free
        else { return nil }
        return key.slot
    }

    // MARK: Requests in flight

    /// Stores the id of a slot's request. No call in flight has it.
    mutating func launch(_ slot: Int32, id: RequestID, ticket: OutboxTicket, array: Int32 = -1) {
        let index = Int(slot)
        switch id {
        case .number(let number):
            _ = numbers.insert(number, slot: slot)
            slots[index].number = number
            slots[index].isNamed = false
            noteIssued(number)
        case .string(let name):
            slotOfName[name] = slot
            nameOfSlot[slot] = name
            slots[index].isNamed = true
        }
        slots[index].stage = .inFlight
        slots[index].ticket = ticket
        slots[index].array = array
        inFlight &+= 1
        launched &+= 1
    }

    // MARK: Messages without a response

    /// Notes that a message was sent that gets no response: a notification, or an error with the id `null`.
    mutating func oneWayMessageSent() { launchedBeforeOneWay = launched }

    /// Whether the peer may still refuse the last message without a response. Some peers do so, with an error whose id
    /// is `null`. The message counts as accepted when a later request has ended.
    var mayRefuseOneWayMessage: Bool {
        guard let launchedBeforeOneWay else { return false }
        return launched - launchedBeforeOneWay <= inFlight
    }

    private mutating func noteIssued(_ number: Int64) {
        guard countsIDs else { return }
        guard let range = issuedNumbers else {
            issuedNumbers = number...number
            return
        }
        if number > range.upperBound { issuedNumbers = range.lowerBound...number }
    }

    /// Removes a request in flight from all tables, and frees its slot.
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
        let array = slots[Int(slot)].array
        vacate(slot)
        inFlight &-= 1
        if array >= 0 { memberLanded(in: array) }
        return id
    }

    func requestID(of slot: Int32) -> RequestID {
        guard slots[Int(slot)].isNamed, let name = nameOfSlot[slot] else { return .number(slots[Int(slot)].number) }
        return .string(name)
    }

    private mutating func memberLanded(in array: Int32) {
        slots[Int(array)].unanswered &-= 1
        guard slots[Int(array)].unanswered == 0 else { return }
        arrays[array] = nil
        deadlines.remove(slot: array)
        vacate(array)
    }

    // MARK: Queries

    /// Whether there is nothing to wait for.
    var isIdle: Bool { inFlight == 0 && queue.isEmpty && served.count == 0 }

    /// The properties of a machine that tests of two modules compare.
    struct Snapshot: Sendable, Equatable {
        var phase: DuplexSession.State
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
            phase: phase, inFlight: inFlight, waiting: queue.count, served: served.count, deadlines: deadlines.count,
            occupiedSlots: slots.count - freeSlots.count, issued: issued, settled: settled)
    }
}

/// A receiver of the outcome of a call.
protocol SessionWaiter: Sendable {
    associatedtype LateReceiver: Sendable

    /// Gets the response if it comes after the call was cancelled or has timed out.
    var lateReceiver: LateReceiver? { get }
}

/// The key of an entry of a ``SessionStateMachine``. It never identifies another entry.
struct CallKey: Sendable, Hashable {
    var slot: Int32
    var generation: UInt32

    /// Both parts in one word, whose value is neither 0 nor all ones.
    var word: UInt64 { (UInt64(UInt32(bitPattern: slot)) &+ 1) << 32 | UInt64(generation) }
}

extension CallKey {
    init(word: UInt64) {
        self.init(slot: Int32(truncatingIfNeeded: (word >> 32) &- 1), generation: UInt32(truncatingIfNeeded: word))
    }
}
