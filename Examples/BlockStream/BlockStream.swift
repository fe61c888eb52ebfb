// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCWebSocket

/// Reads the headers of new blocks until `body` returns `false`. No block is missing, also after the node was
/// restarted, and none comes twice.
///
/// - Parameter client: A client that reconnects.
/// - Throws: An error if the reader is 1024 blocks behind; the errors of the subscription, of a call, and of `body`.
public func readBlocks(of client: JSONRPCClient, _ body: (Header) async throws -> Bool) async throws {
    // The last block before the subscription, in case the connection is lost before the first new block.
    let start = try await client.call(GetBlock.latest)
    let heads = try await client.subscribe(
        "eth_subscribe", params: ["newHeads"], unsubscribe: "eth_unsubscribe", overflow: .fail(capacity: 1024),
        as: Header.self
    ) { last in
        guard let last = last ?? start else { return [] }
        return try await blocks(after: last.number, of: client)
    }
    // A block that the node publishes while the missed blocks are fetched comes twice.
    var recent: [String] = []
    for try await head in heads.values where !recent.contains(head.hash) {
        recent = recent.suffix(1023) + [head.hash]
        guard try await body(head) else { return await heads.unsubscribe() }
    }
}

/// Fetches the headers of all blocks after a number, 20 with each batch.
private func blocks(after number: Quantity, of client: JSONRPCClient) async throws -> [Header] {
    var found: [Header] = []
    while true {
        let last = found.last?.number.value ?? number.value
        let outcomes = try await client.batch((1...20).map { GetBlock(Quantity(last &+ $0)) })
        let page = try outcomes.compactMap { try $0.get() }
        found += page
        guard page.count == outcomes.count else { return found }
    }
}

/// Subscribes to the logs that match a filter. After a restart of the node, the missed logs are fetched.
public func logs(of client: JSONRPCClient, matching filter: LogFilter) async throws -> Subscription<Log> {
    let start = try await client.call("eth_blockNumber", as: Quantity.self)
    return try await client.subscribe(
        "eth_subscribe", params: ByPosition("logs", filter), unsubscribe: "eth_unsubscribe", as: Log.self
    ) { last in
        var filter = filter
        filter.fromBlock = last?.blockNumber ?? Quantity(start.value &+ 1)
        let logs = try await client.call(
            "eth_getLogs", params: [filter], as: [Log].self, options: CallOptions(isIdempotent: true))
        guard let last else { return logs }
        return logs.filter { ($0.blockNumber, $0.logIndex) > (last.blockNumber, last.logIndex) }
    }
}
