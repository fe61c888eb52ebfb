// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

@testable import Sockets

@Suite(.inTurn) struct TimerHeapTests {
    private final class Timer: HeapTimer {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    @Test func timersAreTakenInTheOrderOfTheirTimes() {
        var heap = TimerHeap<Timer>()
        for number in [5, 1, 4, 1, 3] { heap.set(Timer(number), to: Int64(number)) }
        #expect(heap.earliest == 1 && heap.count == 5)
        #expect(heap.takeDue(now: 0) == nil)
        var taken: [Int] = []
        while let timer = heap.takeDue(now: 4) { taken.append(timer.number) }
        #expect(taken == [1, 1, 3, 4])
        #expect(heap.earliest == 5)
    }

    @Test(arguments: 0..<50 as Range<UInt64>) func itBehavesLikeASortedList(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var heap = TimerHeap<Timer>()
        let timers = (0..<60).map(Timer.init)
        var times: [Int: Int64] = [:]
        for _ in 0..<2000 {
            let timer = timers.randomElement(using: &random) ?? timers[0]
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                heap.remove(timer)
                times[timer.number] = nil
            case 1:
                let now = Int64.random(in: 0..<100, using: &random)
                let due = heap.takeDue(now: now)
                #expect(due.flatMap { times[$0.number] } == times.values.min().flatMap { $0 <= now ? $0 : nil })
                if let due { times[due.number] = nil }
            default:
                let instant = Int64.random(in: 0..<100, using: &random)
                heap.set(timer, to: instant)
                times[timer.number] = instant
            }
            #expect(heap.count == times.count && heap.earliest == times.values.min())
            #expect(timer.due == times[timer.number])
        }
    }
}

@Suite(.inTurn) struct DurationTests {
    @Test func durationsBeyondReasonAreHeldAtTheEnds() {
        #expect(Duration.seconds(Int64.max).wholeNanoseconds > 0)
        #expect(Duration.seconds(-5).wholeNanoseconds == 0)
        #expect(Duration.milliseconds(1).wholeNanoseconds == 1_000_000)
    }

    /// A negative number of milliseconds lets `poll` wait without limit, so an expired time was never noticed.
    @Test(arguments: [.nanoseconds(-1), .milliseconds(-2), .milliseconds(-999), .seconds(-5)] as [Duration])
    func aTimeThatHasPassedIsNotWaitedFor(time: Duration) {
        #expect(time.wholeNanoseconds == 0)
        #expect(time.pollMilliseconds == 0)
    }
}
