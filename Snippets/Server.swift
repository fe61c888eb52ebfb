// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCWebSocket

/// Tells whether a request carries the token. The time for the comparison does not depend on the token's content.
func isAuthorized(_ request: JSONRPCListener.Request, token: String) -> Bool {
    let given = Array((request.header("Authorization") ?? "").utf8)
    let expected = Array("Bearer \(token)".utf8)
    guard given.count == expected.count else { return false }
    return zip(given, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}

func listen(token: String) async throws -> JSONRPCListener {
    var configuration = JSONRPCListener.Configuration()
    configuration.webSocket.maximumConnections = 500
    configuration.webSocket.connection.maximumMessageBytes = 1 << 20
    configuration.session.inbound.maximumCalls = 64
    return try await JSONRPCListener.listen(
        at: .host("127.0.0.1", port: 8080), configuration: configuration
    ) { session, request in
        guard request.path == "/rpc" else { throw WebSocketListener.UpgradeRefusal(status: 404) }
        guard isAuthorized(request, token: token) else {
            throw WebSocketListener.UpgradeRefusal(status: 401, headers: [("WWW-Authenticate", "Bearer")])
        }
        session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
    }
}

/// Sends a notification to every client.
func announce(_ news: String, to listener: JSONRPCListener) async {
    for session in listener.openSessions {
        // A session can end meanwhile. The others still get the notification.
        try? await session.notify("news", params: [news])
    }
}

guard let token = getenv("RPC_TOKEN").map({ String(cString: $0) }) else {
    print("Could not start: RPC_TOKEN is not set. Set it to the token that clients must send.")
    exit(2)
}
let listener = try await listen(token: token)
print("Serving on \(listener.url)rpc. Ctrl-C ends it.")
await runUntilInterrupted { await listener.run(shutDownTimeout: .seconds(10)) }
