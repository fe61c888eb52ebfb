// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing

@testable import JSONRPCSession

typealias Machine = SessionStateMachine<Int, String>

/// What a test compares of a response's action.
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
    static func open(maximumCallsInFlight: Int = 10, countsIDs: Bool = true, recentIDs: Int = 8) -> Machine {
        var machine = Machine(
            maximumCallsInFlight: maximumCallsInFlight, countsIDs: countsIDs, recentIDs: recentIDs)
        _ = machine.connectionOpened()
        return machine
    }

    /// A call whose waiter is its id.
    mutating func send(_ id: Int, timeout: Int? = nil, now: Int = 0) -> SentAction {
        callSent(id, id: .number(Int64(id)), ticket: .at(id), deadline: .after(timeout, now: now))
    }

    mutating func respond(_ id: RequestID) -> Response { Response(responseReceived(id)) }
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

@Suite(.inTurn) struct SessionStateMachineTests {
    // MARK: Sending

    @Test func nothingIsSentBeforeTheConnectionOpens() {
        let machine = Machine(maximumCallsInFlight: 1)
        #expect(machine.sendRequested(calls: 1, outboxIsFull: false) == .refuse(.connecting))
    }

    @Test func callIsSentWhenOpen() {
        let machine = Machine.open()
        #expect(machine.sendRequested(calls: 1, outboxIsFull: false) == .send)
        #expect(machine.sendRequested(calls: 0, outboxIsFull: false) == .send)
    }

    @Test func callWaitsAtTheLimitOfCallsInFlight() {
        var machine = Machine.open(maximumCallsInFlight: 1)
        _ = machine.send(1)
        #expect(machine.sendRequested(calls: 1, outboxIsFull: false) == .wait)
        #expect(machine.sendRequested(calls: 0, outboxIsFull: false) == .send)
    }

    @Test func everythingWaitsWhileTheOutboxIsFull() {
        let machine = Machine.open()
        #expect(machine.sendRequested(calls: 1, outboxIsFull: true) == .wait)
        #expect(machine.sendRequested(calls: 0, outboxIsFull: true) == .wait)
    }

    @Test func nobodyOvertakesTheQueue() {
        var machine = Machine.open(maximumCallsInFlight: 1)
        _ = machine.send(1)
        _ = machine.waitBegan(2, message: "two", kind: .call, deadline: nil)
        #expect(machine.sendRequested(calls: 0, outboxIsFull: false) == .wait)
    }

    @Test func batchBeyondTheLimitIsRefused() {
        let machine = Machine.open(maximumCallsInFlight: 3)
        #expect(machine.sendRequested(calls: 4, outboxIsFull: false) == .refuseSize)
        #expect(machine.sendRequested(calls: 3, outboxIsFull: false) == .send)
    }

    @Test func idsInFlightAreTaken() {
        var machine = Machine.open()
        _ = machine.send(1)
        _ = machine.callSent(2, id: "1", ticket: .at(2), deadline: nil)
        #expect(!machine.isFree(1))
        #expect(!machine.isFree("1"))
        #expect(machine.isFree(2))
    }

    // MARK: Responses

    @Test func responsesResumeTheirWaitersInAnyOrder() {
        var machine = Machine.open()
        for id in 1...3 { _ = machine.send(id) }
        #expect(machine.respond(2) == .resume(2))
        #expect(machine.respond(3) == .resume(3))
        #expect(machine.respond(1) == .resume(1))
        #expect(machine.snapshot.occupiedSlots == 0)
    }

    @Test func numberAndStringAreDifferentIDs() {
        var machine = Machine.open()
        _ = machine.send(1)
        #expect(machine.respond("1") == .unknown)
        #expect(machine.respond(1) == .resume(1))
    }

    @Test func secondResponseIsADuplicate() {
        var machine = Machine.open()
        _ = machine.send(1)
        _ = machine.respond(1)
        #expect(machine.respond(1) == .duplicate)
    }

    @Test func responseToACancelledCallIsLateOnceThenADuplicate() {
        var machine = Machine.open()
        let key = machine.send(1).key
        #expect(machine.cancelRequested(key).map(\.waiter) == [1])
        #expect(machine.respond(1) == .late)
        #expect(machine.respond(1) == .duplicate)
    }

    @Test func responseWithAnIDNeverIssuedIsUnknown() {
        var machine = Machine.open()
        _ = machine.send(1)
        #expect(machine.respond(2) == .unknown)
        #expect(machine.respond(0) == .unknown)
        #expect(machine.respond(-1) == .unknown)
    }

