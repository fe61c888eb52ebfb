// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WebSocket

@Suite(.inTurn) struct ConnectionStateMachineTests {
    private let tooBig = WebSocketError(.messageTooBig, "Too big.")
    private let late = WebSocketError(.closeTimeout, "Late.")
    private let silent = WebSocketError(.peerUnresponsive, "Silent.")

    @Test func aLocalCloseIsFlushedSentAndReported() {
        var machine = ConnectionStateMachine()
        #expect(machine.closeRequested(code: 1000, reason: "bye") == .flush)
        #expect(machine.deliversMessages)
        #expect(machine.socketFlushed() == .sendClose(code: 1000, reason: "bye"))
        #expect(!machine.deliversMessages)
        #expect(machine.socketFlushed() == .doNothing)
        #expect(
            machine.socketClosed(lwsCode: 1000)
                == .init(initiator: .local, code: 1000, reason: "bye", error: nil))
        #expect(machine.socketClosed(lwsCode: nil) == nil)
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, .max] as [UInt16])
    func aCodeThatMayNotBeSentIsReplaced(code: UInt16) {
        var machine = ConnectionStateMachine()
        #expect(machine.closeRequested(code: code, reason: "bye") == .flush)
        #expect(machine.socketFlushed() == .sendClose(code: 1000, reason: "bye"))
        #expect(machine.socketClosed(lwsCode: nil)?.code == 1000)
    }

    @Test(arguments: [1000, 1003, 1007, 1014, 3000, 4999] as [UInt16])
    func aCodeThatMayBeSentIsSent(code: UInt16) {
        var machine = ConnectionStateMachine()
        #expect(machine.closeRequested(code: code, reason: "") == .flush)
        #expect(machine.socketFlushed() == .sendClose(code: code, reason: ""))
    }

    @Test func aReasonIsCutToWhatFits() {
        var machine = ConnectionStateMachine()
        let reason = String(repeating: "ä", count: 61)
        #expect(machine.closeRequested(code: 1000, reason: reason + "ä") == .flush)
        #expect(machine.socketFlushed() == .sendClose(code: 1000, reason: reason))
        #expect(machine.socketClosed(lwsCode: nil)?.reason == reason)
    }

    @Test func aSecondCloseOnlyShortensTheDeadline() {
        var machine = ConnectionStateMachine()
        _ = machine.closeRequested(code: 1000, reason: "first")
        #expect(machine.closeRequested(code: 1001, reason: "second") == .shortenDeadline)
        _ = machine.socketFlushed()
        #expect(machine.closeRequested(code: 1001, reason: "third") == .shortenDeadline)
        #expect(machine.socketClosed(lwsCode: nil)?.reason == "first")
    }

    @Test func thePeersCloseIsReportedAsRemote() {
        var machine = ConnectionStateMachine()
        machine.peerCloseReceived(code: 1001, reason: "restart")
        #expect(!machine.deliversMessages)
        #expect(machine.closeRequested(code: 1000, reason: "") == .doNothing)
        #expect(machine.failed(code: 1009, reason: "", error: tooBig) == .doNothing)
        #expect(
            machine.socketClosed(lwsCode: 1001)
                == .init(initiator: .remote, code: 1001, reason: "restart", error: nil))
    }

    @Test func thePeersCloseWhileDrainingIsReportedAsRemote() {
        var machine = ConnectionStateMachine()
        _ = machine.closeRequested(code: 1000, reason: "")
        machine.peerCloseReceived(code: 1011, reason: "oops")
        #expect(machine.socketFlushed() == .doNothing)
        #expect(machine.socketClosed(lwsCode: nil)?.initiator == .remote)
    }

    @Test func aFaultOfThePeersIsToldToItAndReportedAsFailure() {
        var machine = ConnectionStateMachine()
        #expect(machine.failed(code: 1009, reason: "big", error: tooBig) == .flush)
        #expect(!machine.deliversMessages)
        #expect(machine.failed(code: 1007, reason: "", error: tooBig) == .doNothing)
        #expect(machine.closeRequested(code: 1000, reason: "") == .doNothing)
        #expect(machine.socketFlushed() == .sendClose(code: 1009, reason: "big"))
        #expect(
            machine.socketClosed(lwsCode: nil)
                == .init(initiator: .failure, code: 1009, reason: "big", error: tooBig))
    }

    @Test func aFaultWhoseCloseFindsNoAnswerKeepsItsError() {
        var machine = ConnectionStateMachine()
        _ = machine.failed(code: 1009, reason: "big", error: tooBig)
        _ = machine.socketFlushed()
        #expect(machine.dropRequested(late) == .drop)
        #expect(machine.socketClosed(lwsCode: nil)?.error?.code == .messageTooBig)
    }

    @Test func aCloseThatFindsNoAnswerIsAbnormal() {
        var machine = ConnectionStateMachine()
        _ = machine.closeRequested(code: 1000, reason: "")
        _ = machine.socketFlushed()
        #expect(machine.dropRequested(late) == .drop)
        #expect(
            machine.socketClosed(lwsCode: 1000)
                == .init(initiator: .local, code: 1006, reason: "", error: late))
        #expect(machine.dropRequested(late) == .doNothing)
    }

    @Test func aCloseThatIsNeverFlushedIsAbnormal() {
        var machine = ConnectionStateMachine()
        _ = machine.closeRequested(code: 1000, reason: "")
        #expect(machine.dropRequested(late) == .drop)
        #expect(
            machine.socketClosed(lwsCode: nil)
                == .init(initiator: .local, code: 1006, reason: "", error: late))
    }

    @Test func aDeadPeerIsAFailure() {
        var machine = ConnectionStateMachine()
        #expect(machine.dropRequested(silent) == .drop)
        #expect(
            machine.socketClosed(lwsCode: nil)
                == .init(initiator: .failure, code: 1006, reason: "", error: silent))
    }

    @Test func anEndOutOfTheBlueIsALostConnection() {
        var machine = ConnectionStateMachine()
        let ending = machine.socketClosed(lwsCode: nil)
        #expect(ending?.initiator == .failure && ending?.code == 1006)
        #expect(ending?.error?.code == .connectionLost)
    }

    @Test func whatLwsFindsWrongIsAProtocolViolation() {
        var machine = ConnectionStateMachine()
        let ending = machine.socketClosed(lwsCode: 1002)
        #expect(ending?.initiator == .failure && ending?.code == 1002)
        #expect(ending?.error?.code == .protocolViolation)
    }
}
