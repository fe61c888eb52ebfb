// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples in the documentation of JSONRPCMacros.
import Foundation
import JSONRPCMacros

struct Tick: Codable, Sendable {
    var count: Int
}

enum Overview {
    @JSONRPCProxyAndService(params: .byName)
    protocol Calculator {
        func addIntegers(first: Int, second: Int) async throws -> Int
        @RPC("math.sub", params: .byPosition, timeout: .seconds(2)) func subtract(_ a: Int, _ b: Int) async throws
            -> Int
        @RPCNotification func log(_ line: String) async throws
        @RPCNotificationStream("calculator.tick") var ticks: NotificationStream<Tick> { get }
    }
}

enum Requirements {
    @JSONRPCProxy(params: .byName)
    protocol Calculator {
        func addIntegers(first: Int, second: Int) async throws -> Int
        @RPC("math.sub", params: .byPosition, timeout: .seconds(2))
        func subtract(_ a: Int, _ b: Int) async throws -> Int
        @RPCNotification func log(_ line: String) async throws
        @RPCNotificationStream("calculator.tick") var ticks: NotificationStream<Tick> { get }
    }

    static func use(over client: JSONRPCClient) async throws {
        let calculator = CalculatorProxy(over: client)
        print(try await calculator.addIntegers(first: 10, second: 32))

        let (sum, difference) = try await client.batch(
            CalculatorProxy.requests.addIntegers(first: 1, second: 2), CalculatorProxy.requests.subtract(5, 3))
        print(sum, difference)
    }
}

enum Services {
    @JSONRPCService
    protocol Calculator {
        func addIntegers(first: Int, second: Int) async throws -> Int
    }

    struct MyCalculator: Calculator {
        func addIntegers(first: Int, second: Int) async throws -> Int { first &+ second }
    }

    static func serve(over client: JSONRPCClient) { client.serve(CalculatorService(MyCalculator())) }
}

enum Errors {
    enum CalculatorError: CallErrorRepresentable {
        case divisionByZero
        case other(any Error)

        init(callError: any Error) {
            if let answer = callError as? ErrorObject, answer.code == 1 {
                self = .divisionByZero
            } else {
                self = .other(callError)
            }
        }

        var errorObject: ErrorObject {
            switch self {
            case .divisionByZero: ErrorObject(code: 1, message: "Division by zero")
            case .other: ErrorObject(.internalError)
            }
        }
    }

    @JSONRPCProxy
    protocol Calculator {
        func divide(_ a: Int, by b: Int) async throws(CalculatorError) -> Int
    }
}

enum Mocks {
    @JSONRPCProxy
    protocol Ticker {
        @RPCNotificationStream var ticks: NotificationStream<Tick> { get }
    }

    struct MockTicker: Ticker {
        let source = NotificationSource<Tick>()
        var ticks: NotificationStream<Tick> { source.stream }
    }

    static func use() throws {
        let mock = MockTicker()
        try mock.source.send(Tick(count: 1))
    }
}

enum Subscriptions {
    @JSONRPCProxy
    protocol Ticker {
        @RPCSubscription("ticks", unsubscribe: "untick") func ticks(every: Int) async throws -> Subscription<Tick>
        func missedTicks(after count: Int) async throws -> [Tick]
    }

    static func use(over client: JSONRPCClient) async throws {
        let ticker = TickerProxy(over: client)
        let ticks = try await ticker.ticks(every: 1)
        for try await tick in ticks.values.prefix(10) { print(tick.count) }
        await ticks.unsubscribe()
    }

    static func fetchMissed(over client: JSONRPCClient) async throws {
        let ticks = try await TickerProxy.requests.ticks(every: 1).subscribe(over: client) { last in
            try await TickerProxy(over: client).missedTicks(after: last?.count ?? 0)
        }
        for try await tick in ticks.values { print(tick.count) }
    }
}

struct Header: Decodable, Sendable {
    var number: String
}

struct Log: Decodable, Sendable {
    var address: String
}

@JSONRPCProxy(params: .byPosition)
protocol Ethereum {
    @RPCSubscription("eth_subscribe", unsubscribe: "eth_unsubscribe")
    func blocks(_ topic: String) async throws -> Subscription<Header>
    @RPCSubscription("eth_subscribe", unsubscribe: "eth_unsubscribe", sharing: true)
    func logs(_ topic: String, _ filter: [String: String]) async throws -> Subscription<Log>
}

extension Ethereum {
    func newHeads() async throws -> Subscription<Header> { try await blocks("newHeads") }
}

enum Transports {
    struct HTTPTransport: DataTransport {
        var post: @Sendable (Data) async throws -> Data

        func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8] {
            let answer = try await post(Data(message))
            return expectsResponse ? Array(answer) : []
        }
    }

    @JSONRPCProxy
    protocol Calculator {
        func addIntegers(first: Int, second: Int) async throws -> Int
    }

    func sum(over transport: HTTPTransport) async throws -> Int {
        try await CalculatorProxy(over: transport, params: .byPosition).addIntegers(first: 10, second: 32)
    }
}
