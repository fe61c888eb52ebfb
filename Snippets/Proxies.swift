// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the article "Proxies".
import Foundation
import JSONRPCMacros

@JSONRPCProxyAndService
protocol Calculator {
    func addIntegers(first: Int, second: Int) async throws -> Int
    @RPC("math.sub", params: .byPosition) func subtract(_ a: Int, _ b: Int) async throws -> Int
    @RPCNotification func log(_ line: String) async throws
}

extension Calculator {
    func addIntegers(first: Int) async throws -> Int { try await addIntegers(first: first, second: 1) }
}

func sum(over client: JSONRPCClient) async throws -> Int {
    try await CalculatorProxy(over: client).addIntegers(first: 10, second: 32)
}

func sum(over transport: some DataTransport) async throws -> Int {
    try await CalculatorProxy(over: transport).addIntegers(first: 10, second: 32)
}

func params(over client: JSONRPCClient) async throws {
    let named = CalculatorProxy(over: client)
    print(try await named.addIntegers(first: 10, second: 32))  // {"first":10,"second":32}
    let placed = CalculatorProxy(over: client, params: .byPosition)
    print(try await placed.addIntegers(first: 10, second: 32))  // [10,32]
}

extension MessageCoder where Self == WireJSONCoder {
    static var isoDates: WireJSONCoder {
        var coder = WireJSONCoder()
        coder.encoder.dateEncodingStrategy = .iso8601
        coder.decoder.dateDecodingStrategy = .iso8601
        return coder
    }
}

@JSONRPCProxy
protocol Calendar {
    @RPC(coder: .isoDates) func next(after date: Date) async throws -> Date
    func last() async throws -> Date
}

func dates(over client: JSONRPCClient) async throws {
    let calendar = CalendarProxy(over: client.coding(with: .isoDates))
    print(try await calendar.last())
}

func dates() async throws {
    var configuration = SessionConfiguration()
    configuration.coder = .isoDates
    let session = DuplexSession(configuration: configuration)
    print(try await CalendarProxy(over: session).last())
}

func serve(over client: JSONRPCClient) {
    struct MyCalculator: Calculator {
        func addIntegers(first: Int, second: Int) async throws -> Int { first &+ second }
        func subtract(_ a: Int, _ b: Int) async throws -> Int { a &- b }
        func log(_ line: String) async throws { print(line) }
    }

    client.serve(CalculatorService(MyCalculator()))
}
