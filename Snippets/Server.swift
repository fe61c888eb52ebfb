// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import JSONRPCWebSocket

/// Compares in a time that does not tell how much of the token was right.
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
    configuration.session.maximumInboundCalls = 64
    return try await JSONRPCListener.listen(
        at: .host("127.0.0.1", port: 8080), configuration: configuration
    ) { session, request in
        guard request.path == "/rpc" else { throw UpgradeRefusal(status: 404) }
        guard isAuthorized(request, token: token) else {
            throw UpgradeRefusal(status: 401, headers: [("WWW-Authenticate", "Bearer")])
        }
        session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
    }
}

/// Cancels a task at the first SIGINT (Ctrl-C) or SIGTERM. Keep the sources for as long as signals are to be handled.
func cancel(_ task: Task<Void, Never>, on signals: [Int32]) -> [any DispatchSourceSignal] {
    signals.map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { task.cancel() }
        source.activate()
        return source
    }
}

/// Tells every client.
func announce(_ news: String, to listener: JSONRPCListener) async {
    for session in listener.openSessions {
        // A session that has ended meanwhile is no reason to leave the others out.
        try? await session.notify("news", params: [news])
    }
}

guard let token = getenv("RPC_TOKEN").map({ String(cString: $0) }) else {
    print("Set RPC_TOKEN to the token that clients have to send.")
    exit(2)
}
let listener = try await listen(token: token)
print("Serving on \(listener.url)rpc. Ctrl-C ends it.")
let running = Task { await listener.run(shutDownTimeout: .seconds(10)) }
let sources = cancel(running, on: [SIGINT, SIGTERM])
await running.value
for source in sources { source.cancel() }
