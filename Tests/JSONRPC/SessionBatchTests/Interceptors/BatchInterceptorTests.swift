// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Adds a member to every outgoing message, and wraps results.
private struct Token: CallInterceptor {
    func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
        var call = call
        try call.options.extraMembers.set("auth", to: RawJSON(validating: "7"))
        return try await next(call)
    }

    func intercept(notification: OutboundCall, next: NextInterceptor<Void>) async throws {
        var notification = notification
        try notification.options.extraMembers.set("auth", to: RawJSON(validating: "7"))
        try await next(notification)
    }
}

/// Runs a closure for each call.
private struct Custom: CallInterceptor {
    var body: @Sendable (OutboundCall, NextInterceptor<RawJSON>) async throws -> RawJSON

    func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
        try await body(call, next)
    }
}

@Suite(.inTurn(within: .seconds(60)))
struct BatchInterceptorTests {
    private let calls = [MethodCall("a", as: Int.self), MethodCall("b", as: Int.self)]

    private func wire(
        _ change: (inout SessionConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (OutboundCall, NextInterceptor<RawJSON>) async throws -> RawJSON
    ) async -> Wire {
        await Wire(
            .with {
                $0.calls.interceptors = [Custom(body: body)]
                change(&$0)
            })
    }

    /// The ways to make a batch.
    enum Way: CaseIterable {
        case entries, typed, ofOneType, stream, gathered
    }

    @Test(arguments: Way.allCases) func everyMemberOfEveryKindOfBatchPassesThem(way: Way) async throws {
        let wire = await Wire(.with { $0.calls.interceptors = [Token()] })
        async let results: [Int] = make(way, over: wire.session)
        let members = try await wire.peer.expectBatch(count: way == .entries || way == .typed ? 3 : 2)
        for member in members {
            #expect(member["auth"] == 7)
            guard let id = member["id"] else { continue }
            try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(id)}"#)
        }
        #expect(try await results == [1, 2])
        await wire.session.close()
    }

    private func make(_ way: Way, over session: DuplexSession) async throws -> [Int] {
        switch way {
        case .entries:
            var results: [Int] = []
            try await session.batch(
                [.call("a"), .notification("n"), .call("b")], timeout: .default, pace: .together
            ) { _, outcome in
                if case .success(let result) = outcome { results.append(Int(result.text) ?? -1) }
            }
            return results
        case .typed:
            let (a, _, b) = try await session.batch(calls[0], MethodNotification("n"), calls[1])
            return [a, b]
        case .ofOneType: return try await session.batch(calls).map { try $0.get() }
        case .stream:
            var results: [Int: Int] = [:]
            for await (index, result) in try session.outcomesAsTheyCome(calls) { results[index] = try result.get() }
            return results.sorted { $0.key < $1.key }.map(\.value)
        case .gathered:
            let caller = BatchingCaller(over: session, window: .seconds(60), limit: 2)
            async let first = caller.call(calls[0])
            async let second = caller.call(calls[1])
            return try await [first, second].sorted()
        }
    }

