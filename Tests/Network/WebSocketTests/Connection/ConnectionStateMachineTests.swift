// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WebSocket

@Suite(.inTurn) struct ConnectionStateMachineTests {
    private let tooBig = WebSocketError(.messageTooBig, "Too big.")
    private let late = WebSocketError(.closeTimeout, "Late.")
    private let silent = WebSocketError(.peerUnresponsive, "Silent.")
    private let lost = WebSocketError(.connectionLost, "Lost.")

    private typealias End = ConnectionStateMachine.EndAction

    @Test func aLocalCloseIsFlushedSentAndAnswered() {
        var machine = ConnectionStateMachine()
        #expect(machine.closeRequested(code: 1000, reason: "bye") == .flush)
        #expect(machine.deliversMessages)
        #expect(machine.outboxFlushed() == .sendClose(code: 1000, reason: "bye"))
        #expect(!machine.deliversMessages)
        #expect(machine.outboxFlushed() == .doNothing)
        #expect(
            machine.peerCloseReceived(code: 1001, reason: "theirs")
                == End(initiator: .local, code: 1000, reason: "bye", lastStep: .none))
        #expect(machine.streamEnded(lost) == nil)
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, .max] as [UInt16])
    func aCodeThatMayNotBeSentIsReplaced(code: UInt16) {
        var machine = ConnectionStateMachine()
        #expect(machine.closeRequested(code: code, reason: "bye") == .flush)
        #expect(machine.outboxFlushed() == .sendClose(code: 1000, reason: "bye"))
        #expect(machine.streamEnded(lost)?.code == 1000)
    }

    @Test(arguments: [1000, 1003, 1007, 1014, 3000, 4999] as [UInt16])
    func aCodeThatMayBeSentIsSent(code: UInt16) {
        var machine = ConnectionStateMachine()
        #expect(machine.closeRequested(code: code, reason: "") == .flush)
        #expect(machine.outboxFlushed() == .sendClose(code: code, reason: ""))
    }

    @Test func aRelayedEndKeepsTheCodesOfAnEndWithoutOne() {
        var machine = ConnectionStateMachine()
        #expect(machine.closeRequested(code: 1005, reason: "", isRelayed: true) == .flush)
        #expect(machine.outboxFlushed() == .sendClose(code: 1005, reason: ""))
        machine = ConnectionStateMachine()
        #expect(machine.closeRequested(code: 1006, reason: "", isRelayed: true) == .flush)
        #expect(machine.deliversMessages)
        #expect(
            machine.outboxFlushed()
                == .end(End(initiator: .local, code: 1006, reason: "", lastStep: .none)))
        #expect(machine.phase == .ended)
        machine = ConnectionStateMachine()
        #expect(machine.closeRequested(code: 1015, reason: "", isRelayed: true) == .flush)
        #expect(machine.outboxFlushed() == .sendClose(code: 1000, reason: ""))
    }

    @Test func aReasonIsCutToWhatFits() {
        var machine = ConnectionStateMachine()
        let reason = String(repeating: "ä", count: 61)
        #expect(machine.closeRequested(code: 1000, reason: reason + "ä") == .flush)
        #expect(machine.outboxFlushed() == .sendClose(code: 1000, reason: reason))
        #expect(machine.peerCloseReceived(code: 1000, reason: "")?.reason == reason)
    }

    @Test func aSecondCloseOnlyShortensTheDeadline() {
        var machine = ConnectionStateMachine()
        _ = machine.closeRequested(code: 1000, reason: "first")
        #expect(machine.closeRequested(code: 1001, reason: "second") == .shortenDeadline)
        _ = machine.outboxFlushed()
        #expect(machine.closeRequested(code: 1001, reason: "third") == .shortenDeadline)
        #expect(machine.peerCloseReceived(code: 1000, reason: "")?.reason == "first")
    }

    @Test(arguments: [false, true]) func thePeersCloseIsAnsweredAndReportedAsRemote(isDraining: Bool) {
        var machine = ConnectionStateMachine()
        if isDraining { _ = machine.closeRequested(code: 1000, reason: "") }
        #expect(
            machine.peerCloseReceived(code: 1001, reason: "restart")
                == End(
                    initiator: .remote, code: 1001, reason: "restart",
                    lastStep: .close(code: 1001, reason: "")))
        #expect(!machine.deliversMessages)
        #expect(machine.closeRequested(code: 1000, reason: "") == .doNothing)
        #expect(machine.outboxFlushed() == .doNothing)
        #expect(machine.violationFound(code: 1009, reason: "", error: tooBig) == nil)
    }

    @Test func aFaultOfThePeersIsToldToItAndReportedAsFailure() {
        var machine = ConnectionStateMachine()
        #expect(
            machine.violationFound(code: 1009, reason: "big", error: tooBig)
                == End(
                    initiator: .failure, code: 1009, reason: "big", error: tooBig,
                    lastStep: .close(code: 1009, reason: "big")))
        #expect(!machine.deliversMessages)
        #expect(machine.violationFound(code: 1007, reason: "", error: tooBig) == nil)
        #expect(machine.closeRequested(code: 1000, reason: "") == .doNothing)
        #expect(machine.dropRequested(late) == nil)
    }

    @Test func aFaultInPlaceOfAnAnswerIsAbnormal() {
        var machine = ConnectionStateMachine()
        _ = machine.closeRequested(code: 1000, reason: "mine")
        _ = machine.outboxFlushed()
        #expect(
            machine.violationFound(code: 1002, reason: "", error: tooBig)
                == End(
                    initiator: .local, code: 1006, reason: "mine", error: tooBig, lastStep: .hangUp))
    }

    @Test(arguments: [false, true]) func aCloseThatFindsNoAnswerIsAbnormal(isFlushed: Bool) {
        var machine = ConnectionStateMachine()
        _ = machine.closeRequested(code: 1000, reason: "")
        if isFlushed { _ = machine.outboxFlushed() }
        #expect(
            machine.dropRequested(late)
                == End(initiator: .local, code: 1006, reason: "", error: late, lastStep: .hangUp))
        #expect(machine.dropRequested(late) == nil)
    }

    @Test func aDeadPeerIsAFailure() {
        var machine = ConnectionStateMachine()
        #expect(
            machine.dropRequested(silent)
                == End(initiator: .failure, code: 1006, reason: "", error: silent, lastStep: .hangUp))
    }

    @Test func anEndOutOfTheBlueIsAFailure() {
        var machine = ConnectionStateMachine()
        #expect(
            machine.streamEnded(lost)
                == End(initiator: .failure, code: 1006, reason: "", error: lost, lastStep: .hangUp))
    }

    @Test func anEndBeforeEverythingIsSentIsAbnormal() {
        var machine = ConnectionStateMachine()
        _ = machine.closeRequested(code: 1000, reason: "mine")
        #expect(
            machine.streamEnded(lost)
                == End(initiator: .local, code: 1006, reason: "mine", error: lost, lastStep: .hangUp))
    }

    @Test func anEndInPlaceOfTheCloseFrameIsAnAnswer() {
        var machine = ConnectionStateMachine()
        _ = machine.closeRequested(code: 1000, reason: "mine")
        _ = machine.outboxFlushed()
        #expect(
            machine.streamEnded(lost)
                == End(initiator: .local, code: 1000, reason: "mine", lastStep: .hangUp))
    }
}
