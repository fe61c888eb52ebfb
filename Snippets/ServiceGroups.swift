// swift-jsonrpc · SPDX-License-Identifier: MIT

// The sample of the page of JSONRPCServiceLifecycle: a program that serves and calls, until SIGTERM or SIGINT.
import JSONRPCServiceLifecycle
import JSONRPCWebSocket
import Logging
import ServiceLifecycle

func runServices(upstream: String) async throws {
    let listener = try await JSONRPCListener.listen(at: .host("127.0.0.1", port: 8080)) { session in
        session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
    }
    let client = JSONRPCClient(connector: WebSocketConnector(to: upstream), reconnect: .always)
    let group = ServiceGroup(
        services: [JSONRPCListenerService(listener), JSONRPCClientService(client, shutDownTimeout: .seconds(5))],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "example"))
    try await group.run()
}

print("Pass the URL of a server to `runServices(upstream:)`.")
