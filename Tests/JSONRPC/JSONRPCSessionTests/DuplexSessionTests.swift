// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct DuplexSessionTests {
    @Test func callsAreAnsweredOverTheInMemoryTransport() async throws {
        let server = DuplexSession()
        server.handle("subtract") { (numbers: [Int]) in numbers.reduce(0) { $1 - $0 } }
        let client = JSONRPCClient(connector: InMemoryConnector { server.receiver })
        try await client.connect()
        let difference: Int = try await client.call("subtract", params: [23, 42])
        #expect(difference == 19)
        let started = client.notifications("started", as: [String].self)
        try await server.notify("started", params: ["2089b05ecca3d829"])
        var iterator = started.makeAsyncIterator()
        #expect(try await iterator.next() == .value(["2089b05ecca3d829"]))
        await client.close()
        await server.closed()
        #expect(client.session?.callCounts.issued == nil || client.session?.callsInFlight == 0)
    }
}
