// swift-jsonrpc · SPDX-License-Identifier: MIT

import BlockStreamExample
import Foundation
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// The recipe for a subscription in Ethereum's form, run against a chain of eth-tester.
@Suite(.serialized, .inTurn(within: .seconds(240)))
struct BlockStreamRecipeTests {
    /// Writes a log with the topic 7 and the data 42 when it is called.
    private static let contract = "0x6c602a600052600760206000a100600052600d6013f3"
    private static let topic = "0x" + String(repeating: "0", count: 63) + "7"

    /// A local node restarts soon, so the pauses need not be long.
    private var reconnect: ReconnectPolicy {
        var reconnect = ReconnectPolicy.always
        reconnect.backoff.maximum = .milliseconds(500)
        return reconnect
    }

    private func withChain(
        _ body: (_ file: String, _ port: Int, _ url: String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            let port = try LoopbackPort.reserve()
            try await body(folder + "/chain", port, "ws://127.0.0.1:\(port)/")
        }
    }

    private func startNode(_ file: String, port: Int, missedBlocks: Int = 0) async throws -> PeerProcess {
        try await PythonPeer.start(PythonPeer.ethereumNode, [file, "\(port)", "\(missedBlocks)"])
    }

    private func mine(_ count: Int, over client: JSONRPCClient) async throws {
        for _ in 0..<count { try await client.call("evm_mine") }
    }

    @Test func noBlockIsMissingAfterTheNodeWasKilled() async throws {
        try await withChain { file, port, url in
            var node = try await startNode(file, port: port)
            let client = try await JSONRPCClient.connect(to: url, reconnect: reconnect)
            let heads = EventLog<Header>()
            let reader = Task {
                try await readBlocks(of: client) {
                    heads.record($0); return $0.number < Quantity(66)
                }
            }
            #expect(await untilTrue { client.subscriptionCounts.active == 1 })
            // The first time, the connection is lost before the first block. The last time, more blocks are missed than
            // the recipe fetches with one batch.
            for (missed, last) in [(3, 3), (4, 8), (55, 64)] {
                try await kill(node)
                node = try await startNode(file, port: port, missedBlocks: missed)
                await heads.wait(count: last)
                try await mine(1, over: client)
                await heads.wait(count: last + 1)
            }
            try await mine(1, over: client)
            try await reader.value
            expectChain(heads.elements, count: 66)
            #expect(client.subscriptionCounts.active == 0)
            #expect(client.subscriptionCounts.unknownNotifications == 0)
            await client.close()
            await node.stop()
        }
    }

    @Test func noBlockComesTwice() async throws {
        try await withChain { file, port, url in
            var node = try await startNode(file, port: port)
            let subscribes = EventLog<WireTraceEvent>()
            var configuration = SessionConfiguration()
            configuration.diagnostics.trace = {
                if $0.direction == .sent, $0.text.contains("eth_subscribe") { subscribes.record($0) }
            }
            let client = try await JSONRPCClient.connect(to: url, configuration: configuration, reconnect: reconnect)
            let heads = EventLog<Header>()
            let (release, gate) = AsyncStream.makeStream(of: Void.self)
            let reader = Task {
                try await readBlocks(of: client) { head in
                    heads.record(head)
                    if head.number == Quantity(1) { for await _ in release {} }
                    return head.number < Quantity(8)
                }
            }
            #expect(await untilTrue { client.subscriptionCounts.active == 1 })
            try await mine(1, over: client)
            await heads.wait(count: 1)

            // While the reader is busy, blocks are missed, and others are published to the new subscription.
            try await kill(node)
            node = try await startNode(file, port: port, missedBlocks: 2)
            await subscribes.wait(count: 2)
            try await mine(3, over: client)
            gate.finish()
            await heads.wait(count: 6)
            try await mine(2, over: client)
            try await reader.value
            expectChain(heads.elements, count: 8)
            await client.close()
            await node.stop()
        }
    }

    @Test func logsAreFilteredAndTheMissedOnesFetched() async throws {
        try await withChain { file, port, url in
            var node = try await startNode(file, port: port)
            let client = try await JSONRPCClient.connect(to: url, reconnect: reconnect)
            let account = try #require(try await client.call("eth_accounts", as: [String].self).first)
            let contract = try await deploy(from: account, over: client)
            let other = try await deploy(from: account, over: client)
            let filter = LogFilter(address: contract, topics: [Self.topic])
            let logs = try await logs(of: client, matching: filter)
            var elements = logs.makeAsyncIterator()

            try await invoke(other, from: account, over: client)
            try await invoke(contract, from: account, over: client)
            let first = try #require(try await elements.next()?.value)
            #expect(first.address == contract && first.topics == [Self.topic])
            #expect(first.data.hasSuffix("2a"))
            #expect(first.blockNumber == Quantity(4), "two contracts, and a call of the other contract came before")

            // Another client uses the chain while this client has no connection.
            try await kill(node)
            let elsewhere = try LoopbackPort.reserve()
            node = try await startNode(file, port: elsewhere)
            try await JSONRPCClient.withConnection(to: "ws://127.0.0.1:\(elsewhere)/") { client in
                for _ in 0..<2 {
                    try await invoke(contract, from: account, over: client)
                    try await invoke(other, from: account, over: client)
                }
            }
            try await kill(node)
            node = try await startNode(file, port: port)
            #expect(try await elements.next() == .gap(NotificationGap(reason: .reconnected, count: nil)))
            #expect(try await elements.next()?.value?.blockNumber == Quantity(5))
            #expect(try await elements.next()?.value?.blockNumber == Quantity(7))
            try await invoke(contract, from: account, over: client)
            #expect(try await elements.next()?.value?.blockNumber == Quantity(9))

            let id = try #require(logs.id)
            await logs.unsubscribe()
            #expect(try await client.call("eth_unsubscribe", params: [id.json], as: Bool.self) == false)
            await client.close()
            await node.stop()
        }
    }

    @Test func aSubscriptionThatTheNodeRefusesThrowsItsError() async throws {
        try await withChain { file, port, url in
            let node = try await startNode(file, port: port)
            try await JSONRPCClient.withConnection(to: url, reconnect: .onLoss) { client in
                let error = await #expect(throws: ErrorObject.self) {
                    try await client.subscribe("eth_follow", unsubscribe: "eth_unsubscribe", as: Header.self)
                }
                #expect(error?.code == .methodNotFound)
            }
            await node.stop()
        }
    }

    // MARK: The chain

    private func kill(_ node: PeerProcess) async throws {
        node.signal(SIGKILL)
        #expect(try await node.exitStatus() == -SIGKILL)
    }

    /// Creates a contract, and returns its address.
    private func deploy(from account: String, over client: JSONRPCClient) async throws -> String {
        struct Receipt: Decodable, Sendable { var contractAddress: String }
        let transaction = try await client.call(
            "eth_sendTransaction", params: [["from": account, "gas": "0x30d40", "data": Self.contract]],
            as: String.self)
        return try await client.call("eth_getTransactionReceipt", params: [transaction], as: Receipt.self)
            .contractAddress
    }

    /// Calls a contract, which writes a log. The transaction is a block of its own.
    private func invoke(_ contract: String, from account: String, over client: JSONRPCClient) async throws {
        try await client.call(
            "eth_sendTransaction", params: [["from": account, "to": contract, "gas": "0x30d40"]])
    }

    private func expectChain(_ heads: [Header], count: Int) {
        #expect(heads.map(\.number.value) == (1...UInt64(count)).map { $0 })
        for (head, next) in zip(heads, heads.dropFirst()) { #expect(next.parentHash == head.hash) }
    }
}
