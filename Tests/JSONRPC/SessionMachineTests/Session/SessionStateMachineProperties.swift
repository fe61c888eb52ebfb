// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

/// Random histories of a session, compared with a trivial model.
@Suite(.inTurn) struct SessionStateMachineProperties {
    /// Plays one history, and records the waiters.
    private struct History {
        var machine: Machine
        var outbox = ArrayOutbox()
        var random: SeededGenerator
        var now = 0
        var nextWaiter = 0
        /// Waiters inside.
        var inside: Set<Int> = []
        /// The waiters of the members of each array that was submitted.
        var members: [[Int]] = []
        var keys: [CallKey] = []
        var faults: [String] = []

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            machine = MachineWithOutbox.open(maximumCallsInFlight: 6, recentIDs: 4).machine
        }

        mutating func enter() -> Int {
            nextWaiter += 1
            inside.insert(nextWaiter)
            return nextWaiter
        }

        mutating func leave(_ waiter: Int) {
            if inside.remove(waiter) == nil { faults.append("waiter \(waiter) came out, and was not inside") }
        }

        /// Performs an event with an outbox that may be full and may still have its messages.
        mutating func perform(_ event: (inout Machine, inout ArrayOutbox) -> Machine.Actions) {
            outbox.isFull = random.oneIn(4)
            outbox.keepsMessages = random.oneIn(4)
            let actions = event(&machine, &outbox)
            arraysWereSent()
            for (waiter, _) in actions.ended { leave(waiter) }
        }

        mutating func submit(_ submission: Submission<Int>, _ waiter: Int, deadline: CallDeadline?) {
            outbox.isFull = random.oneIn(4)
            let isSmall = submission.calls <= machine.maximumCallsInFlight
            switch machine.submit(submission, waiter, deadline: deadline, to: &outbox) {
            case .registered(let key, _): keys.append(key)
            case .sent: leave(waiter)
            case .refused:
                leave(waiter)
                if isSmall { faults.append("an open session refused") }
            case .mustWait: faults.append("a waiter was not stored")
            }
            arraysWereSent()
        }

        /// The waiters of the members of an array replace its own.
        private mutating func arraysWereSent() {
            for array in outbox.arrays {
                let place = Int(array[0]) << 8 | Int(array[1])
                inside.remove(members[place][0])
                inside.formUnion(members[place].dropFirst())
            }
            outbox.arrays = []
        }

        mutating func deadline() -> CallDeadline? {
            let timeouts = [nil, 1, 5, 20, 20, 20, Int.random(in: 1...50, using: &random)]
            return .after(timeouts.randomElement(using: &random) ?? nil, now: now)
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func everyWaiterLeavesExactlyOnce(seed: UInt64) {
        var history = History(seed: seed)
        for _ in 0..<400 { step(&history) }
        for call in history.machine.lose() { history.leave(call.waiter) }
        let snapshot = history.machine.snapshot
        #expect(history.faults.isEmpty, "seed \(seed)")
        #expect(history.inside.isEmpty, "seed \(seed): somebody never came out")
        #expect(snapshot.issued == snapshot.settled, "seed \(seed)")
        #expect(snapshot.occupiedSlots == 0 && snapshot.deadlines == 0 && snapshot.waiting == 0, "seed \(seed)")
        let numbers = history.outbox.messages.joined().map { $0 }
        #expect(numbers == (1..<history.outbox.nextNumber).map { .number($0) }, "seed \(seed)")
    }

    private func step(_ history: inout History) {
        history.now += Int.random(in: 0...2, using: &history.random)
        switch Int.random(in: 0..<12, using: &history.random) {
        case 0..<4: request(&history)
        case 4: batch(&history)
        case 5..<8: respond(&history)
        case 8: cancel(&history)
        case 9:
            let now = history.now
            history.perform { $0.deadlineReached(now: .at(now), &$1).actions }
        case 10:
            switch history.machine.errorWithoutIDReceived(history.random.oneIn(2) ? .message : .array) {
            case .answersBatch(let waiters): for waiter in waiters { history.leave(waiter) }
            case .answersCall(let waiter, _): history.leave(waiter)
            case .doNothing: break
            }
        default: history.perform { $0.roomAppeared(in: &$1) }
        }
        if history.machine.snapshot.inFlight > 6 { history.faults.append("more calls in flight than allowed") }
    }

    private func request(_ history: inout History) {
        let isNotification = history.random.oneIn(4)
        let waiter = history.enter()
        let submission: Submission<Int> = isNotification ? .oneWay([]) : .call(tail: [], id: nil)
        history.submit(submission, waiter, deadline: isNotification ? nil : history.deadline())
    }

    private func batch(_ history: inout History) {
        let calls = Int.random(in: 1...7, using: &history.random)
        let first = history.nextWaiter + 1
        history.nextWaiter += calls + 1
        history.inside.insert(first)
        history.members.append(Array(first...first + calls))
        let place = history.members.count - 1
        let draft = ArrayDraft(bytes: [UInt8(place >> 8), UInt8(place & 255)], members: [])
        history.submit(
            .array(draft, waiters: Array(first + 1...first + calls), ids: []), first, deadline: history.deadline())
    }

    private func respond(_ history: inout History) {
        // Sometimes an id that was never issued, or was answered before.
        let highest = history.outbox.nextNumber + (history.random.oneIn(8) ? 3 : 0)
        let lowest = history.random.oneIn(3) ? 0 : max(0, highest - 8)
        let id = Int64.random(in: lowest...highest, using: &history.random)
        let isKnown = id >= 1 && id < history.outbox.nextNumber
        switch history.machine.responseReceived(.number(id)) {
        case .resume(let waiter): history.leave(waiter)
        case .reportLate, .reportDuplicate:
            if !isKnown { history.faults.append("id \(id) was never issued, and is called late") }
        case .reportUnknown: if isKnown { history.faults.append("id \(id) was issued, and is called unknown") }
        }
    }

    private func cancel(_ history: inout History) {
        guard let key = history.keys.randomElement(using: &history.random) else { return }
        history.perform { $0.cancelRequested([key], &$1) }
        let again = history.machine.cancelRequested([key], goesOn: false, &history.outbox)
        if !again.ended.isEmpty { history.faults.append("a call was cancelled twice") }
    }
}
