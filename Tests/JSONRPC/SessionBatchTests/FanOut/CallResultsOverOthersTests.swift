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

/// Many calls with one consumer: with interceptors, over other callers, and for an asynchronous sequence of requests.
@Suite(.inTurn(within: .seconds(60)))
struct CallResultsOverOthersTests {
    // MARK: Interceptors

    private struct Counting: CallInterceptor {
        let methods: EventLog<String>

        func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
            methods.record(call.method)
            var call = call
            call.method = "renamed"
            return try await next(call)
        }
    }

    @Test func eachCallPassesTheInterceptors() async throws {
        let methods = EventLog<String>()
        let wire = await Wire(.with { $0.calls.interceptors = [Counting(methods: methods)] }, matching: .anyOrder)
        let calls = ManyCalls(Numbered.upTo(10), over: wire.session, inFlight: 3)
        for _ in 0..<10 {
            #expect(wire.session.callsInFlight <= 3)
            let request = try await wire.peer.expectRequest("renamed")
            try wire.peer.reply(to: request, result: request.params?[0] ?? .null)
        }
        try await calls.task.value
        #expect(calls.outcomes.elements.allSatisfy { $0.result == .success($0.index) })
        #expect(methods.elements.count == 10)
        await wire.session.close()
    }

    @Test func leavingTheLoopCancelsCallsBehindInterceptors() async throws {
        let wire = await Wire(
            .with {
                $0.calls.interceptors = [Counting(methods: EventLog())]
                $0.calls.cancellationNotice = .cancelRequest
            })
        let calls = ManyCalls(Numbered.upTo(5), over: wire.session, inFlight: 2)
        for _ in 0..<2 { try await wire.peer.expectRequest("renamed") }
        calls.task.cancel()
        await #expect(throws: CancellationError.self) { try await calls.task.value }
        for _ in 0..<2 { try await wire.peer.expectNotification("$/cancelRequest") }
        #expect(wire.session.callsInFlight == 0)
        await wire.session.close()
    }

    // MARK: Other callers

    private struct Doubler: ObjectTransport {
        func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
            try message.requests.compactMap { request in
                guard let id = request.id, let number = try? request.params?.decode(as: [Int].self).first else {
                    return nil
                }
                return ResponseObject(id: id, outcome: .success(try RawJSON(encoding: number * 2)))
            }
        }
    }

    @Test func anyCallerMakesManyCalls() async throws {
        let caller = TransportCaller(over: Doubler())
        let results = try await caller.outcomesInOrder(Numbered.upTo(500), inFlight: 20)
        #expect(results == (0..<500).map { .success($0 * 2) })
    }

    // MARK: Asynchronous sequences

    @Test func requestsOfAnAsynchronousSequenceAreSentAsTheyCome() async throws {
        let wire = await Wire()
        let (requests, source) = AsyncStream.makeStream(of: Numbered.self)
        let session = wire.session
        let outcomes = EventLog<(Int, Result<Int, CallError>)>()
        let task = Task {
            for try await outcome in session.results(of: requests) { outcomes.record(outcome) }
        }
        for number in 0..<3 {
            source.yield(Numbered(number: number))
            let request = try await wire.peer.expectRequest("number", params: [.init(number)])
            try wire.peer.reply(to: request, result: .init(number))
            _ = await outcomes.wait(count: number + 1)
        }
        source.finish()
        try await task.value
        #expect(outcomes.elements.map(\.0) == [0, 1, 2])
        await session.close()
    }

    private struct Broken: Error {}

    @Test func theErrorOfTheSequenceComesAfterTheOutcomes() async throws {
        let wire = await Wire()
        let (requests, source) = AsyncThrowingStream.makeStream(of: Numbered.self, throwing: (any Error).self)
        source.yield(Numbered(number: 0))
        source.finish(throwing: Broken())
        let session = wire.session
        let outcomes = EventLog<(Int, Result<Int, CallError>)>()
        let task = Task {
            for try await outcome in session.results(of: requests) { outcomes.record(outcome) }
        }
        try wire.peer.reply(to: try await wire.peer.expectRequest("number"), result: 7)
        await #expect(throws: Broken.self) { try await task.value }
        #expect(outcomes.elements.map(\.1) == [.success(7)])
        await session.close()
    }

    /// Counts the requests that were taken from it.
    private struct Endless: AsyncSequence, Sendable {
        let taken: EventLog<Int>

        struct AsyncIterator: AsyncIteratorProtocol {
            let taken: EventLog<Int>
            var number = 0

            mutating func next() async -> Numbered? {
                defer { number += 1 }
                taken.record(number)
                return Numbered(number: number)
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(taken: taken) }
    }

    @Test func anAsynchronousSequenceIsReadOnlyAsFarAsThereIsRoom() async throws {
        let wire = await Wire()
        let session = wire.session
        let taken = EventLog<Int>()
        let task = Task {
            for try await _ in session.results(of: Endless(taken: taken), inFlight: 3) {}
        }
        for _ in 0..<3 { try await wire.peer.expectRequest("number") }
        // Three are in flight, and three wait.
        _ = await taken.wait(count: 6)
        try await wire.roundTrip()
        #expect(taken.elements.count <= 6)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(session.callsInFlight == 0)
        await session.close()
    }
}
