// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCMacros
import JSONRPCTesting
import TestTurns
import Testing

@JSONRPCProxy(prefix: "t.", nilArguments: .null)
protocol Toolbox {
    func add(_ a: Int, to b: Int) async throws -> Int
    func clear(why: String?) async throws
    func count() async throws -> Int?
    @RPC(params: .whole) func sum(_ numbers: [Int]) async throws -> Int
    @RPC(timeout: .milliseconds(1), coder: .isoDates, options: .session("s1")) func next(after: Date) async throws
        -> Date
    @RPCNotification(options: .session("s2")) func note(_ line: String) async throws
    @RPC("t.add") func add(_ a: Int, to b: Int, completion: @escaping @Sendable (Result<Int, any Error>) -> Void)
}

/// Calls of a proxy as requests.
@Suite(.inTurn(within: .seconds(60)))
struct RequestsTests {
    @Test func aBatchOfAProxysCallsGivesTypedResults() async throws {
        let link = try await ScriptedLink()
        async let script: Void = link.peer.play(
            #"""
            --> [{"jsonrpc":"2.0","id":1,"method":"addIntegers","params":{"first":1,"second":2}},{"jsonrpc":"2.0","id":2,"method":"math.sub","params":[5,3]},{"jsonrpc":"2.0","method":"log","params":{"line":"hi"}}]
            <-- [{"jsonrpc":"2.0","id":2,"result":2},{"jsonrpc":"2.0","id":1,"result":3}]
            """#)
        let (sum, difference, _) = try await link.client.batch(
            CalculatorProxy.requests.addIntegers(first: 1, second: 2), CalculatorProxy.requests.subtract(5, 3),
            CalculatorProxy.requests.log("hi"))
        #expect((sum + 0, difference + 0) == (3, 2))
        try await script
        try await link.close()
    }

    @Test func requestsOfSeveralMethodsWithOneResultTypeAreOneArray() async throws {
        let link = try await ServedLink(SessionConfiguration(), CalculatorService(MyCalculator()))
        let requests = CalculatorProxy.requests
        let outcomes = try await link.client.batch(
            [requests.addIntegers(first: 1, second: 2), requests.subtract(5, 3)])
        #expect(try outcomes.map { try $0.get() } == [3, 2])
        await link.client.close()
    }

    @Test func aCallWithoutAResultWaitsForItsAnswer() async throws {
        let link = try await ScriptedLink()
        let client = link.client
        async let outcomes = client.results(ToolboxProxy.requests.clear(why: nil), ToolboxProxy.requests.count())
        try await link.peer.play(
            #"""
            --> [{"jsonrpc":"2.0","id":1,"method":"t.clear","params":{"why":null}},{"jsonrpc":"2.0","id":2,"method":"t.count"}]
            <-- [{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":"no"}},{"jsonrpc":"2.0","id":2,"result":null}]
            """#)
        let (cleared, count) = try await outcomes
        guard case .failure(.answered(let error)) = cleared else { return #expect(Bool(false), "it did not wait") }
        #expect(error.code == 7)
        #expect(try count.get() == nil)
        try await link.close()
    }

    @Test func aRequestHasTheCoderAndTheExtraMembersOfItsMethod() async throws {
        let link = try await ScriptedLink()
        let client = link.client
        let epoch = Date(timeIntervalSince1970: 0)
        async let next = client.call(ToolboxProxy.requests.next(after: epoch))
        try await link.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"t.next","params":{"after":"1970-01-01T00:00:00Z"},"session":"s1"}
            <-- {"jsonrpc":"2.0","id":1,"result":"1970-01-02T00:00:00Z"}
            """#)
        #expect(try await next == epoch.addingTimeInterval(86_400))
        try await link.client.call(ToolboxProxy.requests.note("x"))
        #expect(try await link.peer.expectNotification("t.note", params: ["line": "x"]).json["session"] == "s2")
        try await link.close()
    }

    @Test func aRequestCanBeCalledOverACaller() async throws {
        let caller = TransportCaller(over: EchoObjectTransport())
        #expect(try await EchoByNameProxy.requests.addIntegers(first: 1, second: 2).call(over: caller) == 3)
    }

    @Test func requestsNeedNoConnection() throws {
        let batch = try BatchFactory().create(
            ToolboxProxy.requests(params: .byPosition).add(1, to: 2), ToolboxProxy.requests.sum([3, 4]),
            ToolboxProxy.requests.note("x"))
        #expect(
            String(decoding: batch.bytes, as: UTF8.self)
                == #"[{"jsonrpc":"2.0","id":1,"method":"t.add","params":[1,2]},{"jsonrpc":"2.0","id":2,"method":"t.sum","params":[3,4]},{"jsonrpc":"2.0","method":"t.note","params":{"line":"x"},"session":"s2"}]"#
        )
        let answer = #"[{"jsonrpc":"2.0","id":1,"result":3},{"jsonrpc":"2.0","id":2,"result":7}]"#
        let (first, second, _) = try batch.responses(from: Array(answer.utf8))
        #expect((first, second) == (3, 7))
    }

    /// A request has no completion handler, so the second of two methods gets another name.
    @Test func methodsThatDifferByTheirHandlerHaveTwoRequests() {
        #expect(ToolboxProxy.requests.add(1, to: 2).method == ToolboxProxy.requests.add_2(1, to: 2).method)
    }
}
