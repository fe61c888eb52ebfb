// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn) struct SessionStateMachineBatchTests {
    @Test func membersAreAnsweredOneByOne() {
        var session = MachineWithOutbox.open()
        _ = session.array(1...3)
        #expect(session.outbox.messages == [[1, 2, 3]])
        #expect(session.respond(3) == .resume(3))
        #expect(session.respond(1) == .resume(1))
        #expect(session.machine.snapshot.occupiedSlots == 2)
        #expect(session.respond(2) == .resume(2))
        #expect(session.machine.snapshot.occupiedSlots == 0)
    }

    @Test func idsOfMembersComeFromTheOutbox() {
        var session = MachineWithOutbox.open()
        let array = Submission.array(ArrayDraft(bytes: [], members: []), waiters: [5, 6], ids: [])
        #expect(session.submit(array, 0).key != nil)
        #expect(session.outbox.messages == [[1, 2]])
        #expect(session.respond(2) == .resume(6))
    }

    @Test func deadlineOfABatchEndsItsUnansweredMembers() {
        var session = MachineWithOutbox.open()
        #expect(session.array(1...3, timeout: 5).timer == .at(5))
        _ = session.respond(2)
        #expect(session.reach(5).actions.waiters == [1, 3])
        #expect(session.machine.snapshot.occupiedSlots == 0)
        #expect(session.machine.snapshot.deadlines == 0)
    }

    @Test(arguments: [false, true]) func keyOfABatchMeansAllItsMembers(isInOutbox: Bool) {
        var session = MachineWithOutbox.open()
        session.outbox.keepsMessages = isInOutbox
        let key = session.array(1...3).key
        _ = session.respond(1)
        let delivery: ClientError.Delivery = isInOutbox ? .notSent : .outcomeUnknown
        let ended = session.cancel(key).ended
        #expect(ended.map(\.waiter) == [2, 3])
        #expect(
            ended.map(\.ending) == [2, 3].map { .cancelled(Machine.Sent(id: $0, ticket: .at(1)), delivery) })
        #expect(session.outbox.withdrawn == (isInOutbox ? [2, 3] : []))
        #expect(session.cancel(key).ended.isEmpty)
    }

    @Test func slotOfAMemberCanServeAnotherBatch() {
        var session = MachineWithOutbox.open()
        let first = session.array(1...3).key
        _ = session.respond(2)
        _ = session.array(4...6)
        #expect(session.cancel(first).waiters == [1, 3])
        for id in 4...6 { #expect(session.respond(.number(Int64(id))) == .resume(id)) }
        #expect(session.machine.snapshot.occupiedSlots == 0)
    }

    @Test func waitingBatchBecomesItsMembers() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 3)
        _ = session.call(1)
        #expect(session.array(2...4, waiter: 9, timeout: 5).key != nil)
        #expect(session.room().ended.isEmpty)
        #expect(session.machine.snapshot.inFlight == 1)
        _ = session.respond(1)
        #expect(session.room().ended.isEmpty)
        #expect(session.machine.snapshot.inFlight == 3)
        #expect(session.reach(5).actions.waiters == [2, 3, 4])
        #expect(session.machine.issued == session.machine.settled)
    }

    @Test func waitingBatchIsCancelledAsAWhole() {
        var session = MachineWithOutbox.open(maximumCallsInFlight: 3)
        _ = session.call(1)
        let key = session.array(2...4, waiter: 9).key
        let ended = session.cancel(key).ended
        #expect(ended.map(\.waiter) == [9])
        #expect(ended.first?.ending == .cancelled(nil, .notSent))
    }

    // MARK: An error without an id

    @Test func errorWithoutAnIDAnswersABatchIfNothingElseIsInFlight() {
        var session = MachineWithOutbox.open()
        _ = session.call(9)
        _ = session.array(1...2)
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [])
        #expect(session.respond(9) == .resume(9))
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [1, 2])
    }

    @Test func errorWithoutAnIDAnswersNoBatchWhenItCouldBeEither() {
        var session = MachineWithOutbox.open()
        _ = session.array(1...2)
        _ = session.array(3...4)
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [])
        _ = session.respond(3)
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [])
        _ = session.respond(4)
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [1, 2])
    }

    @Test(arguments: [1024, 0])
    func errorWithoutAnIDAnswersNothingUntilLateResponsesHaveCome(rememberedIDs: Int) {
        var session = MachineWithOutbox.open(recentIDs: rememberedIDs)
        let key = session.call(1).key
        #expect(session.cancel(key).waiters == [1])
        _ = session.call(2)
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [])
        _ = session.respond(1)
        // An id that is not remembered cannot be distinguished from others.
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == (rememberedIDs > 0 ? [2] : []))
    }

    @Test func errorWithoutAnIDAnswersACallAfterAnotherWasWithdrawn() {
        var session = MachineWithOutbox.open()
        session.outbox.keepsMessages = true
        _ = session.cancel(session.call(1).key)
        _ = session.call(2)
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [2])
    }

    @Test func errorWithoutAnIDAnswersNothingUntilACallAfterANotificationHasEnded() {
        var session = MachineWithOutbox.open()
        _ = session.call(1)
        _ = session.notify(nil)
        _ = session.respond(1)
        _ = session.call(2)
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [])
        _ = session.call(3)
        _ = session.respond(3)
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [2])
    }

    @Test func aRequestThatWasWithdrawnProvesNothingAboutANotification() {
        var session = MachineWithOutbox.open()
        session.outbox.keepsMessages = true
        let key = session.call(1).key
        _ = session.notify(nil)
        _ = session.cancel(key)
        _ = session.call(2)
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [])
    }

    @Test func errorWithoutAnIDAnswersTheOnlyCall() {
        var session = MachineWithOutbox.open()
        _ = session.call(1)
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [1])
        #expect(session.machine.snapshot.occupiedSlots == 0)
        _ = session.call(2)
        _ = session.call(3)
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [])
        _ = session.respond(3)
        // A call outside of batches has no response in an array of others.
        #expect(waiters(session.machine.errorWithoutIDReceived(.arrayOfResponses)) == [])
        #expect(waiters(session.machine.errorWithoutIDReceived(.arrayOfErrors)) == [])
        #expect(waiters(session.machine.errorWithoutIDReceived(.array)) == [2])
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [])
    }

    @Test func errorWithoutAnIDAnswersTheLastMemberOfABatch() {
        var session = MachineWithOutbox.open()
        _ = session.array(1...3)
        #expect(waiters(session.machine.errorWithoutIDReceived(.arrayOfResponses)) == [])
        _ = session.respond(1)
        #expect(waiters(session.machine.errorWithoutIDReceived(.message)) == [])
        _ = session.respond(3)
        #expect(waiters(session.machine.errorWithoutIDReceived(.arrayOfResponses)) == [2])
        #expect(session.machine.snapshot.occupiedSlots == 0)
    }

    private func waiters(_ action: Machine.ErrorWithoutIDAction) -> [Int] {
        switch action {
        case .answersBatch(let waiters): waiters
        case .answersCall(let waiter, _): [waiter]
        case .doNothing: []
        }
    }
}
