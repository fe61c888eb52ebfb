// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60))) struct ManualClockTests {
    private let clock = ManualClock()

    private var configuration: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.clock = clock
        return configuration
    }

    // MARK: Sleeping

    @Test func timeStandsStillUntilMoved() {
        #expect(clock.now.offset == .zero)
        clock.advance(by: .seconds(3))
        clock.advance(by: .milliseconds(1))
        #expect(clock.now.offset == .milliseconds(3001))
    }

    @Test func sleepersWakeInTheOrderOfTheirDeadlines() async throws {
        let log = EventLog<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    log.record(seconds)
                }
                await clock.waitForSleepers([3: 1, 1: 2, 2: 3][seconds] ?? 0)
            }
            #expect(clock.timeToNextWaking == .seconds(1))
            clock.advance(by: .seconds(1))
            await log.wait(count: 1)
            #expect(clock.sleeperCount == 2)
            #expect(clock.timeToNextWaking == .seconds(1))
            clock.advance(by: .seconds(1))
            await log.wait(count: 2)
            clock.advance(by: .seconds(100))
            await log.wait(count: 3)
            try await group.waitForAll()
        }
        #expect(log.elements == [1, 2, 3])
        #expect(clock.timeToNextWaking == nil)
    }

    @Test func deadlineInThePastDoesNotSleep() async throws {
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(5)), tolerance: nil)
        try await clock.sleep(for: .seconds(-1))
        #expect(clock.sleeperCount == 0)
    }

    /// The test waits for one of several sleepers.
    @Test func aSleeperIsKnownByWhenItIsDue() async throws {
        clock.advance(by: .seconds(7))
        let found = EventLog<Int>()
        let waiting = Task {
            await clock.waitForSleeper(dueIn: .seconds(5))
            found.record(1)
        }
        let other = Task { try await clock.sleep(for: .seconds(60)) }
        await clock.waitForSleepers(1)
        #expect(found.elements.isEmpty)
        let meant = Task { try await clock.sleep(for: .seconds(5)) }
        await waiting.value
        await clock.waitForSleeper(dueIn: .seconds(5))
        clock.advance(by: .seconds(5))
        try await meant.value
        await clock.waitForSleeper(dueIn: .seconds(55))
        other.cancel()
    }

    @Test func waitingForSleepersEndsWithItsTask() async {
        for isCancelledBefore in [false, true] {
            let waiting = Task {
                if isCancelledBefore { withUnsafeCurrentTask { $0?.cancel() } }
                await clock.waitForSleepers(1)
                await clock.waitForSleeper(dueIn: .seconds(1))
            }
            waiting.cancel()
            await waiting.value
        }
    }

    @Test func sleepIsCancelled() async {
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func cancelledTaskDoesNotSleep() async {
        let sleeper = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func clockServesWhoeverTakesAClock() async throws {
        let anyClock: any Clock<Duration> = clock
        let sleeper = Task { try await anyClock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await sleeper.value
    }

    // MARK: Expectations

    @Test func anExpectationThatIsNotMetNamesTheSleepers() async throws {
        let clock = ManualClock(patience: .milliseconds(20))
        let early = await #expect(throws: ScriptFailure.self) { try await clock.expectSleepers(1) }
        #expect(early?.description.hasSuffix("expected a sleeper, but after 0.02 seconds no task slept.") == true)
        let sleeping = Task { try await clock.sleep(for: .seconds(3)) }
        await clock.waitForSleepers(1)
        let failure = await #expect(throws: ScriptFailure.self) { try await clock.expectSleeper(dueIn: .seconds(5)) }
        #expect(
            failure?.description.hasSuffix(
                ": expected a sleeper due in 5.0 seconds, but after 0.02 seconds the sleepers were due in 3.0 seconds.")
                == true)
        try await clock.expectSleeper(dueIn: .seconds(3))
        clock.advance(by: .seconds(3))
        try await sleeping.value
    }

    @Test func anExpectationEndsWithItsTask() async {
        let clock = ManualClock(patience: .seconds(1000))
        let waiting = Task { try await clock.expectSleeper(dueIn: .seconds(1)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    // MARK: Sleepers of a session

    @Test func noSleeperIsLeftOfACallThatHasEnded() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector, configuration: configuration)
        try await client.connect()
        async let sum: Int = client.call("add", timeout: .seconds(5))
        let request = try await peer.expectRequest()
        try await clock.expectSleeper(dueIn: .seconds(5))
        try peer.reply(to: request, result: 1)
        #expect(try await sum == 1)
        #expect(clock.sleeperCount == 0)

        let refused = Task { try await client.call("add", as: Int.self, timeout: .seconds(6)) }
        let second = try await peer.expectRequest()
        try await clock.expectSleeper(dueIn: .seconds(6))
        try peer.reply(to: second, error: ErrorObject(code: 1, message: "no"))
        await #expect(throws: (any Error).self) { try await refused.value }
        #expect(clock.sleeperCount == 0)

        let cancelled = Task { try await client.call("add", as: Int.self, timeout: .seconds(7)) }
        try await clock.expectSleeper(dueIn: .seconds(7))
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.sleeperCount == 0)
        await client.close()
    }

    @Test func theTimerSleepsUntilTheEarliestDeadlineThatIsLeft() async throws {
        let peer = ScriptedPeer(matching: .anyOrder)
        let client = JSONRPCClient(connector: peer.connector, configuration: configuration)
        try await client.connect()
        let long = Task { try await client.call("long", as: Int.self, timeout: .seconds(50)) }
        try await clock.expectSleeper(dueIn: .seconds(50))
        async let short: Int = client.call("short", timeout: .seconds(5))
        try await clock.expectSleeper(dueIn: .seconds(5))
        try peer.reply(to: try await peer.expectRequest("short"), result: 1)
        #expect(try await short == 1)
        try await clock.expectSleeper(dueIn: .seconds(50))
        clock.advance(by: .seconds(50))
        let error = await #expect(throws: ClientError.self) { try await long.value }
        #expect(error?.code == .timedOut)
        await client.close()
    }

    // MARK: Closing

    @Test func aCloseThatWaitsForACallCanBeLeftWhileTheClockStands() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector, configuration: configuration)
        try await client.connect()
        let call = Task { try await client.call("never", as: Int.self, timeout: nil) }
        try await peer.expectRequest("never")
        let closing = Task { await client.close() }
        try await clock.expectSleeper(dueIn: configuration.drainTimeout)
        closing.cancel()
        await closing.value
        #expect(client.state == .closed)
        await #expect(throws: ClientError.self) { try await call.value }
    }

    // MARK: Transports in memory

    @Test(arguments: [true, false]) func aWaitForTheOutboxEnds(isCancelled: Bool) async throws {
        let (near, far) = InMemoryTransport.pair()
        await near.open(receiver: ScriptedPeer().receiver)
        await far.open(receiver: ScriptedPeer().receiver)
        let waiting = Task { try await near.waitForOutbox { $0 > 0 } }
        if isCancelled {
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        } else {
            near.dropConnection()
            try await waiting.value
        }
        near.dropConnection()
    }
}
