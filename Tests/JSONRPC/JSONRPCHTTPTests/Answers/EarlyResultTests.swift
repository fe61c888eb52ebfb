// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Callers get their results before the answer to the POST has ended. The server sends the rest after that.
@Suite(.inTurn(within: .seconds(60)))
struct EarlyResultTests {
    private static func result(_ id: Int, _ value: Int) -> String {
        FakeServer.Reply.response(JSONValue(id), #""result":\#(value)"#)
    }

    /// A server that answers the first POST with a live body, and the others at once.
    private static func server(_ live: LiveBody, _ status: HTTPResponse.Status = .ok) -> FakeServer {
        FakeServer { arrival in
            if arrival.number > 0 { return .each(arrival) { #""result":\#(FakeServer.difference($0))"# } }
            var reply = FakeServer.Reply.text("", status)
            reply.live = live
            return reply
        }
    }

    @Test func aStreamHasTheFirstResultBeforeTheLastIsSent() async throws {
        let live = LiveBody()
        let rpc = JSONRPCHTTPClient.over(Self.server(live))
        live.send("[\(Self.result(2, 20)),")
        var outcomes: [Int] = []
        for await (index, result) in try rpc.outcomesAsTheyCome([Subtract(10), Subtract(20), Subtract(30)]) {
            outcomes.append(index)
            #expect(result == .success([10, 20, 30][index]))
            switch outcomes.count {
            case 1: live.send(Self.result(3, 30))
            case 2:
                live.send(",\(Self.result(1, 10))]")
                live.end()
            default: break
            }
        }
        #expect(outcomes == [1, 2, 0])
    }

    @Test func aGatheredCallDoesNotWaitForTheOthers() async throws {
        let live = LiveBody()
        let rpc = JSONRPCHTTPClient.over(Self.server(live)) {
            $0.gathering = CallGathering(window: .seconds(3600), maximumMembers: 2)
        }
        let tasks = (0..<2).map { number in Task { try await rpc.call(Subtract(number)) } }
        live.send("[\(Self.result(1, 7)),")
        // One of the calls has the id 1.
        let first = await firstValue(of: tasks)
        #expect(first == 7)
        live.send("\(Self.result(2, 8))]")
        live.end()
        #expect(Set([try await tasks[0].value, try await tasks[1].value]) == [7, 8])
    }

    /// Returns the value of the task that ends first.
    private func firstValue(of tasks: [Task<Int, any Error>]) async -> Int? {
        let values = EventLog<Int>()
        let watchers = tasks.map { task in Task { if let value = try? await task.value { values.record(value) } } }
        defer { for watcher in watchers { watcher.cancel() } }
        return await values.wait(count: 1).first
    }

    @Test func interceptedMembersDoNotWaitForTheOthers() async throws {
        struct Passing: CallInterceptor {
            func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
                try await next(call)
            }
        }
        let live = LiveBody()
        let rpc = JSONRPCHTTPClient.over(
            Self.server(live), configuration: .with { $0.calls.interceptors = [Passing()] })
        live.send("[\(Self.result(1, 10)),")
        for await (index, result) in try rpc.outcomesAsTheyCome([Subtract(10), Subtract(20)]) {
            #expect(result == .success([10, 20][index]))
            guard index == 0 else { continue }
            live.send("\(Self.result(2, 20))]")
            live.end()
        }
    }

    // MARK: Ends

    @Test func aLostConnectionLeavesEarlierResultsAlone() async throws {
        let live = LiveBody()
        let rpc = JSONRPCHTTPClient.over(Self.server(live))
        live.send("[\(Self.result(1, 10)),")
        for await (index, result) in try rpc.outcomesAsTheyCome([Subtract(10), Subtract(20)]) {
            if index == 0 {
                #expect(result == .success(10))
                live.end(HTTPTransportError(.connectionLost, "Reset by peer."))
            } else {
                #expect(result.callError?.clientError?.code == .connectionLost)
                #expect(result.callError?.delivery == .outcomeUnknown)
            }
        }
    }

    @Test func aTimeoutLeavesEarlierResultsAlone() async throws {
        let clock = ManualClock()
        let live = LiveBody()
        let rpc = JSONRPCHTTPClient.over(Self.server(live), configuration: .with { $0.clock = clock })
        live.send("[\(Self.result(1, 10)),")
        var indices: [Int] = []
        for await (index, result) in try rpc.outcomesAsTheyCome([Subtract(10), Subtract(20)], timeout: .seconds(5)) {
            indices.append(index)
            if index == 0 {
                #expect(result == .success(10))
                await clock.waitForSleeper(dueIn: .seconds(5))
                clock.advance(by: .seconds(5))
            } else {
                #expect(result.callError?.clientError?.code == .timedOut)
                #expect(result.callError?.delivery == .outcomeUnknown)
            }
        }
        #expect(indices == [0, 1])
    }

    @Test func aCancelledBatchKeepsNothingWaiting() async throws {
        let live = LiveBody()
        let rpc = JSONRPCHTTPClient.over(Self.server(live))
        live.send("[\(Self.result(1, 10)),")
        let first = EventLog<Int>()
        let entries = try (0..<2).map { number in
            BatchEntry(method: "subtract", params: try RawJSON(validating: "[\(number),0]"))
        }
        let task = Task {
            var outcomes: [Int: Result<RawJSON, CallError>] = [:]
            try await rpc.batch(entries, timeout: .none, pace: .asTheyCome) { index, outcome in
                outcomes[index] = outcome
                first.record(index)
            }
            return outcomes
        }
        await first.wait(count: 1)
        task.cancel()
        let outcomes = try await task.value
        #expect(try outcomes[0]?.get().text == "10")
        #expect(outcomes[1] == .failure(.cancelled))
    }

    // MARK: Retries and divisions

    private func retrying(
        _ server: FakeServer, _ clock: ManualClock, _ change: (inout JSONRPCHTTPOptions) -> Void = { _ in }
    ) -> JSONRPCHTTPClient {
        .over(server, configuration: .with { $0.clock = clock }) {
            $0.retry = MemberRetryPolicy()
            $0.retry?.randomFraction = { 1 }
            $0.retry?.isIdempotent = { $0 == "subtract" }
            change(&$0)
        }
    }

    @Test func aMemberWithAResultIsNeverSentAgain() async throws {
        let (clock, live) = (ManualClock(), LiveBody())
        let server = Self.server(live)
        live.send("[\(Self.result(1, 10)),\(Self.result(3, 30)),")
        live.end(HTTPTransportError(.connectionLost, "Reset by peer."))
        async let outcomes = retrying(server, clock).batch([Subtract(10), Subtract(20), Subtract(30)])
        await clock.waitForSleeper(dueIn: .milliseconds(200))
        clock.advance(by: .milliseconds(200))
        #expect(try await outcomes == [.success(10), .success(20), .success(30)])
        let sent = server.arrivals.elements.map { $0.members.compactMap { $0["params"]?[0]?.intValue } }
        #expect(sent == [[10, 20, 30], [20]])
    }

    /// An error after which a call may be repeated is not yet an outcome. Any other error is an outcome at once.
    @Test func errorsThatAreFinalComeAtOnce() async throws {
        let (clock, live) = (ManualClock(), LiveBody())
        let server = Self.server(live)
        let transient = FakeServer.Reply.response(1, #""error":{"code":-32005,"message":"rate"}"#)
        let final = FakeServer.Reply.response(2, #""error":{"code":5,"message":"final"}"#)
        live.send("[\(transient),\(final),")
        var indices: [Int] = []
        for await (index, result) in try retrying(server, clock).outcomesAsTheyCome([
            Subtract(1), Subtract(2), Subtract(3),
        ]) {
            indices.append(index)
            switch index {
            case 1:
                #expect(result.callError?.errorObject?.code == 5)
                #expect(result.callError?.httpAnswer?.status == .ok)
                live.send("\(Self.result(3, 3))]")
                live.end()
            case 2:
                await clock.waitForSleeper(dueIn: .milliseconds(200))
                clock.advance(by: .milliseconds(200))
            default: #expect(result == .success(1))
            }
        }
        #expect(indices == [1, 2, 0])
    }

    @Test func aBatchWithAResultIsNotDivided() async throws {
        let live = LiveBody()
        let server = Self.server(live, .contentTooLarge)
        let error = FakeServer.Reply.response(2, #""error":{"code":-32600,"message":"batch too large"}"#)
        live.send("[\(Self.result(1, 10)),\(error)]")
        live.end()
        let outcomes = try await JSONRPCHTTPClient.over(server).batch([Subtract(10), Subtract(20)])
        #expect(outcomes[0] == .success(10))
        #expect(outcomes[1].callError?.errorObject?.code == -32600)
        #expect(server.arrivals.elements.count == 1)
    }

    @Test func aBatchIsDividedIfEachMemberSaysSo() async throws {
        let live = LiveBody()
        let server = Self.server(live)
        let errors = (1...2).map {
            FakeServer.Reply.response(JSONValue($0), #""error":{"code":-32600,"message":"batch too large"}"#)
        }
        live.send("[\(errors[0]),")
        live.send("\(errors[1])]")
        live.end()
        let outcomes = try await JSONRPCHTTPClient.over(server).batch([Subtract(10), Subtract(20)])
        #expect(outcomes == [.success(10), .success(20)])
        #expect(server.arrivals.elements.map(\.members.count) == [2, 1, 1])
    }

    @Test func irregularitiesAreReportedOnce() async throws {
        let live = LiveBody()
        let events = EventLog<String>()
        let rpc = JSONRPCHTTPClient.over(Self.server(live)) {
            $0.observe = {
                if case .irregular(let irregularity, let count, _) = $0 { events.record("\(irregularity) \(count)") }
            }
        }
        for text in ["[\(Self.result(1, 10)),", "\(Self.result(1, 11)),null,", "\(Self.result(1, 12)),7,"] {
            live.send(text)
        }
        live.send("\(Self.result(9, 1)),\(Self.result(2, 20))]")
        live.end()
        #expect(try await rpc.batch([Subtract(10), Subtract(20)]) == [.success(10), .success(20)])
        let expected: [(Irregularity, Int)] = [(.notAMessage, 2), (.unknownResponse, 1), (.duplicateResponse, 2)]
        #expect(events.elements == expected.map { "\($0.0) \($0.1)" })
    }
}
