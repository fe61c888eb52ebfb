// swift-jsonrpc · SPDX-License-Identifier: MIT

// The last program of the article "Getting started". It needs nothing but this package, and runs until Ctrl-C.
import JSONRPCWebSocket

let server = try await JSONRPCListener.listen { session in
    session.handle("sum") { (terms: [Int]) in terms.reduce(0, &+) }
}
let client = try await JSONRPCClient.connect(to: server.url)
print("Connected to", server.url)
let signal = try await runUntilInterrupted { try await client.run() }
print("Closed after", signal.map { "signal \($0)" } ?? "no signal")
await server.shutDown()
