// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCCore
import Synchronization
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCHTTP

@Suite(.inTurn(within: .seconds(60)))
struct RequestGateTests {
    /// A server that answers when its door for the request is open.
    private static func server(_ doors: [Door]) -> FakeServer {
        FakeServer { arrival in
            try await doors[FakeServer.difference(arrival.json)].pass()
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
    }

    private func untilWaiting(_ count: Int, _ rpc: JSONRPCHTTPClient) async throws {
        try await yieldUntil("\(count) POSTs wait") { rpc.poster.gate.waitingCount == count }
    }

    @Test func postsBeyondTheLimitWaitInOrder() async throws {
        let doors = (0..<5).map { _ in Door() }
        let server = Self.server(doors)
        let reports = EventLog<PostReport>()
        let rpc = JSONRPCHTTPClient.over(server) {
            $0.maximumRequestsInFlight = 2
            $0.observe = { if case .posted(let report) = $0 { reports.record(report) } }
        }
        var tasks: [Task<Int, any Error>] = []
        for number in 0..<5 {
            tasks.append(Task { try await rpc.call(Subtract(number)) })
            if number < 2 {
                await server.arrivals.wait(count: number + 1)
            } else {
                try await untilWaiting(number - 1, rpc)
            }
        }
        #expect(server.arrivals.elements.count == 2)
        for number in 0..<5 {
            doors[number].open()
            #expect(try await tasks[number].value == number)
            await server.arrivals.wait(count: min(5, number + 3))
        }
        #expect(server.arrivals.elements.map { FakeServer.difference($0.json) } == [0, 1, 2, 3, 4])
        #expect(reports.elements.count == 5)
        #expect(reports.elements.allSatisfy { $0.members == 1 && $0.status == .ok && $0.missing == 0 })
        #expect(reports.elements.allSatisfy { $0.sentBytes > 50 && $0.receivedBytes > 30 && $0.attempt == 1 })
    }

    @Test func aWaitingPostCanBeCancelledAndGivesItsPlaceAway() async throws {
        let doors = (0..<3).map { _ in Door() }
        let server = Self.server(doors)
        let rpc = JSONRPCHTTPClient.over(server) { $0.maximumRequestsInFlight = 1 }
        let first = Task { try await rpc.call(Subtract(0)) }
        await server.arrivals.wait(count: 1)
        let second = Task { try await rpc.call(Subtract(1)) }
        try await untilWaiting(1, rpc)
        let third = Task { try await rpc.call(Subtract(2)) }
        try await untilWaiting(2, rpc)
        second.cancel()
        #expect(await error { try await second.value } is CancellationError)
        for door in doors { door.open() }
        #expect(try await first.value == 0)
        #expect(try await third.value == 2)
        #expect(server.arrivals.elements.count == 2)
    }

    @Test func theQueueIsBounded() async throws {
        let doors = (0..<2).map { _ in Door() }
        let server = Self.server(doors)
        let rpc = JSONRPCHTTPClient.over(server) {
            $0.maximumRequestsInFlight = 1
            $0.maximumWaitingRequests = 1
        }
        let first = Task { try await rpc.call(Subtract(0)) }
        await server.arrivals.wait(count: 1)
        let second = Task { try await rpc.call(Subtract(1)) }
        try await untilWaiting(1, rpc)
        let failure = try #require(await error { try await rpc.call(Subtract(1)) } as? ClientError)
        guard case .tooManyWaiting(limit: 1)? = failure.cause as? JSONRPCHTTPError else {
            Issue.record("The cause is \(String(describing: failure.cause)).")
            return
        }
        #expect(failure.delivery == .notSent)
        #expect(failure.isRetryable)
        for door in doors { door.open() }
        #expect(try await (first.value, second.value) == (0, 1))
    }

    @Test func aTimeoutInTheQueueSaysThatNothingWasSent() async throws {
        let door = Door()
        let server = Self.server([door])
        let rpc = JSONRPCHTTPClient.over(server) { $0.maximumRequestsInFlight = 1 }
        let first = Task { try await rpc.call(Subtract(0)) }
        await server.arrivals.wait(count: 1)
        let failure = await error { try await rpc.call(Subtract(0), timeout: .milliseconds(5)) } as? ClientError
        #expect(failure?.code == .timedOut)
        #expect(failure?.delivery == .notSent)
        door.open()
        #expect(try await first.value == 0)
        #expect(server.arrivals.elements.count == 1)
    }

    @Test func manyWaitersPassOneAfterTheOther() async throws {
        let gate = RequestGate(limit: 1, maximumWaiting: .max)
        let passed = EventLog<Int>()
        try await gate.enter()
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<3000 {
            tasks.append(
                Task {
                    try await gate.enter()
                    passed.record(number)
                    gate.leave(isAnswered: true)
                })
            try await yieldUntil("task \(number) waits") { gate.waitingCount == number + 1 }
        }
        for number in stride(from: 0, to: 3000, by: 3) { tasks[number].cancel() }
        for number in stride(from: 0, to: 3000, by: 3) { _ = await tasks[number].result }
        gate.leave(isAnswered: true)
        for task in tasks { _ = await task.result }
        #expect(passed.elements == (0..<3000).filter { $0 % 3 != 0 })
        #expect(gate.waitingCount == 0)
    }

    /// If a wait is cancelled when it gets a place, another wait gets the place.
    @Test func noPlaceIsLostToACancellation() async throws {
        let gate = RequestGate(limit: 2)
        let inUse = Counter()
        let excesses = EventLog<Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                let task = Task {
                    try await gate.enter()
                    let count = inUse.add(1)
                    if count > 2 { excesses.record(count) }
                    await Task.yield()
                    inUse.add(-1)
                    gate.leave(isAnswered: true)
                }
                if number.isMultiple(of: 2) { group.addTask { task.cancel() } }
                group.addTask { _ = await task.result }
            }
        }
        #expect(excesses.elements.isEmpty)
        #expect(gate.waitingCount == 0)
        try await gate.enter()
        try await gate.enter()
        let third = Task { try await gate.enter() }
        try await yieldUntil("the third task waits") { gate.waitingCount == 1 }
        gate.leave(isAnswered: true)
        try await third.value
    }

    // MARK: Servers with fewer connections

    /// A server that refuses connections beyond three.
    private static func crowded(isUnsent: Bool) -> FakeServer {
        let inUse = Counter()
        return FakeServer { arrival in
            let number = inUse.add(1)
            defer { inUse.add(-1) }
            if number > 3 {
                throw HTTPTransportError(
                    isUnsent ? .cannotConnect : .connectionLost, "too many", isRequestUnsent: isUnsent)
            }
            for _ in 0..<3 { await Task.yield() }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
    }

    @Test func aServerWithFewConnectionsAnswersAllCallsThatItCouldNotTakeAtOnce() async throws {
        let rpc = JSONRPCHTTPClient.over(Self.crowded(isUnsent: true)) { $0.maximumRequestsInFlight = 64 }
        let results = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 { group.addTask { try await rpc.call(Subtract(number)) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(results == Set(0..<200))
        #expect(rpc.poster.gate.waitingCount == 0)
    }

    /// A POST that may have been executed is not sent again, and the client uses fewer connections afterwards.
    @Test func aClosedConnectionFailsItsCallAndLowersTheLimit() async throws {
        let server = Self.crowded(isUnsent: false)
        let rpc = JSONRPCHTTPClient.over(server)
        let idempotent = CallOptions(extraMembers: ExtraMembers(), isIdempotent: true)
        let failures = await withTaskGroup(of: CallError?.self) { group in
            for number in 0..<100 {
                group.addTask {
                    do {
                        _ = try await rpc.call("subtract", params: [number, 0], as: Int.self, options: idempotent)
                        return nil
                    } catch {
                        return CallError(error)
                    }
                }
            }
            return await group.reduce(into: [CallError]()) { failures, failure in failure.map { failures.append($0) } }
        }
        #expect(!failures.isEmpty && failures.count < 100)
        #expect(failures.allSatisfy { $0.delivery == .outcomeUnknown && $0.clientError?.code == .connectionLost })
        #expect(server.arrivals.elements.count == 100)
        #expect(rpc.poster.gate.limit < 64)
    }

    @Test func aServerThatRefusesAllConnectionsFailsAllCalls() async throws {
        let server = FakeServer { _ in throw HTTPTransportError(.cannotConnect, "refused", isRequestUnsent: true) }
        let rpc = JSONRPCHTTPClient.over(server)
        let failures = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask { await rpc.result(of: Subtract(number)).callError?.delivery == .notSent }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(failures == 100)
        #expect(server.arrivals.elements.count <= 400)
    }

    @Test func theLimitIsHalvedByARefusalAndGrowsWithAnswers() async throws {
        let gate = RequestGate(limit: 8, maximumWaiting: 100)
        for _ in 0..<8 { try await gate.enter() }
        #expect(gate.leaveRefused())
        #expect(gate.limit == 4)
        for _ in 0..<7 { gate.leave(isAnswered: false) }
        try await gate.enter()
        #expect(!gate.leaveRefused())
        #expect(gate.limit == 4)
        for _ in 0..<100 {
            try await gate.enter()
            gate.leave(isAnswered: true)
        }
        #expect(gate.limit == 8)
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    @discardableResult func add(_ number: Int) -> Int {
        value.withLock { value in
            value += number
            return value
        }
    }
}
