// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the articles "Writing a server" and "Deploying". Snippets/Server.swift is a whole program.
import JSONRPCWebSocket

func serveOnePath() async throws {
    let listener = try await JSONRPCListener.listen { session, request in
        guard request.path == "/rpc" else { throw WebSocketListener.UpgradeRefusal(status: 404) }
        session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
    }
    await listener.run()
}

func serveAuthorizedClients(isAuthorized: @escaping @Sendable (JSONRPCListener.Request) -> Bool) async throws {
    let listener = try await JSONRPCListener.listen { session, request in
        guard isAuthorized(request) else { throw WebSocketListener.UpgradeRefusal(status: 401) }
        session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
    }
    await listener.run()
}

func serveAsService() async throws {
    var configuration = JSONRPCListener.Configuration()
    configuration.webSocket.allowedOrigins = .only(["https://app.example"])  // only if web pages connect
    configuration.webSocket.maximumConnections = 4000
    configuration.webSocket.connection.maximumMessageBytes = 1 << 20
    configuration.session.inbound.maximumCalls = 64
    configuration.session.inbound.maximumBytes = 4 << 20
    let listener = try await JSONRPCListener.listen(
        at: .unixSocket("/run/example/rpc.sock"), configuration: configuration
    ) { session in
        session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
    }
    print("Serving on", listener.url)
    await runUntilInterrupted { await listener.run(shutDownTimeout: .seconds(10)) }
}

func notifyEveryClient(of listener: JSONRPCListener) async {
    for session in listener.openSessions {
        try? await session.notify("news", params: ["The build is green."])
    }
}
