// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60)))
struct ReconnectPlanTests {
    private func at(_ seconds: Double) -> SessionTime { .zero.advanced(by: .seconds(seconds)) }

    private func policy(
        _ policy: ReconnectPolicy, _ change: (inout ReconnectPolicy) -> Void = { _ in }
    ) -> ReconnectPolicy {
        var policy = policy
        policy.backoff = ReconnectPolicy.Backoff(initial: .seconds(1), maximum: .seconds(8))
        change(&policy)
        return policy
    }

    // MARK: Modes

    @Test(arguments: [ReconnectPolicy.never, .onLoss])
    func aFirstAttemptThatFailsIsNotRepeated(_ mode: ReconnectPolicy) {
        var plan = ReconnectPlan(policy(mode), now: .zero)
        #expect(plan.attemptFailed(now: at(1), isRetryable: true, retryAfter: nil, share: 1) == .end(.notWanted))
    }

    @Test func alwaysRepeatsAFirstAttempt() {
        var plan = ReconnectPlan(policy(.always), now: .zero)
        #expect(
            plan.attemptFailed(now: at(1), isRetryable: true, retryAfter: nil, share: 1) == .retry(after: .seconds(2)))
        #expect(plan.attempt == 2)
        #expect(plan.attemptFailed(now: at(5), isRetryable: false, retryAfter: nil, share: 1) == .end(.notRetryable))
    }

    @Test func neverEndsWithTheConnection() {
        var plan = ReconnectPlan(policy(.never), now: .zero)
        plan.connected(now: .zero)
        #expect(plan.connectionEnded(now: at(60), code: nil, share: 1) == .end(.notWanted))
    }

    @Test(arguments: [UInt16?.none, 1001, 1005, 1006, 1011, 1012, 1013, 4000])
    func aLossIsFollowedByAnAttempt(_ code: UInt16?) {
        var plan = ReconnectPlan(policy(.onLoss), now: .zero)
        plan.connected(now: .zero)
        #expect(plan.connectionEnded(now: at(60), code: code, share: 1) == .retry(after: .seconds(1)))
        #expect(plan.attempt == 1)
    }

    @Test(arguments: [UInt16(1000), 1008])
    func aPeerThatEndsTheConnectionForGoodIsBelievedUnlessAlways(_ code: UInt16) {
        var plan = ReconnectPlan(policy(.onLoss), now: .zero)
        plan.connected(now: .zero)
        #expect(plan.connectionEnded(now: at(60), code: code, share: 1) == .end(.notWanted))
        plan = ReconnectPlan(policy(.always), now: .zero)
        plan.connected(now: .zero)
        #expect(plan.connectionEnded(now: at(60), code: code, share: 1) == .retry(after: .seconds(1)))
    }

    // MARK: Counting

    @Test func theTimeGrowsUntilAConnectionIsStable() {
        var plan = ReconnectPlan(policy(.onLoss), now: .zero)
        plan.connected(now: .zero)
        var times: [Duration] = []
        func note(_ step: ReconnectPlan.Step) {
            if case .retry(let delay) = step { times.append(delay) }
        }
        note(plan.connectionEnded(now: at(10), code: nil, share: 1))
        note(plan.attemptFailed(now: at(11), isRetryable: true, retryAfter: nil, share: 1))
        // Connected, but not for long.
        plan.connected(now: at(13))
        note(plan.connectionEnded(now: at(22.9), code: nil, share: 1))
        note(plan.attemptFailed(now: at(27), isRetryable: true, retryAfter: nil, share: 1))
        note(plan.attemptFailed(now: at(36), isRetryable: true, retryAfter: nil, share: 1))
        plan.connected(now: at(45))
        note(plan.connectionEnded(now: at(55), code: nil, share: 1))
        #expect(times == [1, 2, 4, 8, 8, 1].map { .seconds($0) })
    }

    /// With a clock that stands still, too.
    @Test func connectionsThatEndAtOnceAreNeverStable() {
        var plan = ReconnectPlan(
            policy(.always) {
                $0.stablePeriod = .zero
                $0.backoff.initial = .zero
                $0.maximumAttempts = 4
            }, now: .zero)
        var steps: [ReconnectPlan.Step] = []
        for _ in 1...4 {
            plan.connected(now: .zero)
            steps.append(plan.connectionEnded(now: .zero, code: nil, share: 1))
        }
        #expect(steps == [20, 40, 80].map { .retry(after: .milliseconds($0)) } + [.end(.attemptsExhausted)])
    }

    @Test func attemptsAreLimited() {
        var plan = ReconnectPlan(policy(.onLoss) { $0.maximumAttempts = 2 }, now: .zero)
        plan.connected(now: .zero)
        #expect(plan.connectionEnded(now: at(60), code: nil, share: 0) == .retry(after: .zero))
        #expect(
            plan.attemptFailed(now: at(61), isRetryable: true, retryAfter: nil, share: 0)
                == .retry(after: ReconnectPolicy.Backoff.floor))
        #expect(
            plan.attemptFailed(now: at(62), isRetryable: true, retryAfter: nil, share: 0) == .end(.attemptsExhausted))
    }

    @Test func theTimeWithoutAStableConnectionIsLimited() {
        var plan = ReconnectPlan(policy(.onLoss) { $0.maximumTime = .seconds(30) }, now: .zero)
        plan.connected(now: .zero)
        #expect(plan.connectionEnded(now: at(60), code: nil, share: 1) == .retry(after: .seconds(1)))
        plan.connected(now: at(61))
        // Short connections do not restart the time.
        #expect(plan.connectionEnded(now: at(62), code: nil, share: 1) == .retry(after: .seconds(2)))
        #expect(
            plan.attemptFailed(now: at(86), isRetryable: true, retryAfter: nil, share: 1) == .retry(after: .seconds(4)))
        #expect(
            plan.attemptFailed(now: at(89), isRetryable: true, retryAfter: nil, share: 0)
                == .retry(after: ReconnectPolicy.Backoff.floor))
        #expect(
            plan.attemptFailed(now: at(90), isRetryable: true, retryAfter: nil, share: 1) == .end(.timeExhausted))
    }

    /// The clock does not advance, as in some tests.
    @Test func theTimeBetweenAttemptsCountsUnderAnyClock() {
        var plan = ReconnectPlan(
            policy(.always) {
                $0.backoff = ReconnectPolicy.Backoff(initial: .zero, maximum: .zero)
                $0.maximumTime = .milliseconds(100)
            }, now: .zero)
        var attempts = 0
        while attempts < 1000,
            case .retry = plan.attemptFailed(now: .zero, isRetryable: true, retryAfter: nil, share: 0)
        {
            attempts += 1
        }
        #expect(attempts == 10)
    }

    @Test func theServersTimeIsHeeded() {
        var plan = ReconnectPlan(policy(.always), now: .zero)
        func next(_ seconds: Int) -> ReconnectPlan.Step {
            plan.attemptFailed(now: .zero, isRetryable: true, retryAfter: .seconds(seconds), share: 0)
        }
        #expect(next(20) == .retry(after: .seconds(20)))
        #expect(next(86_400) == .retry(after: .seconds(300)))
        #expect(next(-5) == .retry(after: ReconnectPolicy.Backoff.floor))
    }

    // MARK: Backoff

    @Test func onlyTheAttemptAfterAStableConnectionBeginsAtOnce() {
        let zero = ReconnectPolicy.Backoff(initial: .zero, maximum: .seconds(1))
        func delay(_ failures: Int, _ share: Double) -> Duration {
            zero.delay(failures: failures, retryAfter: nil, share: share)
        }
        #expect(delay(0, 1) == .zero)
        #expect((1...8).map { delay($0, 1) } == [20, 40, 80, 160, 320, 640, 1000, 1000].map { .milliseconds($0) })
        #expect((1...8).allSatisfy { delay($0, 0) == ReconnectPolicy.Backoff.floor })
        for maximum in [Duration.zero, .nanoseconds(1), .seconds(-1)] {
            let backoff = ReconnectPolicy.Backoff(initial: maximum, maximum: maximum)
            #expect(backoff.delay(failures: 1, retryAfter: nil, share: 0) == ReconnectPolicy.Backoff.floor)
        }
    }

    @Test(arguments: [0.0, 0.5, 1.0]) func withoutJitterTheTimeIsTheLimit(_ share: Double) {
        var backoff = ReconnectPolicy.Backoff(initial: .seconds(1), maximum: .seconds(5))
        backoff.jitter = .none
        #expect(
            (0...3).map { backoff.delay(failures: $0, retryAfter: nil, share: share) }
                == [1, 2, 4, 5].map { .seconds($0) })
    }

    @Test(arguments: zip([0.0, 0.25, 1.0], [0.01, 2.0, 8.0]))
    func theTimeIsARandomPartOfTheLimit(_ share: Double, _ seconds: Double) {
        let backoff = ReconnectPolicy.Backoff(initial: .seconds(1), maximum: .seconds(10))
        #expect(backoff.delay(failures: 3, retryAfter: nil, share: share) == .seconds(seconds))
    }

    @Test(arguments: [0, -1, 0.5, .nan, .infinity, 1e300])
    func noMultiplierTraps(_ multiplier: Double) {
        var backoff = ReconnectPolicy.Backoff(initial: .seconds(1), maximum: .seconds(10))
        backoff.multiplier = multiplier
        let delay = backoff.delay(failures: .max, retryAfter: nil, share: 1)
        #expect(delay == (multiplier > 1 ? .seconds(10) : .seconds(1)))
    }

    @Test func noTimeTraps() {
        let endless = Duration(secondsComponent: .max, attosecondsComponent: 0)
        let times: [Duration] = [.zero, .seconds(-1), .nanoseconds(1), endless]
        for initial in times {
            for maximum in times {
                let backoff = ReconnectPolicy.Backoff(initial: initial, maximum: maximum)
                for failures in [0, 1, 63, 64, 1100] {
                    let delay = backoff.delay(failures: failures, retryAfter: endless, share: 1)
                    #expect(delay >= .zero && delay <= .seconds(1e9))
                }
            }
        }
    }
}
