// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
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

    private func untilWaiting(_ count: Int, _ rpc: JSONRPCHTTPClient) async {
        while rpc.poster.gate.waitingCount != count { await Task.yield() }
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
            if number < 2 { await server.arrivals.wait(count: number + 1) } else { await untilWaiting(number - 1, rpc) }
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
        await untilWaiting(1, rpc)
        let third = Task { try await rpc.call(Subtract(2)) }
        await untilWaiting(2, rpc)
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
        await untilWaiting(1, rpc)
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
                    gate.leave()
                })
            while gate.waitingCount != number + 1 { await Task.yield() }
        }
        for number in stride(from: 0, to: 3000, by: 3) { tasks[number].cancel() }
        for number in stride(from: 0, to: 3000, by: 3) { _ = await tasks[number].result }
        gate.leave()
        for task in tasks { _ = await task.result }
        #expect(passed.elements == (0..<3000).filter { $0 % 3 != 0 })
        #expect(gate.waitingCount == 0)
    }
}
