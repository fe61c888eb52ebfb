// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import TestTurns
import Testing

@testable import JSONRPCSession

/// The order of notifications and results. `SessionBehaviour.notificationsKeepTheirOrder` shows the order of one stream
/// over every transport, and `ReconnectStormTests` across reconnects.
@Suite(.inTurn(within: .seconds(100)))
struct DeliveryOrderTests {
    private let server = InMemoryConnector {
        let session = DuplexSession()
        session.handle("count") { (params: [Int], call: InboundCall) in
            for number in 0..<params[1] {
                try await call.session.notify("counted.\(params[0])", params: [number])
            }
            return params[1]
        }
        return session.receiver
    }

    /// When a call returns, all notifications before its result are in their streams, even if nothing more arrives.
    @Test(arguments: 1...20)
    func notificationsBeforeAResultAreInTheirStreamsWhenTheCallReturns(count: Int) async throws {
        for _ in 0..<10 {
            let client = JSONRPCClient(connector: server)
            let stream = client.notifications("counted.0", as: [Int].self)
            try await client.connect()
            #expect(try await client.call("count", params: [0, count]) == count)
            client.closeNow()
            let numbers = try await stream.values.reduce(into: []) { $0 += $1 }
            #expect(numbers == Array(0..<count))
            await client.close()
        }
    }

    /// Concurrent calls do not change the order of each other's notifications.
    @Test func eachStreamIsInOrderWhileManyCallsRun() async throws {
        let client = JSONRPCClient(connector: server)
        try await client.connect()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<50 { group.addTask { try await expectOrder(of: caller, over: client) } }
            try await group.waitForAll()
        }
        await client.close()
    }

    private func expectOrder(of caller: Int, over client: JSONRPCClient) async throws {
        let stream = client.notifications("counted.\(caller)", as: [Int].self)
        var iterator = stream.values.makeAsyncIterator()
        for _ in 0..<5 {
            #expect(try await client.call("count", params: [caller, 20]) == 20)
            for number in 0..<20 { #expect(try await iterator.next() == [number]) }
        }
    }
}
