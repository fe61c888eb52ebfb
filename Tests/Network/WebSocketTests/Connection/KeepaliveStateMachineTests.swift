// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WebSocket

@Suite(.inTurn) struct KeepaliveStateMachineTests {
    private static let second: Int64 = 1_000_000_000
    /// Interval 20 s, time-out 10 s, started at 0.
    private func machine() -> KeepaliveStateMachine {
        KeepaliveStateMachine(interval: .seconds(20), timeout: .seconds(10), now: 0)
    }

    private func at(_ seconds: Int64) -> Int64 { seconds * Self.second }

    @Test func aPingGoesOutAtEachInterval() {
        var machine = machine()
        #expect(machine.nextDeadline == at(20))
        #expect(machine.timerFired(now: at(20), lastByteAt: at(0)) == .sendPing(1))
        _ = machine.pongReceived(1, now: at(21))
        #expect(machine.timerFired(now: at(40), lastByteAt: at(21)) == .sendPing(2))
    }

    @Test(arguments: [.zero, .seconds(-5), .milliseconds(-500), .microseconds(3)] as [Duration])
    func timesAreAtLeastTenMilliseconds(time: Duration) {
        var machine = KeepaliveStateMachine(interval: time, timeout: time, now: 0)
        #expect(machine.nextDeadline == 10_000_000)
        #expect(machine.timerFired(now: 10_000_000, lastByteAt: 0) == .sendPing(1))
        #expect(machine.nextDeadline == 20_000_000)
    }

    /// Connections that begin at different times in 1/64 of the interval, 312.5 ms.
    @Test func pingsOfManyConnectionsAreSentTogetherAndNeverLate() {
        var times: Set<Int64> = []
        for start in stride(from: at(5), to: at(5) + 312_000_000, by: 1_000_003) {
            var machine = KeepaliveStateMachine(interval: .seconds(20), timeout: .seconds(10), now: start)
            for counter in 1...5 as ClosedRange<UInt64> {
                let due = machine.nextDeadline ?? 0
                #expect(due <= start + at(20 * Int64(counter)))
                #expect(machine.timerFired(now: due, lastByteAt: due) == .sendPing(counter))
                _ = machine.pongReceived(counter, now: due + 1)
                times.insert(due)
            }
        }
        #expect(times.count == 5)
        #expect(times.max() == at(105))
    }

    @Test func silenceIsFoundWithinIntervalAndTimeout() {
        var machine = machine()
        #expect(machine.timerFired(now: at(20), lastByteAt: at(0)) == .sendPing(1))
        #expect(machine.nextDeadline == at(30))
        #expect(machine.timerFired(now: at(30), lastByteAt: at(0)) == .fail)
    }

    @Test func anyByteIsLife() {
        var machine = machine()
        _ = machine.timerFired(now: at(20), lastByteAt: at(0))
        #expect(machine.timerFired(now: at(30), lastByteAt: at(25)) == .doNothing)
        #expect(machine.nextDeadline == at(40))
        #expect(machine.timerFired(now: at(40), lastByteAt: at(25)) == .sendPing(2))
        #expect(machine.nextDeadline == at(50))
        #expect(machine.timerFired(now: at(50), lastByteAt: at(25)) == .fail)
    }

    @Test func aPongAnswersItsPingAndThoseBefore() {
        var machine = machine()
        for counter in 1...3 as ClosedRange<UInt64> { machine.pingSent(counter, now: at(Int64(counter))) }
        #expect(machine.pongReceived(7, now: at(4)) == nil)
        #expect(machine.pongReceived(nil, now: at(4)) == nil)
        #expect(machine.pongReceived(2, now: at(5)) == .seconds(3))
        #expect(machine.pongReceived(1, now: at(6)) == nil)
        #expect(machine.pongReceived(3, now: at(7)) == .seconds(4))
        #expect(machine.pongReceived(3, now: at(8)) == nil)
    }

    @Test func pingsThatAreNeverAnsweredAreForgotten() {
        var machine = machine()
        for counter in 1...1000 as ClosedRange<UInt64> { machine.pingSent(counter, now: 0) }
        #expect(machine.pongReceived(984, now: at(1)) == nil)
        #expect(machine.pongReceived(985, now: at(1)) == .seconds(1))
    }

    @Test func nothingIsDueWhileReadingIsSuspended() {
        var machine = machine()
        _ = machine.timerFired(now: at(20), lastByteAt: at(0))
        machine.readingSuspended()
        #expect(machine.nextDeadline == nil)
        #expect(machine.timerFired(now: at(500), lastByteAt: at(0)) == .doNothing)
        machine.readingResumed(now: at(500))
        #expect(machine.timerFired(now: at(500), lastByteAt: at(0)) == .sendPing(2))
        #expect(machine.nextDeadline == at(510))
    }

    @Test func aDeadlineThatComesMuchTooLateGivesThePeerAnotherChance() {
        var machine = machine()
        _ = machine.timerFired(now: at(20), lastByteAt: at(0))
        // The process was suspended for a minute.
        #expect(machine.timerFired(now: at(90), lastByteAt: at(0)) == .sendPing(2))
        #expect(machine.timerFired(now: at(100), lastByteAt: at(0)) == .fail)
    }
}
