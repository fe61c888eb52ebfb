// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn) struct SessionStateMachineBatchTests {
    /// A batch whose members' waiters are their ids.
    private func members(_ ids: ClosedRange<Int>) -> [(id: RequestID, waiter: Int)] {
        ids.map { (.number(Int64($0)), $0) }
    }

    @Test func membersAreAnsweredOneByOne() {
        var machine = Machine.open()
        _ = machine.batchSent(members(1...3), ticket: .at(0), deadline: nil)
        #expect(machine.respond(3) == .resume(3))
        #expect(machine.respond(1) == .resume(1))
        #expect(machine.snapshot.occupiedSlots == 2)
        #expect(machine.respond(2) == .resume(2))
        #expect(machine.snapshot.occupiedSlots == 0)
    }

    @Test func deadlineOfABatchEndsItsUnansweredMembers() {
        var machine = Machine.open()
        #expect(machine.batchSent(members(1...3), ticket: .at(0), deadline: .after(5, now: 0)).timer == .at(5))
        _ = machine.respond(2)
        #expect(machine.deadlineReached(now: .at(5)).expired.map(\.waiter) == [1, 3])
        #expect(machine.snapshot.occupiedSlots == 0)
        #expect(machine.snapshot.deadlines == 0)
    }

    @Test func keyOfABatchMeansAllItsMembers() {
        var machine = Machine.open()
        let key = machine.batchSent(members(1...3), ticket: .at(4), deadline: nil).key
        _ = machine.respond(1)
        let abandoned = machine.cancelRequested(key)
        #expect(abandoned.map(\.waiter) == [2, 3])
        #expect(abandoned.allSatisfy { $0.sent?.ticket == .at(4) })
        #expect(machine.cancelRequested(key).isEmpty)
    }

    @Test func slotOfAMemberCanServeAnotherBatch() {
        var machine = Machine.open()
        let first = machine.batchSent(members(1...3), ticket: .at(0), deadline: nil).key
        _ = machine.respond(2)
        _ = machine.batchSent(members(4...6), ticket: .at(1), deadline: nil)
        #expect(machine.cancelRequested(first).map(\.waiter) == [1, 3])
        for id in 4...6 { #expect(machine.respond(.number(Int64(id))) == .resume(id)) }
        #expect(machine.snapshot.occupiedSlots == 0)
    }

    @Test func waitingBatchBecomesItsMembers() throws {
        var machine = Machine.open(maximumCallsInFlight: 3)
        _ = machine.send(1)
        let key = machine.waitBegan(9, message: "batch", kind: .batch(3), deadline: .after(5, now: 0)).key
        #expect(machine.roomAppeared(outboxIsFull: false).key == nil)
        _ = machine.respond(1)
        #expect(machine.roomAppeared(outboxIsFull: false).key == key)
        #expect(machine.waitingBatchSent(key, members(2...4), ticket: .at(1)) == 9)
        #expect(machine.snapshot.inFlight == 3)
        #expect(machine.deadlineReached(now: .at(5)).expired.map(\.waiter) == [2, 3, 4])
        #expect(machine.issued == machine.settled)
    }

    // MARK: An error without an id

    @Test func errorWithoutAnIDAnswersABatchIfNothingElseIsInFlight() {
        var machine = Machine.open()
        _ = machine.send(9)
        _ = machine.batchSent(members(1...2), ticket: .at(0), deadline: nil)
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [])
        #expect(machine.respond(9) == .resume(9))
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [1, 2])
    }

    @Test func errorWithoutAnIDAnswersNoBatchWhenItCouldBeEither() {
        var machine = Machine.open()
        _ = machine.batchSent(members(1...2), ticket: .at(0), deadline: nil)
        _ = machine.batchSent(members(3...4), ticket: .at(1), deadline: nil)
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [])
        _ = machine.respond(3)
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [])
        _ = machine.respond(4)
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [1, 2])
    }

    @Test(arguments: [1024, 0])
    func errorWithoutAnIDAnswersNothingUntilLateResponsesHaveCome(rememberedIDs: Int) {
        var machine = Machine(maximumCallsInFlight: 8, recentIDs: rememberedIDs)
        _ = machine.connectionOpened()
        let key = machine.send(1).key
        #expect(machine.cancelRequested(key).map(\.waiter) == [1])
        _ = machine.send(2)
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [])
        _ = machine.respond(1)
        // An id that is not remembered cannot be told from others.
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == (rememberedIDs > 0 ? [2] : []))
    }

    @Test func errorWithoutAnIDAnswersACallAfterAnotherWasWithdrawn() {
        var machine = Machine.open()
        let key = machine.send(1).key
        _ = machine.cancelRequested(key)
        machine.requestWithdrawn()
        _ = machine.send(2)
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [2])
    }

    @Test func errorWithoutAnIDAnswersNothingUntilACallAfterANotificationHasEnded() {
        var machine = Machine.open()
        _ = machine.send(1)
        machine.oneWayMessageSent()
        _ = machine.respond(1)
        _ = machine.send(2)
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [])
        _ = machine.send(3)
        _ = machine.respond(3)
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [2])
    }

    @Test func aRequestThatWasWithdrawnProvesNothingAboutANotification() {
        var machine = Machine.open()
        let key = machine.send(1).key
        machine.oneWayMessageSent()
        _ = machine.cancelRequested(key)
        machine.requestWithdrawn()
        _ = machine.send(2)
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [])
    }

    @Test func errorWithoutAnIDAnswersTheOnlyCall() {
        var machine = Machine.open()
        _ = machine.send(1)
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [1])
        #expect(machine.snapshot.occupiedSlots == 0)
        _ = machine.send(2)
        _ = machine.send(3)
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [])
        _ = machine.respond(3)
        // A call that is in no batch has no response in an array of others.
        #expect(waiters(machine.errorWithoutIDReceived(.arrayOfResponses)) == [])
        #expect(waiters(machine.errorWithoutIDReceived(.arrayOfErrors)) == [])
        #expect(waiters(machine.errorWithoutIDReceived(.array)) == [2])
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [])
    }

    @Test func errorWithoutAnIDAnswersTheLastMemberOfABatch() {
        var machine = Machine.open()
        _ = machine.batchSent(members(1...3), ticket: .at(0), deadline: nil)
        #expect(waiters(machine.errorWithoutIDReceived(.arrayOfResponses)) == [])
        _ = machine.respond(1)
        #expect(waiters(machine.errorWithoutIDReceived(.message)) == [])
        _ = machine.respond(3)
        #expect(waiters(machine.errorWithoutIDReceived(.arrayOfResponses)) == [2])
        #expect(machine.snapshot.occupiedSlots == 0)
    }

    private func waiters(_ action: Machine.ErrorWithoutIDAction) -> [Int] {
        switch action {
        case .answersBatch(let waiters): waiters
        case .answersCall(let waiter, _): [waiter]
        case .doNothing: []
        }
    }
}
