// swift-jsonrpc · SPDX-License-Identifier: MIT

// A protocol is a service that can be called, and that can be served. This import suffices.
import JSONRPCMacros

struct Tick: Codable, Sendable {
    var count: Int
}

@JSONRPCProxy(params: .byName)
protocol Calculator {
    func addIntegers(first: Int, second: Int) async throws -> Int
    @RPC("math.sub", params: .byPosition, timeout: .seconds(2)) func subtract(_ a: Int, _ b: Int) async throws -> Int
    @RPCNotification func log(_ line: String) async throws
    @RPCNotifications("calculator.tick") var ticks: NotificationStream<Tick> { get }
}

// The peer is called by a method of Swift…
func call(over client: JSONRPCClient) async throws {
    let calculator = CalculatorProxy(over: client)
    let ticks = calculator.ticks
    try await calculator.log("begin")
    let sum = try await calculator.addIntegers(first: 10, second: 32)
    let difference = try await calculator.subtract(sum, 23)
    print(sum, difference)
    for try await tick in ticks.values { print("tick", tick.count) }
}

// …and calls an object of Swift.
struct MyCalculator: Calculator {
    let source = NotificationSource<Tick>()
    var ticks: NotificationStream<Tick> { source.stream }

    func addIntegers(first: Int, second: Int) async throws -> Int { first + second }

    func subtract(_ a: Int, _ b: Int) async throws -> Int { a - b }

    func log(_ line: String) async throws { print(line) }
}

func serve(over client: JSONRPCClient) { client.serve(CalculatorService(MyCalculator())) }
