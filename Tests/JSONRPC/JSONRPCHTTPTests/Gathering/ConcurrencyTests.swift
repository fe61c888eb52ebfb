// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCHTTP

/// Batches that are sent in concurrent POSTs.
@Suite(.inTurn(within: .seconds(60)))
struct ConcurrencyTests {
    private func client(
        _ server: FakeServer, _ concurrency: BatchConcurrency?, _ configuration: SessionConfiguration = .init(),
        _ change: (inout JSONRPCHTTPOptions) -> Void = { _ in }
    ) -> JSONRPCHTTPClient {
        .over(server, configuration: configuration) {
            $0.batchConcurrency = concurrency
            change(&$0)
        }
    }

    /// A server that answers POSTs with one of these members when its door is open.
    private static func server(_ doors: [Int: Door]) -> FakeServer {
        FakeServer { arrival in
            for member in arrival.members {
                if let number = member["params"]?[0]?.intValue, let door = doors[number] { try await door.pass() }
            }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
    }

    @Test func theDefaultIsOnePostAfterTheOther() async throws {
        #expect(JSONRPCHTTPOptions().batchConcurrency == nil)
        #expect(BatchConcurrency() == BatchConcurrency(maximumMembers: 1, maximumRequests: 16))
        let door = Door()
        let server = Self.server([0: door])
        let rpc = client(server, nil, .with { $0.calls.batchLimits.maximumMembers = 1 })
        async let outcomes = rpc.batch((0..<3).map { Subtract($0) })
        await server.arrivals.wait(count: 1)
        door.open()
        #expect(try await outcomes == (0..<3).map { .success($0) })
        #expect(server.arrivals.elements.map { FakeServer.difference($0.json) } == [0, 1, 2])
    }

    @Test func aSlowMemberDelaysItsOwnPostAlone() async throws {
        let door = Door()
        let server = Self.server([2: door])
        let rpc = client(server, BatchConcurrency())
        var indices: Set<Int> = []
        for await (index, result) in try rpc.outcomesAsTheyCome((0..<8).map { Subtract($0) }) {
            #expect(result == .success(index))
            #expect((index == 2) == (indices.count == 7))
            indices.insert(index)
            // All others have their results.
            if indices.count == 7 { door.open() }
        }
        #expect(indices == Set(0..<8))
        #expect(server.arrivals.elements.count == 8)
        #expect(server.arrivals.elements.allSatisfy { !$0.isArray })
    }

    @Test func resultsHaveTheTypesAndTheOrderOfTheBatch() async throws {
        let doors = [42: Door()]
        let server = FakeServer { arrival in
            if arrival.methods == ["subtract"] { try await doors[42]?.pass() }
            return .each(arrival) {
                $0["method"] == "name" ? #""result":"n""# : #""result":\#(FakeServer.difference($0))"#
            }
        }
        let rpc = client(server, BatchConcurrency())
        async let results = rpc.batch(Subtract(42, 23), MethodCall("name", as: String.self), Log("x"))
        await server.arrivals.wait(count: 3)
        doors[42]?.open()
        let (number, name, _) = try await results
        #expect(number == 19 && name == "n")
    }

    @Test(arguments: [(1, 2), (3, 2), (3, 100), (4, 1), (0, 0)])
    func theLimitsHold(members: Int, requests: Int) async throws {
        let inFlight = Mutex((now: 0, most: 0))
        let server = FakeServer { arrival in
            inFlight.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            // Other POSTs that may begin do so.
            for _ in 0..<20 { await Task.yield() }
            inFlight.withLock { $0.now -= 1 }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = client(server, BatchConcurrency(maximumMembers: members, maximumRequests: requests))
        #expect(try await rpc.batch((0..<10).map { Subtract($0) }) == (0..<10).map { .success($0) })
        let (size, width) = (max(1, members), max(1, requests))
        #expect(server.arrivals.elements.allSatisfy { $0.members.count <= size })
        #expect(server.arrivals.elements.count == (10 + size - 1) / size)
        #expect(inFlight.withLock { $0.most } <= width)
        if requests == 1 {
            let order = server.arrivals.elements.flatMap(\.members).map { FakeServer.difference($0) }
            #expect(order == Array(0..<10))
        }
    }

    @Test func asManyPostsAsAllowedAreInFlight() async throws {
        let doors = Dictionary(uniqueKeysWithValues: (0..<6).map { ($0, Door()) })
        let server = Self.server(doors)
        let rpc = client(server, BatchConcurrency(maximumRequests: 3))
        async let outcomes = rpc.batch((0..<6).map { Subtract($0) })
        await server.arrivals.wait(count: 3)
        #expect(server.arrivals.elements.count == 3)
        // The end of any POST makes room for the next.
        let second = try #require(server.arrivals.elements.last)
        doors[FakeServer.difference(second.json)]?.open()
        await server.arrivals.wait(count: 4)
        for door in doors.values { door.open() }
        #expect(try await outcomes == (0..<6).map { .success($0) })
    }

    /// The limit for all POSTs of a client applies, too.
    @Test func thePostsPassTheGate() async throws {
        let doors = Dictionary(uniqueKeysWithValues: (0..<5).map { ($0, Door()) })
        let server = Self.server(doors)
        let rpc = client(server, BatchConcurrency()) { $0.maximumRequestsInFlight = 2 }
        async let outcomes = rpc.batch((0..<5).map { Subtract($0) })
        await server.arrivals.wait(count: 2)
        try await yieldUntil("three POSTs wait") { rpc.poster.gate.waitingCount == 3 }
        #expect(server.arrivals.elements.count == 2)
        for door in doors.values { door.open() }
        #expect(try await outcomes == (0..<5).map { .success($0) })
    }

    @Test func smallerLimitsOfBatchesStayInForce() async throws {
        let server = FakeServer.arithmetic()
        let rpc = client(
            server, BatchConcurrency(maximumMembers: 100), .with { $0.calls.batchLimits.maximumMembers = 4 })
        #expect(try await rpc.batch((0..<10).map { Subtract($0) }) == (0..<10).map { .success($0) })
        #expect(server.arrivals.elements.map(\.members.count).sorted() == [2, 4, 4])
    }

    @Test func gatheredCallsGoOutInSmallPosts() async throws {
        let door = Door()
        let server = Self.server([3: door])
        let rpc = client(server, BatchConcurrency(maximumMembers: 2)) {
            $0.gathering = CallGathering(window: .seconds(3600), maximumMembers: 10)
        }
        let tasks = (0..<10).map { number in Task { try await rpc.call(Subtract(number)) } }
        await server.arrivals.wait(count: 5)
        #expect(server.arrivals.elements.map(\.members.count) == [2, 2, 2, 2, 2])
        // The calls of the other four POSTs do not wait.
        let slow = server.arrivals.elements.flatMap { arrival in
            arrival.members.contains { FakeServer.difference($0) == 3 } ? arrival.members : []
        }
        for (number, task) in tasks.enumerated() where !slow.contains(where: { FakeServer.difference($0) == number }) {
            #expect(try await task.value == number)
        }
        door.open()
        for (number, task) in tasks.enumerated() { #expect(try await task.value == number) }
    }

    // MARK: Failures

    @Test func aFailureConcernsTheMembersOfItsPostAlone() async throws {
        let server = FakeServer { arrival in
            if arrival.members.contains(where: { FakeServer.difference($0) == 2 }) {
                throw HTTPTransportError(.connectionLost, "Reset by peer.")
            }
            if arrival.members.contains(where: { FakeServer.difference($0) == 4 }) {
                return .text("<html>", .badGateway, fields: [:])
            }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let outcomes = try await client(server, BatchConcurrency(maximumMembers: 2))
            .batch((0..<8).map { Subtract($0) })
        for number in [0, 1, 6, 7] { #expect(outcomes[number] == .success(number)) }
        for number in [2, 3] { #expect(outcomes[number].callError?.clientError?.code == .connectionLost) }
        for number in [4, 5] {
            #expect(outcomes[number].callError?.httpAnswer?.status == .badGateway)
            #expect(outcomes[number].callError?.delivery == .outcomeUnknown)
        }
    }

    @Test func notificationsAreSentAndHaveNoOutcome() async throws {
        let server = FakeServer { arrival in
            arrival.calls.isEmpty ? .text("", .noContent, fields: [:]) : .each(arrival) { _ in #""result":1"# }
        }
        let outcomes = try await client(server, BatchConcurrency()).batch([
            .notification("a"), .call("b"), .notification("c"), .call("d"),
        ])
        #expect(outcomes.map { $0 == nil } == [true, false, true, false])
        #expect(Set(server.arrivals.elements.flatMap(\.methods)) == ["a", "b", "c", "d"])
        #expect(server.arrivals.elements.count == 4)
    }

    @Test func aNotificationIsReportedIfItsPostFails() async throws {
        let server = FakeServer { arrival in
            if arrival.calls.isEmpty { throw HTTPTransportError(.cannotConnect, "Refused.", isRequestUnsent: true) }
            return .each(arrival) { _ in #""result":1"# }
        }
        let (call, notification) = try await client(server, BatchConcurrency()).results(Subtract(1), Log("x"))
        #expect(call == .success(1))
        #expect(notification.callError?.delivery == .notSent)
    }

    @Test func cancellationEndsAllPosts() async throws {
        let server = Self.server(Dictionary(uniqueKeysWithValues: (0..<6).map { ($0, Door()) }))
        let rpc = client(server, BatchConcurrency(maximumRequests: 3))
        let task = Task { try await rpc.batch((0..<6).map { Subtract($0) }) }
        await server.arrivals.wait(count: 3)
        task.cancel()
        #expect(try await task.value == Array(repeating: .failure(.cancelled), count: 6))
        #expect(Set(await server.cancellations.wait(count: 3)) == [0, 1, 2])
        // The other members were not sent.
        #expect(server.arrivals.elements.count == 3)
    }

    @Test func theTimeoutIsTheLimitForAllPosts() async throws {
        let clock = ManualClock()
        let server = Self.server([1: Door(), 2: Door()])
        let rpc = client(server, BatchConcurrency(maximumRequests: 2), .with { $0.clock = clock })
        async let outcomes = rpc.batch((0..<4).map { Subtract($0) }, timeout: .seconds(5))
        _ = await server.arrivals.first { FakeServer.difference($0.json) == 2 }
        _ = await server.arrivals.first { FakeServer.difference($0.json) == 1 }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        let results = try await outcomes
        #expect(results[0] == .success(0))
        #expect(results[1...].allSatisfy { $0.callError?.clientError?.code == .timedOut })
        #expect(results[1].callError?.delivery == .outcomeUnknown)
        #expect(results[3].callError?.delivery == .notSent)
    }

    // MARK: Retries and divisions

    @Test func membersThatFailedAreSentAgainTogether() async throws {
        let clock = ManualClock()
        let server = FakeServer { arrival in
            if arrival.context.attempt == 1, arrival.members.contains(where: { FakeServer.difference($0) % 2 == 1 }) {
                return .text("", .serviceUnavailable, fields: [:])
            }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = client(server, BatchConcurrency(), .with { $0.clock = clock }) {
            $0.retry = MemberRetryPolicy()
            $0.retry?.isIdempotent = { _ in true }
            $0.retry?.randomFraction = { 1 }
        }
        async let outcomes = rpc.batch((0..<6).map { Subtract($0) })
        await clock.waitForSleeper(dueIn: .milliseconds(200))
        #expect(server.arrivals.elements.count == 6)
        clock.advance(by: .milliseconds(200))
        #expect(try await outcomes == (0..<6).map { .success($0) })
        let again = server.arrivals.elements.dropFirst(6).map { FakeServer.difference($0.json) }
        #expect(again.sorted() == [1, 3, 5])
    }

    /// Rejections of POSTs that were in flight together count once.
    @Test func rejectionsOfPostsInFlightHalveTheLimitOnce() async throws {
        let door = Door()
        let server = FakeServer { arrival in
            if arrival.members.count > 4 {
                if arrival.number == 3 { door.open() }
                try await door.pass()
                return .text("", .contentTooLarge, fields: [:])
            }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = client(server, BatchConcurrency(maximumMembers: 8, maximumRequests: 4))
        #expect(try await rpc.batch((0..<32).map { Subtract($0) }) == (0..<32).map { .success($0) })
        #expect(
            server.arrivals.elements.map(\.members.count) == Array(repeating: 8, count: 4)
                + Array(repeating: 4, count: 8))
        #expect(rpc.poster.learned.withLock { $0.members } == 4)
    }
}
