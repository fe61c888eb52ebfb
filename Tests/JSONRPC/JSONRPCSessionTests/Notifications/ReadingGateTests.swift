// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import Synchronization
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60))) struct ReadingGateTests {
    private final class Holder: Sendable {}

    private let gate = ReadingGate()
    private let transport = InMemoryTransport.pair().0

    @Test func transportIsReadUnlessSomebodyHolds() {
        gate.attach(transport)
        let (left, right) = (Holder(), Holder())
        #expect(transport.isReading)
        gate.hold(left)
        gate.hold(right)
        #expect(!transport.isReading)
        gate.release(left)
        #expect(!transport.isReading)
        gate.release(right)
        #expect(transport.isReading)
    }

    @Test func releaseCanOvertakeItsHold() {
        gate.attach(transport)
        let holder = Holder()
        gate.release(holder)
        #expect(transport.isReading)
        gate.hold(holder)
        #expect(transport.isReading)
        gate.hold(holder)
        #expect(!transport.isReading)
    }

    @Test func holdIsAppliedToTheNextTransport() {
        let holder = Holder()
        gate.hold(holder)
        gate.attach(transport)
        #expect(!transport.isReading)
        let next = InMemoryTransport.pair().0
        gate.attach(next)
        #expect(!next.isReading)
        gate.attach(nil)
        gate.release(holder)
        #expect(!next.isReading)
        gate.attach(next)
    }

    @Test func lastWordIsTheRightOne() async {
        gate.attach(transport)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let holder = Holder()
                    for _ in 0..<500 {
                        gate.hold(holder)
                        gate.release(holder)
                    }
                }
            }
        }
        #expect(transport.isReading)
    }
}
