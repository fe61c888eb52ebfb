// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits
import TestTurns
import Testing

@Suite(.inTurn)
struct BackoffTests {
    @Test func theLimitGrowsUpToTheMaximum() {
        let pauses = (-1...8).map {
            Duration.backoff(after: $0, initial: .milliseconds(200), maximum: .seconds(20), share: 1)
        }
        let expected = [200, 200, 400, 800, 1600, 3200, 6400, 12_800, 20_000, 20_000]
        #expect(pauses == expected.map { .milliseconds($0) })
    }

    @Test(
        arguments: [
            (1, 10), (1.5, 15), (3, 30), (0, 10), (-2, 10), (.nan, 10), (.infinity, 70), (1e300, 70),
        ] as [(Double, Int)])
    func theMultiplierIsTheGrowth(_ multiplier: Double, _ seconds: Int) {
        let pause = Duration.backoff(
            after: 1, initial: .seconds(10), multiplier: multiplier, maximum: .seconds(70), share: 1)
        #expect(pause == .seconds(seconds))
    }

    @Test(
        arguments: [
            (0, 0), (0.25, 1), (1, 4), (-1, 0), (7, 4), (.nan, 0), (.infinity, 4),
        ] as [(Double, Int)])
    func thePauseIsAPartOfTheLimit(_ share: Double, _ seconds: Int) {
        #expect(
            Duration.backoff(after: 2, initial: .seconds(1), maximum: .seconds(10), share: share) == .seconds(seconds))
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func withoutALimitThereIsNoPause(_ limit: Duration) {
        #expect(Duration.backoff(after: .max, initial: limit, maximum: .seconds(1), share: 1) == .zero)
        #expect(Duration.backoff(after: .max, initial: .seconds(1), maximum: limit, share: 1) == .zero)
    }

    @Test func noTimeTraps() {
        let times: [Duration] = [
            .zero, .seconds(-1), .nanoseconds(1), .seconds(1), .seconds(Int64.max / 4),
            Duration(secondsComponent: 0, attosecondsComponent: 1),
            Duration(secondsComponent: .max, attosecondsComponent: 0),
            Duration(secondsComponent: .min, attosecondsComponent: 0),
        ]
        let attempts: [(failures: Int, share: Double)] = [
            (0, 1), (1, 0.3), (63, 1), (64, 0.999), (1100, 1), (.max, 1),
        ]
        for initial in times {
            for maximum in times {
                for (failures, share) in attempts {
                    let pause = Duration.backoff(after: failures, initial: initial, maximum: maximum, share: share)
                    #expect(pause >= .zero && pause <= max(.zero, maximum) && pause <= .seconds(1_000_000_000))
                }
            }
        }
    }
}
