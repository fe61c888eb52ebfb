// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

struct Header: Decodable, Sendable {
    var number: String
    var hash: String
}

/// A subscription in Ethereum's form that survives restarts of the server, and says where blocks are missing.
func printHeads(from url: String) async throws {
    let client = try await JSONRPCClient.connect(to: url, reconnect: .onLoss)
    let heads = try await client.subscribe(
        "eth_subscribe", params: ["newHeads"], unsubscribe: "eth_unsubscribe", as: Header.self)
    for try await element in heads {
        switch element {
        case .value(let header): print("block", header.number)
        case .gap(let gap): print("blocks are missing here:", gap)
        }
    }
}

struct Tick: Decodable, Sendable {
    var number: Int
}

/// A subscription whose notifications are found by their method. It fetches the ticks that it missed.
func printTicks(of client: JSONRPCClient) async throws {
    let ticks = try await client.subscribe(
        "ticks", params: ["every": 1], unsubscribe: "untick", style: .methodName("tick"),
        overflow: .dropOldest(capacity: 100), as: Tick.self
    ) { last in
        try await client.call("ticksAfter", params: [last?.number ?? 0])
    }
    for try await tick in ticks.values.prefix(10) { print(tick.number) }
    await ticks.unsubscribe()
}

/// A form that no built-in style reads: `{"stream": id, "data": value}` or `{"stream": id, "done": true}`.
enum StreamStyle {
    struct Message: Decodable {
        var stream: RawJSON
        var data: RawJSON?
        var done: Bool?
    }

    static let style = SubscriptionStyle.custom(notification: "event") { notification in
        guard let message = try? notification.params?.decode(as: Message.self),
            let id = SubscriptionID(message.stream)
        else { return nil }
        return SubscriptionStyle.Message(
            id: id, payload: message.data, kind: message.done == true ? .completed : .value)
    }
}

print("Pass the URL of an Ethereum node to `printHeads(from:)`.")
