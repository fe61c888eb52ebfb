// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCHTTP

/// Identical calls that are in flight at the same time.
@Suite(.inTurn(within: .seconds(60)))
struct SharedCallTests {
    /// A server that answers `subtract` when the door is open.
    private static func server(_ door: Door) -> FakeServer {
        FakeServer { arrival in
            try await door.pass()
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
    }

    private func client(_ server: FakeServer, _ change: (inout JSONRPCHTTPOptions) -> Void = { _ in })
        -> JSONRPCHTTPClient
    {
        .over(server) {
            $0.sharesIdenticalCalls = true
            $0.retry = MemberRetryPolicy()
            $0.retry?.isIdempotent = { $0 == "subtract" }
            change(&$0)
        }
    }

    private func untilWaiting(_ count: Int, _ rpc: JSONRPCHTTPClient) async throws {
        try await yieldUntil("\(count) calls wait") { rpc.sharing?.waitingCount == count }
    }

    @Test func identicalCallsShareOnePost() async throws {
        let door = Door()
        let server = Self.server(door)
        let rpc = client(server)
        let tasks = (0..<100).map { number in Task { try await rpc.call(Subtract(42, number % 2)) } }
        try await untilWaiting(100, rpc)
        door.open()
        for (number, task) in tasks.enumerated() { #expect(try await task.value == 42 - number % 2) }
        #expect(server.arrivals.elements.count == 2)
        // The result is not kept.
        #expect(try await rpc.call(Subtract(42)) == 42)
        #expect(server.arrivals.elements.count == 3)
        #expect(rpc.sharing?.waitingCount == 0)
    }

    @Test func otherCallsAreSentThemselves() async throws {
        let door = Door()
        let server = Self.server(door)
        let rpc = client(server)
        let options = CallOptions(extraMembers: ["auth": 1], isIdempotent: true)
        let calls: [@Sendable () async throws -> Int] = [
            { try await rpc.call(Subtract(1)) }, { try await rpc.call(Subtract(1)) },
            { try await rpc.call(Subtract(1), options: options) },
            { try await rpc.call(Subtract(1), timeout: .seconds(50)) },
            { try await rpc.adding(headerFields: [.authorization: "other"]).call(Subtract(1)) },
            // This method is not idempotent.
            { try await rpc.call("add", params: [1], as: Int.self) },
            { try await rpc.call("add", params: [1], as: Int.self) },
        ]
        let tasks = calls.map { call in Task { try await call() } }
        await server.arrivals.wait(count: 6)
        try await untilWaiting(5, rpc)
        door.open()
        for task in tasks { #expect(try await task.value == 1) }
        #expect(server.arrivals.elements.count == 6)
    }

    @Test func anErrorIsThrownToEachCall() async throws {
        let door = Door()
        let server = FakeServer { arrival in
            try await door.pass()
            return .each(arrival) { _ in #""error":{"code":7,"message":"m"}"# }
        }
        let rpc = client(server)
        let tasks = (0..<3).map { _ in Task { try await rpc.call(Subtract(1)) } }
        try await untilWaiting(3, rpc)
        door.open()
        for task in tasks { #expect((await error { try await task.value } as? ErrorObject)?.code == 7) }
        #expect(server.arrivals.elements.count == 1)
    }

    @Test func aCancelledCallLeavesTheOthersAlone() async throws {
        let door = Door()
        let server = Self.server(door)
        let rpc = client(server)
        let tasks = (0..<3).map { _ in Task { try await rpc.call(Subtract(1)) } }
        try await untilWaiting(3, rpc)
        tasks[0].cancel()
        #expect(await error { try await tasks[0].value } is CancellationError)
        #expect(server.cancellations.elements.isEmpty)
        door.open()
        for task in tasks[1...] { #expect(try await task.value == 1) }
        #expect(server.arrivals.elements.count == 1)
    }

    @Test func thePostIsCancelledWithItsLastCall() async throws {
        let door = Door()
        let server = Self.server(door)
        let rpc = client(server)
        let tasks = (0..<3).map { _ in Task { try await rpc.call(Subtract(1)) } }
        try await untilWaiting(3, rpc)
        await server.arrivals.wait(count: 1)
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await error { try await task.value } is CancellationError) }
        #expect(await server.cancellations.wait(count: 1) == [0])
        door.open()
        #expect(try await rpc.call(Subtract(1)) == 1)
        #expect(server.arrivals.elements.count == 2)
    }

    @Test func sharedCallsAreGathered() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server) { $0.gathering = CallGathering(window: .seconds(3600), maximumMembers: 2) }
        let tasks = (0..<9).map { _ in Task { try await rpc.call(Subtract(1)) } }
        try await untilWaiting(9, rpc)
        #expect(try await rpc.call(Subtract(2)) == 2)
        for task in tasks { #expect(try await task.value == 1) }
        #expect(server.arrivals.elements.map(\.members.count) == [2])
    }

    @Test func nothingIsSharedByDefault() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(server) { $0.sharesIdenticalCalls = false }
        async let first = rpc.call(Subtract(1))
        async let second = rpc.call(Subtract(1))
        #expect(try await (first, second) == (1, 1))
        #expect(server.arrivals.elements.count == 2)
    }
}
