// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

/// Random histories of a session, against a model that is too simple to be wrong.
@Suite(.inTurn) struct SessionStateMachineProperties {
    /// Plays one history, and keeps the books.
    private struct History {
        var machine: Machine
        var random: SeededGenerator
        var now = 0
        var nextID: Int64 = 1
        var nextWaiter = 0
        var position = 0
        /// Waiters inside.
        var inside: Set<Int> = []
        var keys: [CallKey] = []
        var issuedIDs: [Int64] = []
        var faults: [String] = []

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            machine = Machine.open(maximumCallsInFlight: 6, recentIDs: 4)
        }

        mutating func enter() -> Int {
            nextWaiter += 1
            inside.insert(nextWaiter)
            return nextWaiter
        }

        mutating func leave(_ waiter: Int) {
            if inside.remove(waiter) == nil { faults.append("waiter \(waiter) came out, and was not inside") }
        }

        mutating func takeID() -> RequestID {
            defer { nextID += 1 }
            issuedIDs.append(nextID)
            return .number(nextID)
        }

        mutating func takeTicket() -> OutboxTicket {
            position += 1
            return .at(position)
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
        for call in history.machine.transportClosed() { history.leave(call.waiter) }
        let snapshot = history.machine.snapshot
        #expect(history.faults.isEmpty, "seed \(seed)")
        #expect(history.inside.isEmpty, "seed \(seed): somebody never came out")
        #expect(snapshot.issued == snapshot.settled, "seed \(seed)")
        #expect(snapshot.occupiedSlots == 0 && snapshot.deadlines == 0 && snapshot.waiting == 0, "seed \(seed)")
        #expect(history.issuedIDs == history.issuedIDs.sorted(), "seed \(seed)")
    }

    private func step(_ history: inout History) {
        history.now += Int.random(in: 0...2, using: &history.random)
        switch Int.random(in: 0..<12, using: &history.random) {
        case 0..<4: request(&history)
        case 4: batch(&history)
        case 5..<8: respond(&history)
        case 8: cancel(&history)
        case 9:
            for call in history.machine.deadlineReached(now: .at(history.now)).expired { history.leave(call.waiter) }
        case 10:
            switch history.machine.errorWithoutIDReceived(history.random.oneIn(2) ? .message : .array) {
            case .answersBatch(let waiters): for waiter in waiters { history.leave(waiter) }
            case .answersCall(let waiter, _): history.leave(waiter)
            case .doNothing: break
            }
        default: admit(&history)
        }
        if history.machine.snapshot.inFlight > 6 { history.faults.append("more calls in flight than allowed") }
    }

    private func request(_ history: inout History) {
        let isFull = history.random.oneIn(4)
        let isNotification = history.random.oneIn(4)
        switch history.machine.sendRequested(calls: isNotification ? 0 : 1, outboxIsFull: isFull) {
        case .send:
            if isNotification { return }
            let waiter = history.enter()
            let action = history.machine.callSent(
                waiter, id: history.takeID(), ticket: history.takeTicket(), deadline: history.deadline())
            history.keys.append(action.key)
        case .wait:
            let waiter = history.enter()
            let action = history.machine.waitBegan(
                waiter, message: isNotification ? "n" : "c", kind: isNotification ? .notification : .call,
                deadline: isNotification ? nil : history.deadline())
            history.keys.append(action.key)
        case .refuse, .refuseSize: history.faults.append("an open session refused")
        }
    }

    private func batch(_ history: inout History) {
        let calls = Int.random(in: 1...7, using: &history.random)
        switch history.machine.sendRequested(calls: calls, outboxIsFull: false) {
        case .send:
            let members = (0..<calls).map { _ in (id: history.takeID(), waiter: history.enter()) }
            let action = history.machine.batchSent(
                members, ticket: history.takeTicket(), deadline: history.deadline())
            history.keys.append(action.key)
        case .wait:
            let action = history.machine.waitBegan(
                history.enter(), message: String(calls), kind: .batch(calls), deadline: history.deadline())
            history.keys.append(action.key)
        case .refuseSize: if calls <= 6 { history.faults.append("a small batch was refused") }
        case .refuse: history.faults.append("an open session refused")
        }
    }

    private func respond(_ history: inout History) {
        // Now and then an id that was never issued, or was answered before.
        let highest = history.nextID + (history.random.oneIn(8) ? 3 : 0)
        let lowest = history.random.oneIn(3) ? 0 : max(0, highest - 8)
        let id = Int64.random(in: lowest...highest, using: &history.random)
        let isKnown = id >= 1 && id < history.nextID
        switch history.machine.responseReceived(.number(id)) {
        case .resume(let waiter): history.leave(waiter)
        case .reportLate, .reportDuplicate:
            if !isKnown { history.faults.append("id \(id) was never issued, and is called late") }
        case .reportUnknown: if isKnown { history.faults.append("id \(id) was issued, and is called unknown") }
        }
    }

    private func cancel(_ history: inout History) {
        guard let key = history.keys.randomElement(using: &history.random) else { return }
        for call in history.machine.cancelRequested(key) { history.leave(call.waiter) }
        if !history.machine.cancelRequested(key).isEmpty { history.faults.append("a call was cancelled twice") }
    }

    private func admit(_ history: inout History) {
        while case .send(let key, let message) = history.machine.roomAppeared(outboxIsFull: history.random.oneIn(5)) {
            if message == "c" {
                history.machine.waitingCallSent(key, id: history.takeID(), ticket: history.takeTicket())
            } else if message == "n" {
                if let waiter = history.machine.waitingNotificationSent(key) { history.leave(waiter) }
            } else {
                let members = (0..<(Int(message) ?? 0)).map { _ in (id: history.takeID(), waiter: history.enter()) }
                if let waiter = history.machine.waitingBatchSent(key, members, ticket: history.takeTicket()) {
                    history.leave(waiter)
                }
            }
        }
    }
}
