// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

@JSONRPCProxyAndService(prefix: "counter.")
protocol Counter: Sendable {
    func increase(by amount: Int) async throws -> Int
    func fail() async throws
}

actor MyCounter: Counter {
    private var count = 0

    struct Secret: Error {}

    func increase(by amount: Int) async throws -> Int {
        count += amount
        return count
    }

    func fail() async throws { throw Secret() }
}

@JSONRPCService
protocol Doubler {
    func double(_ number: Int) async throws -> Int
}

struct MyDoubler: Doubler {
    var factor = 2

    func double(_ number: Int) async throws -> Int { number * factor }
}

@MainActor
@JSONRPCProxyAndService
protocol Screen {
    func width() async throws -> Int
    func resize(to width: Int, completion: @escaping @Sendable (Result<Int, any Error>) -> Void)
    func clear(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) -> Task<Void, Never>
}

@MainActor final class MyScreen: Screen {
    private var columns = 80

    func width() async throws -> Int { columns }

    func resize(to width: Int, completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
        defer { columns = width }
        completion(.success(columns))
    }

    func clear(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) -> Task<Void, Never> {
        Task { completion(.success(())) }
    }
}

@Suite(.inTurn(within: .seconds(60)))
struct ServiceTests {
    @Test func completionHandlersOfAMainActorProtocolAreServed() async throws {
        let link = try await ScriptedLink()
        let screen = ScreenService(MyScreen())
        link.client.serve(screen)
        try await link.peer.play(
            #"""
            <-- {"jsonrpc":"2.0","id":1,"method":"resize","params":{"to":132}}
            --> {"jsonrpc":"2.0","id":1,"result":80}
            <-- {"jsonrpc":"2.0","id":2,"method":"width"}
            --> {"jsonrpc":"2.0","id":2,"result":132}
            <-- {"jsonrpc":"2.0","id":3,"method":"clear"}
            --> {"jsonrpc":"2.0","id":3,"result":null}
            """#)
        try await link.close()
    }

    @Test func aMethodWithoutAResultAnswersNull() async throws {
        let link = try await ScriptedLink()
        link.client.serve(BankService(MyBank()))
        link.client.serve(CallbacksService(MyCallbacks()))
        try await link.peer.play(
            #"""
            <-- {"jsonrpc":"2.0","id":1,"method":"ping"}
            --> {"jsonrpc":"2.0","id":1,"result":null}
            <-- {"jsonrpc":"2.0","id":2,"method":"pong"}
            --> {"jsonrpc":"2.0","id":2,"result":null}
            <-- {"jsonrpc":"2.0","id":3,"method":"touch","params":[1]}
            --> {"jsonrpc":"2.0","id":3,"result":null}
            """#)
        try await link.close()
    }

    @Test func anActorCanBeTheObject() async throws {
        let link = try await ServedLink(SessionConfiguration(), CounterService(MyCounter()))
        let counter = CounterProxy(over: link.client)
        let counts = try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { try await counter.increase(by: 1) } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(counts == Set(1...100))
        await link.client.close()
    }

    @Test func otherErrorsOfTheObjectDoNotLeak() async throws {
        let link = try await ServedLink(SessionConfiguration(), CounterService(MyCounter()))
        let error = await #expect(throws: ErrorObject.self) { try await CounterProxy(over: link.client).fail() }
        #expect(error == ErrorObject(.internalError))
        await link.client.close()
    }

    @Test func twoServicesServeSideBySideAndTheLaterReplacesTheEarlier() async throws {
        let link = try await ScriptedLink()
        link.client.serve(CounterService(MyCounter()))
        link.client.serve(DoublerService(MyDoubler()))
        link.client.serve(DoublerService(MyDoubler(factor: 3)))
        try await link.peer.play(
            #"""
            <-- {"jsonrpc":"2.0","id":1,"method":"double","params":[21]}
            --> {"jsonrpc":"2.0","id":1,"result":63}
            <-- {"jsonrpc":"2.0","id":2,"method":"counter.increase","params":[21]}
            --> {"jsonrpc":"2.0","id":2,"result":21}
            <-- {"jsonrpc":"2.0","id":3,"method":"triple","params":[21]}
            --> {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found"}}
            """#)
        try await link.close()
    }

    @Test func aClientServesAndCallsOverOneConnection() async throws {
        let server = DuplexSession()
        server.serve(CounterService(MyCounter()))
        server.handle("ask") { (params: [Int], call: InboundCall) async throws -> Int in
            try await call.session.call("double", params: params)
        }
        let client = JSONRPCClient(connector: InMemoryConnector { server.receiver })
        client.serve(DoublerService(MyDoubler()))
        try await client.connect()
        #expect(try await CounterProxy(over: client).increase(by: 4) == 4)
        #expect(try await client.call("ask", params: [4], as: Int.self) == 8)
        await client.close()
    }
}
