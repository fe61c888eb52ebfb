// swift-jsonrpc · SPDX-License-Identifier: MIT

// The first program of the article "Writing a server". It serves until Ctrl-C.
import JSONRPCWebSocket

let listener = try await JSONRPCListener.listen { session in
    session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
}
print("Serving on", listener.url)
await runUntilInterrupted { await listener.run() }
