// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn) struct SessionStateMachineTests {
    // MARK: Sending

    @Test func nothingIsSentBeforeTheConnectionOpens() {
        var session = MachineWithOutbox(Machine(maximumCallsInFlight: 1))
        #expect(session.call(1) == .refused(.phase(.connecting)))
        #expect(session.outbox.messages.isEmpty)
    }

    @Test func callIsSentWhenOpen() {
        var session = MachineWithOutbox.open()
        #expect(session.call(1).key != nil)
        #expect(session.notify(nil) == .sent)
        #expect(session.outbox.messages == [[1], []])
        #expect(session.machine.inFlight == 1)
    }

    @Test func callWaitsAtTheLimitOfCallsInFlight() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 1)
        _ = session.call(1)
        #expect(session.call(2).key != nil)
        #expect(session.outbox.messages == [[1]])
        #expect(session.machine.queue.count == 1)
    }

    @Test func notificationNeedsNoPlaceAmongTheCallsInFlight() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 1)
        _ = session.call(1)
        #expect(session.notify(nil) == .sent)
    }

    @Test func everythingWaitsWhileTheOutboxIsFull() {
        var session = MachineWithOutbox.open()
        session.outbox.isFull = true
        #expect(session.call(1).key != nil)
        #expect(session.notify(2).key != nil)
        #expect(session.outbox.messages.isEmpty)
    }

    @Test func nobodyOvertakesTheQueue() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 1)
        _ = session.call(1)
        _ = session.call(2)
        #expect(session.notify(nil) == .mustWait)
        #expect(session.machine.queue.count == 1)
        #expect(session.notify(3).key != nil)
        #expect(session.outbox.messages == [[1]])
    }

    @Test func arrayBeyondTheLimitIsRefused() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 3)
        #expect(session.array(1...4) == .refused(.tooManyCalls(4)))
        #expect(session.array(1...3).key != nil)
    }

    @Test func idsInFlightAreTaken() {
        var session = MachineWithOutbox.open(countsIDs: false)
        _ = session.call(1)
        _ = session.submit(.call(tail: [], id: "1"), 2)
        #expect(session.call(1) == .refused(.idInUse(1)))
        #expect(session.submit(.call(tail: [], id: "1"), 2) == .refused(.idInUse("1")))
        #expect(session.array(1...2) == .refused(.idInUse(1)))
        #expect(session.machine.slotInFlight(2) == nil)
        #expect(session.outbox.messages == [[1], ["1"]])
        #expect(session.machine.issued == 2)
    }

    @Test func membersOfAnArrayMayNotShareAnID() {
        var session = MachineWithOutbox.open(countsIDs: false)
        let array = Submission.array(ArrayDraft(bytes: [], members: []), waiters: [1, 2], ids: [7, 7])
        #expect(session.submit(array, 0) == .refused(.idInUse(7)))
    }

    @Test func aTransportThatEndsLetsMessagesWaitForItsEnd() {
        var session = MachineWithOutbox.open()
        session.outbox.refuses = true
        #expect(session.call(1).key != nil)
        #expect(session.array(2...3, waiter: 9).key != nil)
        #expect(session.notify(nil) == .mustWait)
        #expect(session.room().ended.isEmpty)
        #expect(session.lose().map(\.waiter) == [1, 9])
    }

    @Test func aNoticeIsSentInEveryPhaseAndFromAFullOutbox() {
        var session = MachineWithOutbox.open()
        session.outbox.isFull = true
        _ = session.close()
        session.machine.sendNotice([], to: &session.outbox)
        #expect(session.outbox.messages == [[]])
    }

    // MARK: Responses

    @Test func responsesResumeTheirWaitersInAnyOrder() {
        var session = MachineWithOutbox.open()
        for id in 1...3 { _ = session.call(id) }
        #expect(session.respond(2) == .resume(2))
        #expect(session.respond(3) == .resume(3))
        #expect(session.respond(1) == .resume(1))
        #expect(session.machine.snapshot.occupiedSlots == 0)
    }

    @Test func numberAndStringAreDifferentIDs() {
        var session = MachineWithOutbox.open()
        _ = session.call(1)
        #expect(session.respond("1") == .unknown)
        #expect(session.respond(1) == .resume(1))
    }

    @Test func secondResponseIsADuplicate() {
        var session = MachineWithOutbox.open()
        _ = session.call(1)
        _ = session.respond(1)
        #expect(session.respond(1) == .duplicate)
    }

    @Test func responseToACancelledCallIsLateOnceThenADuplicate() {
        var session = MachineWithOutbox.open()
        let key = session.call(1).key
        #expect(session.cancel(key).waiters == [1])
        #expect(session.respond(1) == .late)
        #expect(session.respond(1) == .duplicate)
    }

    @Test func responseWithAnIDNeverIssuedIsUnknown() {
        var session = MachineWithOutbox.open()
        _ = session.call(1)
        #expect(session.respond(2) == .unknown)
        #expect(session.respond(0) == .unknown)
        #expect(session.respond(-1) == .unknown)
    }

    @Test func stringIDsAreRememberedAsFarAsTheRingReaches() {
        var session = MachineWithOutbox.open(countsIDs: false, recentIDs: 2)
        for name in ["a", "b", "c"] {
            _ = session.submit(.call(tail: [], id: .string(name)), 0)
            _ = session.respond(.string(name))
        }
        #expect(session.respond("c") == .duplicate)
        #expect(session.respond("b") == .duplicate)
        #expect(session.respond("a") == .unknown)
    }

    // MARK: The queue

    @Test func queueIsServedInOrderAsRoomAppears() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 1)
        for id in [1, 2] { _ = session.call(id) }
        _ = session.notify(3)
        #expect(session.room().ended.isEmpty)
        _ = session.respond(1)
        session.outbox.isFull = true
        #expect(session.room().ended.isEmpty)
        #expect(session.outbox.messages == [[1]])
        session.outbox.isFull = false
        let actions = session.room()
        #expect(actions.waiters == [3])
        #expect(actions.ended.first?.ending == .sent)
        #expect(session.outbox.messages == [[1], [2], []])
        #expect(session.respond(2) == .resume(2))
        #expect(session.machine.snapshot.occupiedSlots == 0)
    }

    @Test func callerWhoGivesUpWhileWaitingLeavesTheQueue() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 1)
        _ = session.call(1)
        let second = session.call(2).key
        _ = session.call(3)
        let ended = session.cancel(second).ended
        #expect(ended.map(\.waiter) == [2])
        #expect(ended.first?.ending == .cancelled(nil, .notSent))
        _ = session.respond(1)
        _ = session.room()
        #expect(session.outbox.messages == [[1], [3]])
    }

    @Test func cancellingACallGivesItsPlaceToTheQueue() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 1)
        let first = session.call(1).key
        _ = session.call(2)
        #expect(session.cancel(first).waiters == [1])
        #expect(session.outbox.messages == [[1], [2]])
    }

    @Test func timeInTheQueueCountsTowardTheDeadline() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 1)
        _ = session.call(1)
        #expect(session.call(2, timeout: 5).timer == .at(5))
        let ended = session.reach(5).actions.ended
        #expect(ended.map(\.waiter) == [2])
        #expect(ended.first?.ending == .timedOut(nil, .notSent))
        #expect(session.machine.queue.isEmpty)
    }

    @Test func queuedCallWhoseIDIsTakenGivesItsWaiterBack() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 2, countsIDs: false)
        for id in [1, 2] { _ = session.call(id) }
        _ = session.submit(.call(tail: [], id: 2), 3)
        _ = session.respond(1)
        let ended = session.room().ended
        #expect(ended.map(\.waiter) == [3])
        #expect(ended.first?.ending == .refused(.idInUse(2)))
        #expect(session.machine.issued == session.machine.settled + 1)
    }

    // MARK: Cancellation

    @Test func cancellationTellsWhatWasSent() {
        var session = MachineWithOutbox.open()
        let key = session.call(7).key
        let sent = Machine.Sent(id: 7, ticket: .at(7))
        #expect(session.cancel(key).ended.first?.ending == .cancelled(sent, .outcomeUnknown))
        #expect(session.cancel(key).ended.isEmpty)
    }

    @Test func requestThatIsStillInTheOutboxIsWithdrawn() {
        var session = MachineWithOutbox.open()
        session.outbox.keepsMessages = true
        let key = session.call(7).key
        let sent = Machine.Sent(id: 7, ticket: .at(7))
        #expect(session.cancel(key).ended.first?.ending == .cancelled(sent, .notSent))
        #expect(session.outbox.withdrawn == [7])
        #expect(session.machine.launched == 0)
    }

    @Test func keyOfAnAnsweredCallMeansNothing() throws {
        var session = MachineWithOutbox.open()
        let first = try #require(session.call(1).key)
        _ = session.respond(1)
        let second = try #require(session.call(2).key)
        #expect(first.slot == second.slot)
        #expect(session.cancel(first).ended.isEmpty)
        #expect(session.respond(2) == .resume(2))
    }

    // MARK: Deadlines

    @Test func timerIsSetOnlyForAnEarlierDeadline() {
        var session = MachineWithOutbox.open()
        #expect(session.call(1, timeout: 100).timer == .at(100))
        #expect(session.call(2, timeout: 100, now: 1).timer == nil)
        #expect(session.call(3, timeout: 50, now: 2).timer == .at(52))
        #expect(session.call(4, timeout: 500, now: 3).timer == nil)
    }

    @Test func expiredCallsLeaveAndTheNextTimeIsTold() {
        var session = MachineWithOutbox.open()
        _ = session.call(1, timeout: 10)
        _ = session.call(2, timeout: 20)
        _ = session.call(3)
        let (actions, next) = session.reach(10)
        #expect(actions.waiters == [1])
        #expect(next == .at(20))
        #expect(session.respond(1) == .late)
        #expect(session.reach(20).next == nil)
        #expect(session.respond(3) == .resume(3))
    }

    @Test func answeredCallsLeaveNoDeadlineBehind() {
        var session = MachineWithOutbox.open()
        _ = session.call(1, timeout: 10)
        _ = session.respond(1)
        #expect(session.machine.snapshot.deadlines == 0)
        #expect(session.reach(10).actions.ended.isEmpty)
    }

    // MARK: Closing

    @Test func openingTwiceOrTooLateIsRefused() {
        var machine = Machine(maximumCallsInFlight: 1)
        #expect(machine.connectionOpened() == true)
        #expect(machine.connectionOpened() == false)
        var closed = Machine(maximumCallsInFlight: 1)
        #expect(closed.closeRequested(.normal, drainUntil: nil).newPhase == .closed)
        #expect(closed.connectionOpened() == false)
    }

    @Test func closeOfAnIdleSessionClosesTheTransportAtOnce() {
        var session = MachineWithOutbox.open()
        #expect(session.close(drainUntil: 9).closes == .normal)
        #expect(session.close(drainUntil: 9).closes == nil)
        #expect(session.call(1) == .refused(.phase(.closing)))
    }

    @Test func closeWaitsForCallsInFlightAndServed() {
        var session = MachineWithOutbox.open()
        _ = session.call(1)
        let served = session.machine.requestReceived(nil, bytes: 0, within: ServingLimits(calls: 1, bytes: 1)).key
        let close = session.close(drainUntil: 9)
        #expect(close.timer == .at(9) && close.newPhase == .draining && close.closes == nil)
        #expect(session.call(2) == .refused(.phase(.draining)))
        #expect(session.respond(1) == .resume(1))
        #expect(session.room().closes == nil)
        #expect(session.machine.answer([], ends: served, &session.outbox).closes == .normal)
        #expect(session.room().closes == nil)
        #expect(session.machine.phase == .closing)
    }

    @Test func drainingEndsAtItsDeadline() {
        var session = MachineWithOutbox.open()
        _ = session.call(1)
        _ = session.close(drainUntil: 9)
        let actions = session.reach(9).actions
        #expect(actions.closes == .normal)
        #expect(actions.ended.isEmpty)
        #expect(session.machine.phase == .closing)
    }

    @Test func drainingEndsWithTheLastCallThatTimesOut() {
        var session = MachineWithOutbox.open()
        _ = session.call(1, timeout: 5)
        _ = session.close(drainUntil: 9)
        let actions = session.reach(5).actions
        #expect(actions.waiters == [1])
        #expect(actions.closes == .normal)
    }

    @Test func secondCloseCanEndTheDraining() {
        var session = MachineWithOutbox.open()
        _ = session.call(1)
        _ = session.close(drainUntil: 9)
        #expect(session.close().closes == .normal)
    }

    @Test func queueGoesOnWhileDraining() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 1)
        for id in [1, 2] { _ = session.call(id) }
        _ = session.close(drainUntil: 9)
        _ = session.respond(1)
        #expect(session.room().closes == nil)
        #expect(session.outbox.messages == [[1], [2]])
        _ = session.respond(2)
        #expect(session.room().closes == .normal)
    }

    @Test func lossOfTheConnectionGivesEverybodyOutInOrder() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 3)
        for id in [1, 2, 3] { _ = session.call(id, timeout: 10) }
        _ = session.call(4, timeout: 10)
        _ = session.notify(5)
        _ = session.respond(2)
        let lost = session.lose(unsentFrom: 3)
        #expect(lost.map(\.waiter) == [1, 3, 4, 5])
        #expect(lost.map { $0.sent?.id } == [1, 3, nil, nil])
        #expect(lost.map(\.delivery) == [.outcomeUnknown, .notSent, .notSent, .notSent])
        #expect(session.machine.snapshot.occupiedSlots == 0)
        #expect(session.machine.snapshot.deadlines == 0)
        #expect(session.machine.issued == session.machine.settled)
        #expect(session.lose().isEmpty)
        #expect(session.call(6) == .refused(.phase(.closed)))
    }

    @Test func theFirstRequestGivesTheCodeAndALaterOneOnlyAnEarlierDeadline() {
        var session = MachineWithOutbox.open()
        _ = session.close()
        let late = CloseRequest(code: 1001, reason: "late", deadline: .seconds(1))
        #expect(session.machine.closeRequested(late, drainUntil: nil).closes == nil)
        let hastened = session.machine.closeRequested(late, drainUntil: nil, hastens: true).closes
        #expect(hastened == CloseRequest(code: 1000, reason: "", deadline: .seconds(1)))
    }

    @Test func aViolationCountsUnlessTheSessionIsBeingClosed() {
        let failure = ClientError(.protocolViolation, "m", delivery: .outcomeUnknown)
        let request = CloseRequest(code: 1002, reason: "r", deadline: .zero)
        var session = MachineWithOutbox.open()
        _ = session.call(1)
        #expect(session.machine.violated(failure, request).closes == request)
        #expect(session.machine.violation != nil && !session.machine.isClosedByProgram)
        var closing = MachineWithOutbox.open()
        _ = closing.call(1)
        _ = closing.close(drainUntil: 9)
        #expect(closing.machine.violated(failure, request).closes == .normal)
        #expect(closing.machine.violation == nil && closing.machine.isClosedByProgram)
    }

    @Test func aSessionThatWasNeverOpenHasItsReason() {
        var machine = Machine(maximumCallsInFlight: 1)
        let hasFailed = machine.connectionFailed(CancellationError())
        #expect(hasFailed)
        #expect(machine.closure?.initiator == .failure && machine.closure?.error is CancellationError)
        let hasFailedAgain = machine.connectionFailed(CancellationError())
        let isOpen = machine.connectionOpened()
        #expect(!hasFailedAgain && !isOpen)
    }
}
