// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Many calls with one consumer: `results(of:inFlight:)`.
@Suite(.inTurn(within: .seconds(60)))
struct CallResultsTests {
    @Test func outcomesComeAsTheCallsEnd() async throws {
        let wire = await Wire()
        let calls = ManyCalls(Numbered.upTo(3), over: wire.session)
        let first = try await wire.peer.expectRequest("number", params: [0])
        let second = try await wire.peer.expectRequest("number", params: [1])
        let third = try await wire.peer.expectRequest("number", params: [2])
        #expect([first.id, second.id, third.id] == [1, 2, 3])
        try wire.peer.reply(to: third, result: 30)
        _ = await calls.outcomes.wait(count: 1)
        try wire.peer.reply(to: first, error: ErrorObject(code: 5, message: "no"))
        _ = await calls.outcomes.wait(count: 2)
        try wire.peer.reply(to: second, result: 20)
        try await calls.task.value
        let outcomes = calls.outcomes.elements
        #expect(outcomes.map(\.index) == [2, 0, 1])
        #expect(
            outcomes.map(\.result) == [
                .success(30), .failure(.answered(ErrorObject(code: 5, message: "no"))), .success(20),
            ])
        await wire.session.close()
        #expect(wire.session.callCounts == (3, 3))
    }

    @Test func indicesAreThoseOfTheRequests() async throws {
        let wire = await Wire()
        async let all = wire.session.outcomesInOrder(Numbered.upTo(3))
        var requests: [ReceivedCall] = []
        for _ in 0..<3 { requests.append(try await wire.peer.expectRequest("number")) }
        for (request, result) in zip(requests, [10, 11, 12]).reversed() {
            try wire.peer.reply(to: request, result: JSONValue(result))
        }
        #expect(try await all == [.success(10), .success(11), .success(12)])
        await wire.session.close()
    }

    @Test func nothingIsSentForNoRequests() async throws {
        let wire = await Wire()
        #expect(try await wire.session.outcomesInOrder([Numbered]()).isEmpty)
        await wire.session.close()
        try await wire.peer.expectClosure()
        try wire.peer.expectNothingMore()
    }

    /// Methods, extra members and params of each kind give the same messages as single calls.
    @Test func requestsAreThoseOfSingleCalls() async throws {
        struct Odd: JSONRPCRequest {
            typealias Response = JSONValue
            var method: String
            var params: ByName?
            var extraMembers: ExtraMembers
        }
        func member(_ name: String) throws -> ExtraMembers {
            var members = ExtraMembers()
            try members.set(name, to: 1)
            return members
        }
        let requests = [
            Odd(method: "a", params: ["x": 1], extraMembers: ExtraMembers()),
            Odd(method: "a", params: nil, extraMembers: try member("own")),
            Odd(method: "\"quoted\" é\u{1}", params: ["text": "\u{2028}"], extraMembers: try member("own")),
            Odd(method: "", params: nil, extraMembers: ExtraMembers()),
            Odd(
                method: "a", params: ["x": JSONValue(String(repeating: "y", count: 20_000))],
                extraMembers: ExtraMembers()),
            Odd(method: "a", params: ["x": 2], extraMembers: ExtraMembers()),
        ]
        let options = CallOptions(extraMembers: try member("option"))
        let extra = try member("configured")
        #expect(
            try await sent(requests, options, extra, many: false) == sent(requests, options, extra, many: true))
    }

    private func sent<Request: JSONRPCRequest>(
        _ requests: [Request], _ options: CallOptions, _ extra: ExtraMembers, many: Bool
    ) async throws -> [String] {
        let wire = await Wire(.with { $0.calls.extraMembers = extra }, matching: .anyOrder)
        let session = wire.session
        let task = Task {
            if many { return try await session.outcomesInOrder(requests, options: options).count }
            for request in requests { _ = await session.result(of: request, options: options) }
            return requests.count
        }
        for _ in requests {
            let request = try #require(try await wire.peer.expectMessage().json)
            try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(request["id"] ?? .null),"result":null}"#)
        }
        #expect(try await task.value == requests.count)
        await session.close()
        return wire.peer.received.map(\.text)
    }

    @Test func noMoreCallsAreInFlightThanTheLimit() async throws {
        let server = DuplexSession()
        let greatest = Atomic<Int>(0)
        let client = DuplexSession()
        server.handleSynchronously("number") { (params: [Int]) in
            greatest.max(client.callsInFlight, ordering: .relaxed)
            return params[0]
        }
        try await InMemoryConnector { server.receiver }.connect(receiver: client.receiver)
        let results = try await client.outcomesInOrder(Numbered.upTo(5000), inFlight: 7)
        #expect(results == (0..<5000).map { .success($0) })
        #expect((1...7).contains(greatest.load(ordering: .relaxed)))
        await client.close()
        await server.closed()
    }

    @Test func aConsumerThatTakesNothingStopsTheSending() async throws {
        let wire = await Wire(matching: .anyOrder)
        let taken = Atomic<Int>(0)
        let requests = (0...).lazy.map { number in
            taken.add(1, ordering: .relaxed)
            return Numbered(number: number)
        }
        var iterator = wire.session.results(of: requests, inFlight: 4).makeAsyncIterator()
        #expect(taken.load(ordering: .relaxed) == 0)
        async let answered: Void = {
            for _ in 0..<4 {
                try wire.peer.reply(to: try await wire.peer.expectRequest("number"), result: 1)
            }
        }()
        _ = try await iterator.next()
        try await answered
        // All responses of one read were taken together, and as many requests were sent.
        try await wire.roundTrip()
        #expect(taken.load(ordering: .relaxed) <= 8)
        #expect(wire.session.callsInFlight <= 4)
        for _ in 0..<3 { _ = try await iterator.next() }
        #expect(taken.load(ordering: .relaxed) <= 8)
        await wire.session.close()
    }

    @Test func requestsWaitForTheLimitsOfTheSession() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 2 })
        let calls = ManyCalls(Numbered.upTo(5), over: wire.session, inFlight: 5)
        for number in 0..<5 {
            #expect(wire.session.callsInFlight <= 2)
            let request = try await wire.peer.expectRequest("number", params: [.init(number)])
            try wire.peer.reply(to: request, result: JSONValue(number))
        }
        try await calls.task.value
        #expect(calls.outcomes.elements.map(\.index).sorted() == [0, 1, 2, 3, 4])
        await wire.session.close()
    }

    @Test func requestsThatCannotBeEncodedLeaveTheOthersToBeSent() async throws {
        let wire = await Wire()
        let requests = [MethodCall("good", params: JSONValue.array([])), MethodCall("bad", params: 7)]
        let calls = ManyCalls([requests[1], requests[0], requests[1], requests[0]], over: wire.session)
        for _ in 0..<2 { try wire.peer.reply(to: try await wire.peer.expectRequest("good"), result: 1) }
        try await calls.task.value
        for index in [0, 2] {
            let error = try #require(await calls.outcome(index)?.callError?.clientError)
            #expect(error.code == .encodingFailed && error.method == "bad" && error.delivery == .notSent)
        }
        for index in [1, 3] { #expect(await calls.outcome(index) == .success(1)) }
        await wire.session.close()
        #expect(wire.session.callCounts == (2, 2))
    }

    @Test func requestsThatAllFailAreTakenLittleByLittle() async throws {
        let wire = await Wire()
        let taken = Atomic<Int>(0)
        let requests = (0...).lazy.map { _ in
            taken.add(1, ordering: .relaxed)
            return MethodCall("bad", params: 7)
        }
        var iterator = wire.session.results(of: requests, inFlight: 10).makeAsyncIterator()
        for index in 0..<100 {
            let next = try #require(try await iterator.next())
            #expect(next.index == index && next.result.callError?.clientError?.code == .encodingFailed)
            #expect(taken.load(ordering: .relaxed) <= index + 21)
        }
        await wire.session.close()
    }

    @Test func resultOfAnotherTypeFailsItsCallAlone() async throws {
        let wire = await Wire()
        let calls = ManyCalls(Numbered.upTo(2), over: wire.session)
        try wire.peer.reply(to: try await wire.peer.expectRequest("number"), result: "text")
        try wire.peer.reply(to: try await wire.peer.expectRequest("number"), result: 1)
        try await calls.task.value
        let error = try #require(await calls.outcome(0)?.callError?.clientError)
        #expect(error.code == .decodingFailed && error.method == "number")
        #expect(await calls.outcome(1) == .success(1))
        await wire.session.close()
    }

    @Test func eachResultOfOneReadReachesItsRequest() async throws {
        let wire = await Wire(matching: .anyOrder)
        let count = 1000
        let calls = ManyCalls(Numbered.upTo(count), over: wire.session, inFlight: count)
        var requests: [ReceivedCall] = []
        for _ in 0..<count { requests.append(try await wire.peer.expectRequest("number")) }
        wire.near.holdInbox()
        for request in requests.shuffled() { try wire.peer.reply(to: request, result: request.params?[0] ?? .null) }
        wire.near.releaseInbox()
        try await calls.task.value
        #expect(calls.outcomes.elements.allSatisfy { $0.result == .success($0.index) })
        #expect(Set(calls.outcomes.elements.map(\.index)).count == count)
        await wire.session.close()
    }

    @Test func notificationsAreSentInOrder() async throws {
        let wire = await Wire()
        var indices: [Int] = []
        for try await (index, result) in wire.session.results(of: [Log("a"), Log("b"), Log("c")]) {
            #expect(result.callError == nil)
            indices.append(index)
        }
        #expect(indices == [0, 1, 2])
        for line in ["a", "b", "c"] { try await wire.peer.expectNotification("log", params: [.init(line)]) }
        await wire.session.close()
        let late = try await wire.session.outcomesInOrder([Log("d")])
        #expect(late.first?.callError?.delivery == .notSent)
    }

    @Test func customIDsAreUsed() async throws {
        let ids = Mutex(["a", "b", "b"][...])
        let generator = CustomIDGenerator { .string(ids.withLock { $0.popFirst() } ?? "none") }
        let wire = await Wire(.with { $0.calls.idGenerator = generator })
        let calls = ManyCalls(Numbered.upTo(3), over: wire.session)
        let first = try await wire.peer.expectRequest("number", params: [0])
        let second = try await wire.peer.expectRequest("number", params: [1])
        #expect([first.id, second.id] == ["a", "b"])
        let error = try #require(await calls.outcome(2)?.callError?.clientError)
        #expect(error.code == .requestIDInUse && error.delivery == .notSent)
        try wire.peer.reply(to: second, result: 2)
        try wire.peer.reply(to: first, result: 1)
        try await calls.task.value
        #expect(await calls.outcome(0) == .success(1))
        #expect(await calls.outcome(1) == .success(2))
        await wire.session.close()
    }

    @Test func severalConsumersShareASession() async throws {
        let server = DuplexSession()
        server.handleSynchronously("number") { (params: [Int]) in params[0] }
        let client = DuplexSession()
        try await InMemoryConnector { server.receiver }.connect(receiver: client.receiver)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for width in [1, 3, 50, 300] {
                group.addTask {
                    let results = try await client.outcomesInOrder(Numbered.upTo(2000), inFlight: width)
                    #expect(results == (0..<2000).map { .success($0) })
                }
            }
            group.addTask {
                for number in 0..<500 {
                    let result = try await client.call(Numbered(number: number))
                    #expect(result == number)
                }
            }
            try await group.waitForAll()
        }
        await client.close()
        #expect(client.callCounts.issued == client.callCounts.settled)
        await server.closed()
    }
}
