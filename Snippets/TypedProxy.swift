// swift-jsonrpc · SPDX-License-Identifier: MIT

// One protocol for both sides of a connection. This import suffices.
import JSONRPCMacros

struct Tick: Codable, Sendable {
    var count: Int
}

// The macro makes CalculatorProxy, whose methods call the peer, and CalculatorService, which answers the peer's calls.
@JSONRPCProxyAndService(params: .byName)
protocol Calculator {
    func addIntegers(first: Int, second: Int) async throws -> Int
    @RPC("math.sub", params: .byPosition, timeout: .seconds(2)) func subtract(_ a: Int, _ b: Int) async throws -> Int
    @RPCNotification func log(_ line: String) async throws
    @RPCNotificationStream("calculator.tick") var ticks: NotificationStream<Tick> { get }
}

// Call the peer.
func call(over client: JSONRPCClient) async throws {
    let calculator = CalculatorProxy(over: client)
    let ticks = calculator.ticks
    try await calculator.log("begin")
    let sum = try await calculator.addIntegers(first: 10, second: 32)
    let difference = try await calculator.subtract(sum, 23)
    print(sum, difference)
    for try await tick in ticks.values { print("tick", tick.count) }
}

// Send several calls as one batch. The results have the types of the methods.
func batch(over client: JSONRPCClient) async throws {
    let (sum, difference, _) = try await client.batch(
        CalculatorProxy.requests.addIntegers(first: 1, second: 2), CalculatorProxy.requests.subtract(5, 3),
        CalculatorProxy.requests.log("done"))
    print(sum + difference)
}

// Call a peer that accepts params by position only: this sends [10,32] in place of {"first":10,"second":32}.
func callByPosition(over client: JSONRPCClient) async throws {
    print(try await CalculatorProxy(over: client, params: .byPosition).addIntegers(first: 10, second: 32))
}

// Answer the peer's calls.
struct MyCalculator: Calculator {
    let source = NotificationSource<Tick>()
    var ticks: NotificationStream<Tick> { source.stream }

    func addIntegers(first: Int, second: Int) async throws -> Int { first + second }

    func subtract(_ a: Int, _ b: Int) async throws -> Int { a - b }

    func log(_ line: String) async throws { print(line) }
}

func serve(over client: JSONRPCClient) { client.serve(CalculatorService(MyCalculator())) }
