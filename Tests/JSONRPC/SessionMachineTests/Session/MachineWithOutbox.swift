// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

@testable public import JSONRPCSession

typealias Machine = SessionStateMachine<Int>

extension Int: SessionWaiter {
    public var lateReceiver: Never? { nil }
}

/// An outbox that is an array. The ticket of a message is its first id, or its place.
struct ArrayOutbox: MessageOutbox {
    var isFull = false
    /// Whether it refuses messages, as a transport does before it reports its end.
    var refuses = false
    /// Whether its messages have not been written, so that they can be withdrawn.
    var keepsMessages = false
    var nextNumber: Int64 = 1
    /// The ids of each message; empty for a message without calls.
    var messages: [[RequestID]] = []
    /// The bytes of each array.
    var arrays: [[UInt8]] = []
    var withdrawn: [RequestID] = []

    mutating func nextID() -> RequestID {
        defer { nextNumber += 1 }
        return .number(nextNumber)
    }

    mutating func append(call tail: ArraySlice<UInt8>, id: RequestID) -> OutboxTicket? { append([id]) }

    mutating func append(oneWay message: [UInt8]) -> OutboxTicket? { append([]) }

    mutating func append(_ array: ArrayDraft, ids: [RequestID]) -> OutboxTicket? {
        if !refuses { arrays.append(array.bytes) }
        return append(ids)
    }

    private mutating func append(_ ids: [RequestID]) -> OutboxTicket? {
        if refuses { return nil }
        messages.append(ids)
        if case .number(let number)? = ids.first { return .at(Int(number)) }
        return .at(messages.count)
    }

    mutating func append(answer bytes: UnsafeRawBufferPointer) -> Bool { append([]) != nil }

    mutating func append(answer bytes: ArraySlice<UInt8>) -> Bool { append([]) != nil }

    mutating func holdsAnswers(timesLimit factor: Int) -> Bool { false }

    mutating func answerProgress() -> (sent: UInt64, answerBytes: Int)? { (0, 0) }

    mutating func withdraw(_ ticket: OutboxTicket) -> Bool { keepsMessages }

    mutating func withdrew(_ id: RequestID) { withdrawn.append(id) }
}

/// A machine and the outbox that its events borrow.
struct MachineWithOutbox {
    var machine: Machine
    var outbox = ArrayOutbox()

    init(_ machine: Machine) { self.machine = machine }

    static func open(maximumCallsInFlight: Int = 10, countsIDs: Bool = true, recentIDs: Int = 8) -> MachineWithOutbox {
        var machine = Machine(
            maximumCallsInFlight: maximumCallsInFlight, countsIDs: countsIDs, recentIDs: recentIDs)
        _ = machine.connectionOpened()
        return MachineWithOutbox(machine)
    }

    mutating func submit(_ submission: Submission<Int>, _ waiter: Int?, timeout: Int? = nil, now: Int = 0)
        -> Machine.SubmitAction
    {
        machine.submit(submission, waiter, deadline: .after(timeout, now: now), to: &outbox)
    }

    /// Submits a call whose waiter is its id.
    mutating func call(_ id: Int, timeout: Int? = nil, now: Int = 0) -> Machine.SubmitAction {
        submit(.call(tail: [], id: .number(Int64(id))), id, timeout: timeout, now: now)
    }

    mutating func notify(_ waiter: Int?) -> Machine.SubmitAction { submit(.oneWay([]), waiter) }

    /// Submits an array of calls whose waiters are their ids.
    mutating func array(_ ids: ClosedRange<Int>, waiter: Int = 0, timeout: Int? = nil) -> Machine.SubmitAction {
        submit(
            .array(
                ArrayDraft(bytes: [], members: []), waiters: Array(ids), ids: ids.map { .number(Int64($0)) }),
            waiter, timeout: timeout)
    }

    mutating func respond(_ id: RequestID) -> Response { Response(machine.responseReceived(id)) }

    mutating func cancel(_ key: CallKey?) -> Machine.Actions {
        machine.cancelRequested(key.map { [$0] } ?? [], &outbox)
    }

    mutating func reach(_ now: Int) -> (actions: Machine.Actions, next: SessionTime?) {
        machine.deadlineReached(now: .at(now), &outbox)
    }

    mutating func close(drainUntil: Int? = nil) -> Machine.Actions {
        machine.closeRequested(.normal, drainUntil: drainUntil.map { .at($0) })
    }

    mutating func lose(unsentFrom position: Int = .max) -> [Machine.Lost] { machine.lose(unsentFrom: position) }

    mutating func room() -> Machine.Actions { machine.roomAppeared(in: &outbox) }
}

/// The parts of a response's action that a test compares.
enum Response: Equatable {
    case resume(Int), late, duplicate, unknown

    init(_ action: Machine.ResponseAction) {
        switch action {
        case .resume(let waiter): self = .resume(waiter)
        case .reportLate: self = .late
        case .reportDuplicate: self = .duplicate
        case .reportUnknown: self = .unknown
        }
    }
}

extension Machine {
    mutating func lose(unsentFrom position: Int = .max) -> [Lost] {
        transportClosed(
            DuplexSession.Closure(initiator: .failure, code: 1006, reason: ""), unsentFrom: .at(position))
    }
}

extension CloseRequest {
    static var normal: CloseRequest { CloseRequest(code: 1000, reason: "", deadline: .seconds(5)) }
}

extension Machine.SubmitAction {
    var key: CallKey? {
        if case .registered(let key, _) = self { key } else { nil }
    }

    var timer: SessionTime? {
        if case .registered(_, let timer) = self { timer } else { nil }
    }
}

extension Machine.Actions {
    var waiters: [Int] { ended.map(\.waiter) }
}

extension OutboxTicket {
    static func at(_ position: Int) -> OutboxTicket { OutboxTicket(position: UInt64(position)) }
}

extension SessionTime {
    static func at(_ nanoseconds: Int) -> SessionTime { SessionTime(nanoseconds: Int64(nanoseconds)) }
}

extension Optional where Wrapped == CallDeadline {
    static func after(_ nanoseconds: Int?, now: Int) -> CallDeadline? {
        nanoseconds.map { CallDeadline(time: .at(now + $0), timeout: .nanoseconds($0)) }
    }
}
