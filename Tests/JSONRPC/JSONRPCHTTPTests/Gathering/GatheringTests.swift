// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCHTTP

@Suite(.inTurn(within: .seconds(60)))
struct GatheringTests {
    private let clock = ManualClock()

    private func client(
        _ server: FakeServer, _ gathering: CallGathering, _ change: (inout JSONRPCHTTPOptions) -> Void = { _ in }
    ) -> JSONRPCHTTPClient {
        .over(server, configuration: .with { $0.clock = clock }) {
            $0.gathering = gathering
            change(&$0)
        }
    }

    /// Waits until a number of calls wait for others, by turns of the executor instead of time.
    private func untilGathered(_ count: Int, _ rpc: JSONRPCHTTPClient) async throws {
        try await yieldUntil("\(count) calls are gathered") { rpc.scheduler?.gatheredCount == count }
    }

    @Test func withoutGatheringEachCallIsAPost() async throws {
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient.over(server)
        async let first = rpc.call(Subtract(1))
        async let second = rpc.call(Subtract(2))
        #expect(try await (first, second) == (1, 2))
        #expect(server.arrivals.elements.map(\.isArray) == [false, false])
    }

    @Test func callsWithinTheWindowShareAPost() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server, CallGathering(window: .milliseconds(5)))
        let tasks = (1...3).map { number in Task { try await rpc.call(Subtract(number)) } }
        try await untilGathered(3, rpc)
        #expect(server.arrivals.elements.isEmpty)
        await clock.waitForSleeper(dueIn: .milliseconds(5))
        clock.advance(by: .milliseconds(5))
        for (index, task) in tasks.enumerated() { #expect(try await task.value == index + 1) }
        #expect(server.arrivals.elements.map(\.members.count) == [3])
    }

    @Test func aCallThatStaysAloneIsAnObject() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server, CallGathering())
        #expect(try await rpc.call(Subtract(1)) == 1)
        #expect(server.arrivals.elements.map(\.isArray) == [false])
    }

    @Test func aWindowOfZeroNeedsNoTimer() async throws {
        let server = FakeServer.arithmetic()
        // Nothing advances the clock, so a timer would never end.
        let rpc = client(server, CallGathering(window: .zero))
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 { group.addTask { try await rpc.call(Subtract(number), timeout: nil) } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 4950)
        #expect(server.arrivals.elements.reduce(0) { $0 + $1.members.count } == 100)
    }

    @Test(arguments: [1, 10, 100, 1000]) func callersShareAsFewPostsAsTheLimitAllows(callers: Int) async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server, CallGathering(window: .seconds(1), maximumMembers: 100, maximumBytes: .max))
        let tasks = (0..<callers).map { number in Task { try await rpc.call(Subtract(number)) } }
        if callers % 100 != 0 {
            try await untilGathered(callers % 100, rpc)
            await clock.waitForSleeper(dueIn: .seconds(1))
            clock.advance(by: .seconds(1))
        }
        for (number, task) in tasks.enumerated() { #expect(try await task.value == number) }
        #expect(server.arrivals.elements.count == (callers + 99) / 100)
        #expect(server.arrivals.elements.allSatisfy { $0.members.count == min(100, callers) })
        #expect(Set(server.arrivals.elements.flatMap(\.ids).compactMap(\.intValue)).count == callers)
    }

    @Test func flushEndsTheWindow() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server, CallGathering(window: .seconds(3600)))
        let tasks = (1...2).map { number in Task { try await rpc.call(Subtract(number)) } }
        try await untilGathered(2, rpc)
        rpc.flush()
        for (index, task) in tasks.enumerated() { #expect(try await task.value == index + 1) }
        #expect(server.arrivals.elements.map(\.members.count) == [2])
    }

    @Test func bytesCutAWindowAndALongCallGoesAlone() async throws {
        let server = FakeServer { .each($0) { #""result":\#($0["params"]?[0] ?? .null)"# } }
        let text = String(repeating: "x", count: 100)
        let member = #"{"jsonrpc":"2.0","id":1,"method":"echo","params":[""# + text + #""]}"#
        // Two brackets, and three members with a comma each. The last member needs none.
        let limit = 3 * member.utf8.count + 5
        let rpc = client(server, CallGathering(window: .seconds(1), maximumBytes: limit))
        func gather(_ text: String, then count: Int) async throws -> Task<String, any Error> {
            let task = Task { try await rpc.call("echo", params: [text], as: String.self) }
            try await untilGathered(count, rpc)
            return task
        }
        var tasks: [Task<String, any Error>] = []
        for count in 1...2 { tasks.append(try await gather(text, then: count)) }
        tasks.append(try await gather(text, then: 0))
        tasks.append(try await gather(text, then: 1))
        tasks.append(try await gather(String(repeating: "y", count: limit), then: 0))
        for task in tasks { _ = try await task.value }
        let arrivals = server.arrivals.elements.sorted { $0.ids[0].intValue ?? 0 < $1.ids[0].intValue ?? 0 }
        #expect(arrivals.map(\.members.count) == [3, 1, 1])
        #expect(arrivals[0].body.count == limit - 1)
        #expect(arrivals[2].body.count > limit)
    }

    @Test func differentHeaderFieldsTimeoutsAndPrioritiesDoNotShare() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server, CallGathering(window: .seconds(1), maximumMembers: 8))
        let other = rpc.adding(headerFields: [.authorization: "other"])
        let tasks = [
            Task(priority: .medium) { try await rpc.call(Subtract(1)) },
            Task(priority: .medium) { try await rpc.call(Subtract(2)) },
            Task(priority: .medium) { try await other.call(Subtract(3)) },
            Task(priority: .medium) { try await other.call(Subtract(4)) },
            Task(priority: .medium) { try await rpc.call(Subtract(5), timeout: .seconds(9)) },
            Task(priority: .medium) { try await rpc.call(Subtract(6), timeout: .seconds(9)) },
            Task(priority: .low) { try await rpc.call(Subtract(7)) },
            Task(priority: .low) { try await rpc.call(Subtract(8)) },
        ]
        for (index, task) in tasks.enumerated() { #expect(try await task.value == index + 1) }
        let groups = server.arrivals.elements.map { arrival in
            Set(arrival.members.compactMap { $0["params"]?[0]?.intValue })
        }
        #expect(Set(groups) == [[1, 2], [3, 4], [5, 6], [7, 8]])
        for arrival in server.arrivals.elements {
            let isOther = arrival.members.contains { $0["params"]?[0] == 3 }
            #expect(arrival.request.headerFields[.authorization] == (isOther ? "other" : nil))
        }
    }

    @Test func methodsCanBeSentAlone() async throws {
        let server = FakeServer.arithmetic()
        var gathering = CallGathering(window: .seconds(3600))
        gathering.sendsAlone = { $0 == "subtract" }
        #expect(try await client(server, gathering).call(Subtract(1)) == 1)
    }

    @Test func batchesAndNotificationsDoNotWait() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server, CallGathering(window: .seconds(3600)))
        try await rpc.call(Log("x"))
        #expect(try await rpc.batch([Subtract(1), Subtract(2)]) == [.success(1), .success(2)])
        #expect(server.arrivals.elements.map(\.members.count) == [1, 2])
    }

    @Test func cancellingOneCallOfAHundredLeavesTheOthersAlone() async throws {
        let door = Door()
        let server = FakeServer { arrival in
            try await door.pass()
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = client(server, CallGathering(window: .seconds(1), maximumMembers: 100))
        let tasks = (0..<100).map { number in Task { try await rpc.call(Subtract(number)) } }
        await server.arrivals.wait(count: 1)
        tasks[42].cancel()
        #expect(await error { try await tasks[42].value } is CancellationError)
        #expect(server.cancellations.elements.isEmpty)
        door.open()
        for (number, task) in tasks.enumerated() where number != 42 { #expect(try await task.value == number) }
        #expect(server.arrivals.elements.count == 1)
        #expect(server.cancellations.elements.isEmpty)
    }

    @Test func cancellingAllCallsCancelsThePost() async throws {
        let door = Door()
        let server = FakeServer { _ in
            try await door.pass()
            return .text("")
        }
        let rpc = client(server, CallGathering(window: .seconds(1), maximumMembers: 10))
        let tasks = (0..<10).map { number in Task { try await rpc.call(Subtract(number)) } }
        await server.arrivals.wait(count: 1)
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await error { try await task.value } is CancellationError) }
        #expect(await server.cancellations.wait(count: 1) == [0])
    }

    @Test func aCallThatIsCancelledInTheWindowIsNotSent() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server, CallGathering(window: .seconds(1)))
        let first = Task { try await rpc.call(Subtract(1)) }
        try await untilGathered(1, rpc)
        let second = Task { try await rpc.call(Subtract(2)) }
        try await untilGathered(2, rpc)
        first.cancel()
        #expect(await error { try await first.value } is CancellationError)
        rpc.flush()
        #expect(try await second.value == 2)
        #expect(server.arrivals.elements.map(\.ids) == [[2]])
    }

    @Test func aTimeoutEndsTheCallsOfItsPostAlone() async throws {
        let door = Door()
        let server = FakeServer { arrival in
            if arrival.members.contains(where: { $0["params"]?[0] == 1 }) { try await door.pass() }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = client(server, CallGathering(window: .seconds(1), maximumMembers: 3))
        let short = (1...2).map { number in
            Task { await rpc.result(of: Subtract(number), timeout: .seconds(5)) }
        }
        let long = Task { try await rpc.call(Subtract(3), timeout: .seconds(50)) }
        #expect(try await long.value == 3)
        await clock.waitForSleeper(dueIn: .seconds(5))
        clock.advance(by: .seconds(5))
        for task in short { #expect(await task.value.callError?.clientError?.code == .timedOut) }
    }

    @Test func interceptorsSeeTheCallsBeforeTheyAreGathered() async throws {
        struct Doubling: CallInterceptor {
            func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
                RawJSON(JSONValue((try JSONValue(try await next(call)).intValue ?? 0) * 2))
            }
        }
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient.over(server, configuration: .with { $0.calls.interceptors = [Doubling()] }) {
            $0.gathering = CallGathering(window: .seconds(3600), maximumMembers: 2)
        }
        async let first = rpc.call(Subtract(1))
        async let second = rpc.call(Subtract(2))
        #expect(try await (first, second) == (2, 4))
        #expect(server.arrivals.elements.map(\.members.count) == [2])
    }
}
