// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import TestSupport

struct Tick: Codable, Sendable, Equatable {
    var count: Int
}

@JSONRPCProxyAndService(params: .byName)
protocol Calculator {
    func addIntegers(first: Int, second: Int) async throws -> Int
    @RPC("math.sub", params: .byPosition, timeout: .seconds(2)) func subtract(_ a: Int, _ b: Int) async throws -> Int
    @RPCNotification func log(_ line: String) async throws
    @RPCNotificationStream("calculator.tick") var ticks: NotificationStream<Tick> { get }
}

struct MyCalculator: Calculator {
    let lines = EventLog<String>()
    let source = NotificationSource<Tick>()

    var ticks: NotificationStream<Tick> { source.stream }

    func addIntegers(first: Int, second: Int) async throws -> Int { first + second }

    func subtract(_ a: Int, _ b: Int) async throws -> Int { a - b }

    func log(_ line: String) async throws { lines.record(line) }
}
