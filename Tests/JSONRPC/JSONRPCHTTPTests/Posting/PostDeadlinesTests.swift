// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

@testable import HTTPRequests
@testable import JSONRPCHTTP

@Suite(.inTurn(within: .seconds(60)))
struct PostDeadlinesTests {
    private let clock = ManualClock()
    private let door = Door()
    private let begun = EventLog<Int>()

    /// Starts an operation that waits at a door, with a deadline in a number of seconds.
    private func start(
        _ seconds: Int, _ deadlines: TimeKeeper, at door: Door = Door()
    ) async -> Task<Bool, any Error> {
        let deadline = deadlines.clock.now.advanced(by: .seconds(seconds))
        let count = begun.elements.count
        let task = Task {
            try await deadlines.run(until: deadline) {
                begun.record(seconds)
                try await door.pass()
            }
        }
        await begun.wait(count: count + 1)
        return task
    }

    /// The clock is at zero when an operation starts, so each deadline is a time of the clock.
    @Test func eachOperationEndsAtItsOwnDeadline() async throws {
        let deadlines = TimeKeeper(clock: ClientClock(anchored(clock)))
        let five = await start(5, deadlines)
        let three = await start(3, deadlines)
        let eight = await start(8, deadlines, at: door)
        await clock.waitForSleeper(dueIn: .seconds(3))
        clock.advance(by: .seconds(3))
        #expect(try await !three.value)
        await clock.waitForSleeper(dueIn: .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(try await !five.value)
        await clock.waitForSleeper(dueIn: .seconds(3))
        door.open()
        #expect(try await eight.value)
    }

    @Test func operationsWithOneDeadlineEndTogether() async throws {
        let deadlines = TimeKeeper(clock: ClientClock(anchored(clock)))
        var tasks: [Task<Bool, any Error>] = []
        for _ in 0..<20 { tasks.append(await start(5, deadlines)) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        for task in tasks { #expect(try await !task.value) }
        #expect(deadlines.runningCount == 0)
    }

    @Test func aCancelledCallerEndsItsOperation() async throws {
        let deadlines = TimeKeeper(clock: ClientClock(anchored(clock)))
        let (first, second) = (await start(5, deadlines), await start(5, deadlines, at: door))
        first.cancel()
        #expect(await error { try await first.value } is CancellationError)
        door.open()
        #expect(try await second.value)
        #expect(deadlines.runningCount == 0)
    }

    @Test func anOperationOfACancelledCallerIsCancelledFromTheBeginning() async throws {
        let deadlines = TimeKeeper(clock: ClientClock(anchored(clock)))
        let deadline = deadlines.clock.now.advanced(by: .seconds(5))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await deadlines.run(until: deadline) { try await door.pass() }
        }
        #expect(await error { try await task.value } is CancellationError)
    }

    @Test func anOperationThatSucceedsInSpiteOfItsDeadlineCounts() async throws {
        let deadlines = TimeKeeper(clock: ClientClock(anchored(clock)))
        let deadline = deadlines.clock.now.advanced(by: .seconds(5))
        async let hasRun = deadlines.run(until: deadline) {
            begun.record(0)
            try? await door.pass()
        }
        await begun.wait(count: 1)
        await clock.waitForSleeper(dueIn: .seconds(5))
        clock.advance(by: .seconds(5))
        #expect(try await hasRun)
    }

    @Test func errorsOfTheOperationAreThrown() async throws {
        struct Failure: Error {}
        let deadlines = TimeKeeper(clock: ClientClock(anchored(clock)))
        let deadline = deadlines.clock.now.advanced(by: .seconds(5))
        let failure = await error { try await deadlines.run(until: deadline) { throw Failure() } }
        #expect(failure is Failure)
        #expect(deadlines.runningCount == 0)
    }

    /// The system's clock, and calls with different timeouts.
    @Test func callsTimeOutByTheClockOfTheSystem() async throws {
        let server = FakeServer { arrival in
            let number = FakeServer.difference(arrival.json)
            if number > 0 { try await (number == 2 ? door : Door()).pass() }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = JSONRPCHTTPClient.over(server)
        async let slow = rpc.result(of: Subtract(1), timeout: .milliseconds(20))
        async let patient = rpc.result(of: Subtract(2), timeout: .seconds(3600))
        #expect(try await rpc.call(Subtract(0)) == 0)
        let failure = await slow.callError?.clientError
        #expect(failure?.code == .timedOut)
        door.open()
        #expect(await patient == .success(2))
    }
}

extension TimeKeeper {
    /// Runs an operation as a `Poster` runs a POST. Returns `false` if the deadline has ended it.
    fileprivate func run(
        until deadline: ContinuousClock.Instant, _ operation: @escaping @Sendable () async throws -> Void
    ) async throws -> Bool {
        let part = PartOfRequest(operation)
        if await run(part, until: deadline), case .failure = part.outcome { return false }
        try part.outcome.get()
        return true
    }
}
