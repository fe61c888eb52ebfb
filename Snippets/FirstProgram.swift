// swift-jsonrpc · SPDX-License-Identifier: MIT

// The program in README: it needs nothing but this package, and ends.
import JSONRPCWebSocket

let server = try await JSONRPCListener.listen { session in
    session.handle("sum") { (terms: [Int]) in terms.reduce(0, &+) }
}
try await JSONRPCClient.withConnection(to: server.url) { client in
    async let first: Int = client.call("sum", params: [1, 2, 3])
    async let second: Int = client.call("sum", params: [40, 2], timeout: .seconds(5))
    print(try await first, try await second)
}
await server.stop()
