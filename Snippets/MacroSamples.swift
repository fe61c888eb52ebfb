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
