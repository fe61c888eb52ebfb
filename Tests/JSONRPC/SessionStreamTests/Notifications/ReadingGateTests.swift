// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import Synchronization
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60))) struct ReadingGateTests {
    private final class Holder: Sendable {}

    private let router = NotificationRouter(clock: ContinuousClock())
    private let transport = InMemoryTransport.pair().0

    @Test func transportIsReadUnlessSomebodyHolds() {
        router.attach(transport)
        let (left, right) = (Holder(), Holder())
        #expect(transport.isReading)
        router.holdReading(left)
        router.holdReading(right)
        #expect(!transport.isReading)
        router.releaseReading(left)
        #expect(!transport.isReading)
        router.releaseReading(right)
        #expect(transport.isReading)
    }

    @Test func releaseCanOvertakeItsHold() {
        router.attach(transport)
        let holder = Holder()
        router.releaseReading(holder)
        #expect(transport.isReading)
        router.holdReading(holder)
        #expect(transport.isReading)
        router.holdReading(holder)
        #expect(!transport.isReading)
    }

    @Test func holdIsAppliedToTheNextTransport() {
        let holder = Holder()
        router.holdReading(holder)
        router.attach(transport)
        #expect(!transport.isReading)
        let next = InMemoryTransport.pair().0
        router.attach(next)
        #expect(!next.isReading)
        router.attach(nil)
        router.releaseReading(holder)
        #expect(!next.isReading)
        router.attach(next)
    }

    @Test func lastWordIsTheRightOne() async {
        router.attach(transport)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let holder = Holder()
                    for _ in 0..<500 {
                        router.holdReading(holder)
                        router.releaseReading(holder)
                    }
                }
            }
        }
        #expect(transport.isReading)
    }
}