    @Test func stringIDsAreRememberedAsFarAsTheRingReaches() {
        var machine = Machine.open(countsIDs: false, recentIDs: 2)
        for name in ["a", "b", "c"] {
            _ = machine.callSent(0, id: .string(name), ticket: .at(0), deadline: nil)
            _ = machine.respond(.string(name))
        }
        #expect(machine.respond("c") == .duplicate)
        #expect(machine.respond("b") == .duplicate)
        #expect(machine.respond("a") == .unknown)
    }

    // MARK: Waiting and admission

    @Test func queueIsServedInOrderAsRoomAppears() throws {
        var machine = Machine.open(maximumCallsInFlight: 1)
        _ = machine.send(1)
        _ = machine.waitBegan(2, message: "two", kind: .call, deadline: nil)
        _ = machine.waitBegan(3, message: "three", kind: .notification, deadline: nil)
        #expect(machine.roomAppeared(outboxIsFull: false).message == nil)
        _ = machine.respond(1)
        #expect(machine.roomAppeared(outboxIsFull: true).message == nil)
        let second = machine.roomAppeared(outboxIsFull: false)
        #expect(second.message == "two")
        machine.waitingCallSent(try #require(second.key), id: 2, ticket: .at(2))
        let third = machine.roomAppeared(outboxIsFull: false)
        #expect(third.message == "three")
        #expect(machine.waitingNotificationSent(try #require(third.key)) == 3)
        #expect(machine.roomAppeared(outboxIsFull: false).message == nil)
        #expect(machine.respond(2) == .resume(2))
    }

    @Test func callerWhoGivesUpWhileWaitingLeavesTheQueue() {
        var machine = Machine.open(maximumCallsInFlight: 1)
        _ = machine.send(1)
        let second = machine.waitBegan(2, message: "two", kind: .call, deadline: nil).key
        _ = machine.waitBegan(3, message: "three", kind: .call, deadline: nil)
        let abandoned = machine.cancelRequested(second)
        #expect(abandoned.map(\.waiter) == [2])
        #expect(abandoned.first?.sent == nil)
        _ = machine.respond(1)
        #expect(machine.roomAppeared(outboxIsFull: false).message == "three")
    }

    @Test func timeInTheQueueCountsTowardTheDeadline() {
        var machine = Machine.open(maximumCallsInFlight: 1)
        _ = machine.send(1)
        let action = machine.waitBegan(2, message: "two", kind: .call, deadline: .after(5, now: 0))
        #expect(action.timer == .at(5))
        #expect(machine.deadlineReached(now: .at(5)).expired.map(\.waiter) == [2])
        #expect(machine.queue.isEmpty)
    }

    @Test func messageThatTheTransportRefusesGivesItsWaiterBack() throws {
        var machine = Machine.open(maximumCallsInFlight: 1)
        _ = machine.send(1)
        let key = machine.waitBegan(2, message: "two", kind: .call, deadline: nil).key
        #expect(machine.waitingMessageRefused(key) == 2)
        #expect(machine.waitingMessageRefused(key) == nil)
    }

    // MARK: Cancellation

    @Test func cancellationTellsWhatWasSent() {
        var machine = Machine.open()
        let key = machine.send(7).key
        let abandoned = machine.cancelRequested(key)
        #expect(abandoned.first?.sent == Machine.Sent(id: 7, ticket: .at(7)))
        #expect(machine.cancelRequested(key).isEmpty)
    }

    @Test func keyOfAnAnsweredCallMeansNothing() {
        var machine = Machine.open()
        let first = machine.send(1).key
        _ = machine.respond(1)
        let second = machine.send(2).key
        #expect(first.slot == second.slot)
        #expect(machine.cancelRequested(first).isEmpty)
        #expect(machine.respond(2) == .resume(2))
    }

    // MARK: Deadlines

    @Test func timerIsSetOnlyForAnEarlierDeadline() {
        var machine = Machine.open()
        #expect(machine.send(1, timeout: 100).timer == .at(100))
        #expect(machine.send(2, timeout: 100, now: 1).timer == nil)
        #expect(machine.send(3, timeout: 50, now: 2).timer == .at(52))
        #expect(machine.send(4, timeout: 500, now: 3).timer == nil)
    }

    @Test func expiredCallsLeaveAndTheNextTimeIsTold() {
        var machine = Machine.open()
        _ = machine.send(1, timeout: 10)
        _ = machine.send(2, timeout: 20)
        _ = machine.send(3)
        let action = machine.deadlineReached(now: .at(10))
        #expect(action.expired.map(\.waiter) == [1])
        #expect(action.next == .at(20))
        #expect(machine.respond(1) == .late)
        #expect(machine.deadlineReached(now: .at(20)).next == nil)
        #expect(machine.respond(3) == .resume(3))
    }

    @Test func answeredCallsLeaveNoDeadlineBehind() {
        var machine = Machine.open()
        _ = machine.send(1, timeout: 10)
        _ = machine.respond(1)
        #expect(machine.snapshot.deadlines == 0)
        #expect(machine.deadlineReached(now: .at(10)).expired.isEmpty)
    }

    // MARK: Closing

    @Test func openingTwiceOrTooLateIsRefused() {
        var machine = Machine(maximumCallsInFlight: 1)
        #expect(machine.connectionOpened() == true)
        #expect(machine.connectionOpened() == false)
        var closed = Machine(maximumCallsInFlight: 1)
        #expect(closed.closeRequested(drainUntil: nil) == .finish)
        #expect(closed.connectionOpened() == false)
    }

    @Test func closeOfAnIdleSessionClosesTheTransportAtOnce() {
        var machine = Machine.open()
        #expect(machine.closeRequested(drainUntil: .at(9)) == .closeTransport)
        #expect(machine.closeRequested(drainUntil: .at(9)) == .doNothing)
        #expect(machine.sendRequested(calls: 1, outboxIsFull: false) == .refuse(.closing))
    }

    @Test func closeWaitsForCallsInFlightAndServed() {
        var machine = Machine.open()
        _ = machine.send(1)
        machine.servingBegan()
        #expect(machine.closeRequested(drainUntil: .at(9)) == .wait(timer: .at(9)))
        #expect(machine.sendRequested(calls: 1, outboxIsFull: false) == .refuse(.draining))
        #expect(machine.respond(1) == .resume(1))
        #expect(machine.drained() == false)
        machine.servingEnded()
        #expect(machine.drained() == true)
        #expect(machine.drained() == false)
        #expect(machine.phase == .closing)
    }

    @Test func drainingEndsAtItsDeadline() {
        var machine = Machine.open()
        _ = machine.send(1)
        _ = machine.closeRequested(drainUntil: .at(9))
        let action = machine.deadlineReached(now: .at(9))
        #expect(action.closesTransport)
        #expect(action.expired.isEmpty)
        #expect(machine.phase == .closing)
    }

    @Test func secondCloseCanEndTheDraining() {
        var machine = Machine.open()
        _ = machine.send(1)
        _ = machine.closeRequested(drainUntil: .at(9))
        #expect(machine.closeRequested(drainUntil: nil) == .closeTransport)
    }

    @Test func queueGoesOnWhileDraining() throws {
        var machine = Machine.open(maximumCallsInFlight: 1)
        _ = machine.send(1)
        _ = machine.waitBegan(2, message: "two", kind: .call, deadline: nil)
        _ = machine.closeRequested(drainUntil: .at(9))
        _ = machine.respond(1)
        #expect(machine.drained() == false)
        let action = machine.roomAppeared(outboxIsFull: false)
        machine.waitingCallSent(try #require(action.key), id: 2, ticket: .at(2))
        _ = machine.respond(2)
        #expect(machine.drained() == true)
    }

    @Test func lossOfTheConnectionGivesEverybodyOutInOrder() {
        var machine = Machine.open(maximumCallsInFlight: 3)
        for id in [1, 2, 3] { _ = machine.send(id, timeout: 10) }
        _ = machine.waitBegan(4, message: "four", kind: .call, deadline: .after(10, now: 0))
        _ = machine.waitBegan(5, message: "five", kind: .notification, deadline: nil)
        _ = machine.respond(2)
        let abandoned = machine.transportClosed()
        #expect(abandoned.map(\.waiter) == [1, 3, 4, 5])
        #expect(abandoned.map { $0.sent?.id } == [1, 3, nil, nil])
        #expect(machine.snapshot.occupiedSlots == 0)
        #expect(machine.snapshot.deadlines == 0)
        #expect(machine.issued == machine.settled)
        #expect(machine.transportClosed().isEmpty)
        #expect(machine.sendRequested(calls: 1, outboxIsFull: false) == .refuse(.closed))
    }
}

extension Machine.AdmitAction where Message == String {
    var message: String? {
        if case .send(_, let message) = self { message } else { nil }
    }

    var key: CallKey? {
        if case .send(let key, _) = self { key } else { nil }
    }
}
