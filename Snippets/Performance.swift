// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the article "Performance".
import JSONRPCWebSocket

func manyCalls(_ client: JSONRPCClient) async throws {
    let sums = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<1000 { group.addTask { try await client.call("sum", params: [number, 1]) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
    let outcomes = try await client.batch((0..<1000).map { MethodCall("sum", params: [$0, 1], as: Int.self) })
    print(sums.count, outcomes.count)
}

func onTheEventLoop(_ url: String) async throws {
    let eventLoops = WebSocketEventLoops(count: 1)
    let client = try await JSONRPCClient.connect(to: url, on: eventLoops)
    let total = try await withTaskExecutorPreference(eventLoops.executors[0]) {
        try await client.call("sum", params: [1, 2, 3], as: Int.self)
    }
    print(total)
}

func serving(_ session: DuplexSession) {
    session.handleSynchronously("sum") { (terms: [Int]) in terms.reduce(0, &+) }
}
