// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60)))
struct SessionTimerTests {
    /// A task that fires before ``SessionTimer/set(to:_:)`` has returned must still count as the timer's own.
    @Test func aTimerThatGoesOffAtOnceGoesOffAgain() async {
        let clock = anchored(ContinuousClock())
        for _ in 0..<2000 {
            let timer = SessionTimer(clock: clock)
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let count = Count()
            timer.set(to: clock.now) {
                if count.next() < 3 { return clock.now.advanced(byNanoseconds: 1000) }
                end.yield()
                return nil
            }
            for await _ in ends { break }
            timer.stop()
        }
    }

    private final class Count: Sendable {
        private let value = Atomic<Int>(0)

        func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
    }

    @Test func durationsBeyondTheRangeAreCut() {
        let ages = Duration.seconds(Int64.max) * 4
        #expect(SessionTime.nanoseconds(in: ages) == .max)
        #expect(SessionTime.nanoseconds(in: .zero - ages) == .min)
        #expect(SessionTime.nanoseconds(in: .nanoseconds(Int64.max)) == .max)
        #expect(SessionTime.nanoseconds(in: .nanoseconds(Int64.min + 1)) == .min + 1)
    }

    @Test func aTimeoutMayBeAnyNumber() {
        #expect(CallTimeout.seconds(.infinity) == .none)
        #expect(CallTimeout.seconds(1e300) == .none)
        #expect(CallTimeout.seconds(-.infinity) == .after(.zero))
        #expect(CallTimeout.seconds(.nan) == .after(.zero))
        #expect(CallTimeout.seconds(0.5) == .after(.milliseconds(500)))
    }
}