    @Test func membersPassThemOverOtherTransportsToo() async throws {
        struct Echo: DataTransport {
            func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8] {
                let members = try #require(JSONValue(RawJSON(validating: message)).arrayValue)
                let answers = members.map {
                    #"{"jsonrpc":"2.0","id":\#($0["id"] ?? .null),"result":\#($0["auth"] ?? 0)}"#
                }
                return Array("[\(answers.joined(separator: ","))]".utf8)
            }
        }
        let caller = TransportCaller(over: Echo(), configuration: .with { $0.calls.interceptors = [Token()] })
        #expect(try await caller.batch(calls).map { try $0.get() } == [7, 7])
    }

    @Test func theArrayHasTheOrderOfTheEntriesWhicheverMemberIsFirst() async throws {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let wire = await wire { call, next in
            if call.method == "a" { for await _ in gate { break } }
            if call.method == "b" { opener.finish() }
            return try await next(call)
        }
        async let results = wire.session.batch(calls)
        try await wire.peer.play(
            #"""
            --> [{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]
            <-- [{"jsonrpc":"2.0","id":1,"result":10},{"jsonrpc":"2.0","id":2,"result":20}]
            """#)
        #expect(try await results.map { try $0.get() } == [10, 20])
        await wire.session.close()
    }

    @Test func membersThatDoNotCallNextStayOutOfTheArray() async throws {
        let wire = await wire { call, next in
            switch call.method {
            case "a": RawJSON(5)
            case "b": throw ErrorObject(code: 403, message: "forbidden")
            default: try await next(call)
            }
        }
        async let results = wire.session.batch(calls + [MethodCall("c", as: Int.self)])
        try await wire.peer.play(
            #"""
            --> [{"jsonrpc":"2.0","id":1,"method":"c"}]
            <-- {"jsonrpc":"2.0","id":1,"result":30}
            """#)
        let came = try await results
        #expect(try came[0].get() == 5)
        #expect(came[1].callError?.errorObject?.code == 403)
        #expect(try came[2].get() == 30)
        await wire.session.close()
    }

    @Test func aBatchAnsweredByInterceptorsAloneSendsNothing() async throws {
        let wire = await wire { _, _ in RawJSON(1) }
        #expect(try await wire.session.batch(calls).map { try $0.get() } == [1, 1])
        await wire.session.close()
        #expect(wire.session.callCounts.issued == 0)
    }

    @Test func aRetryGoesOutAsASingleCall() async throws {
        let wire = await wire { call, next in
            do { return try await next(call) } catch is ErrorObject { return try await next(call) }
        }
        async let results = wire.session.batch(calls)
        try await wire.peer.play(
            #"""
            --> [{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]
            <-- [{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"busy"}},{"jsonrpc":"2.0","id":2,"result":20}]
            --> {"jsonrpc":"2.0","id":3,"method":"a"}
            <-- {"jsonrpc":"2.0","id":3,"result":10}
            """#)
        #expect(try await results.map { try $0.get() } == [10, 20])
        await wire.session.close()
    }

    @Test func outcomesAreGivenAsTheyCome() async throws {
        let wire = await wire { try await $1($0) }
        let came = EventLog<Int>()
        let stream = try wire.session.outcomesAsTheyCome(calls)
        let reading = Task { for await (index, _) in stream { came.record(index) } }
        try await wire.peer.expectBatch(count: 2)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":2,"result":20}"#)
        #expect(await came.wait(count: 1) == [1])
        try wire.peer.send(#"{"jsonrpc":"2.0","id":1,"result":10}"#)
        await reading.value
        #expect(came.elements == [1, 0])
        await wire.session.close()
    }

    /// An interceptor lets one member begin only after another has ended, which never happens.
    @Test func aMemberThatIsHeldBackEndsTheBatchWhenItsTimeIsOver() async throws {
        let clock = ManualClock()
        let (never, keeper) = AsyncStream.makeStream(of: Void.self)
        defer { keeper.finish() }
        let wire = await wire({ $0.clock = clock }) { call, next in
            if call.method == "b" { for await _ in never {} }
            try Task.checkCancellation()
            return try await next(call)
        }
        async let results = wire.session.batch(calls, timeout: .seconds(5))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        for result in try await results {
            let error = try #require(result.callError?.clientError)
            #expect(error.code == .timedOut)
            #expect(error.delivery == .notSent)
            #expect(error.message.contains("waits for another member"))
        }
        await wire.session.close()
        #expect(wire.session.callCounts.issued == 0)
    }

    @Test func cancellingTheBatchEndsItsMembersAndTheirAnswersAreKept() async throws {
        let wire = await wire({ $0.calls.cancellationNotice = .cancelRequest }) { try await $1($0) }
        let came = EventLog<Int>()
        let task = Task {
            await wire.session.batchOutcomes(["a", "b"]) { index, text in
                came.record(index)
                return text
            }
        }
        try await wire.peer.expectBatch(count: 2)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":1,"result":10}"#)
        await came.wait(count: 1)
        task.cancel()
        try await wire.peer.expectNotification("$/cancelRequest", params: ["id": 2])
        #expect(await task.value == ["10", "cancelled"])
        await wire.session.close()
        #expect(wire.session.callCounts.issued == wire.session.callCounts.settled)
    }

    @Test func cancellingABeginningBatchSendsNothing() async throws {
        let (never, keeper) = AsyncStream.makeStream(of: Void.self)
        defer { keeper.finish() }
        let started = EventLog<String>()
        let wire = await wire { call, next in
            started.record(call.method)
            if call.method == "b" { for await _ in never {} }
            return try await next(call)
        }
        let task = Task { try await wire.session.batch(calls) }
        await started.wait(count: 2)
        task.cancel()
        for result in try await task.value { #expect(result.callError == .cancelled) }
        await wire.session.close()
        #expect(wire.session.callCounts.issued == 0)
    }

    @Test func aTimeoutThatAnInterceptorSetsCounts() async throws {
        let clock = ManualClock()
        let wire = await wire({ $0.clock = clock }) { call, next in
            var call = call
            if call.method == "b" { call.timeout = .seconds(1) }
            return try await next(call)
        }
        async let results = wire.session.batch(calls, timeout: nil)
        var ids: [String: JSONValue] = [:]
        for _ in 0..<2 {
            let member = try #require(try await wire.peer.expectBatch(count: 1).first)
            ids[member["method"]?.stringValue ?? ""] = member["id"]
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(try #require(ids["a"])),"result":1}"#)
        let came = try await results
        #expect(try came[0].get() == 1)
        #expect(came[1].callError?.clientError?.code == .timedOut)
        await wire.session.close()
    }

    @Test func paramsThatAnInterceptorSpoilsFailTheirMemberAlone() async throws {
        let wire = await wire { call, next in
            var call = call
            if call.method == "b" { call.params = RawJSON(5) }
            return try await next(call)
        }
        async let results = wire.session.batch(calls)
        let member = try #require(try await wire.peer.expectBatch(count: 1).first)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(member["id"] ?? .null),"result":1}"#)
        let came = try await results
        #expect(try came[0].get() == 1)
        #expect(came[1].callError?.clientError?.code == .encodingFailed)
        await wire.session.close()
    }
}

extension DuplexSession {
    /// Makes a batch, reports each outcome when it arrives, and returns all in the order of the methods.
    fileprivate func batchOutcomes(
        _ methods: [String], show: (Int, String) -> String
    ) async -> [String] {
        var outcomes = methods
        do {
            try await batch(methods.map { .call($0) }, timeout: .default, pace: .asTheyCome) { index, outcome in
                switch outcome {
                case .success(let result): outcomes[index] = show(index, result.text)
                case .failure: outcomes[index] = show(index, "cancelled")
                }
            }
        } catch {
            return ["\(error)"]
        }
        return outcomes
    }
}
