// swift-jsonrpc · SPDX-License-Identifier: MIT

// The program of the article "Certificates and tokens", a server and its client.
import JSONRPCWebSocket

let token = "a long random text"

/// Tells whether a request carries the token. The time for the comparison does not depend on the token's content.
func isAuthorized(_ request: JSONRPCListener.Request, token: String) -> Bool {
    let given = Array((request.header("Authorization") ?? "").utf8)
    let expected = Array("Bearer \(token)".utf8)
    guard given.count == expected.count else { return false }
    return zip(given, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}

// The server.
var configuration = JSONRPCListener.Configuration()
configuration.webSocket.tls = TLSListenerConfiguration(
    identity: TLSConfiguration.Identity(certificateChain: .file("cert.pem"), privateKey: .file("key.pem")))
let server = try await JSONRPCListener.listen(configuration: configuration) { session, request in
    guard isAuthorized(request, token: token) else {
        throw WebSocketListener.UpgradeRefusal(status: 401, headers: [("WWW-Authenticate", "Bearer")])
    }
    session.handle("sum") { (terms: [Int]) in terms.reduce(0, &+) }
}

// The client.
var webSocket = WebSocketConfiguration()
webSocket.tls.trust = .only(.file("cert.pem"))
webSocket.headers = [("Authorization", "Bearer \(token)")]
let sum = try await JSONRPCClient.withConnection(to: server.url, webSocket: webSocket) { client in
    try await client.call("sum", params: [1, 2, 3], as: Int.self)
}
print("sum:", sum)

// A client without the token.
webSocket.headers = []
do {
    _ = try await JSONRPCClient.connect(to: server.url, webSocket: webSocket)
} catch let error as ClientError {
    print("status:", (error.cause as? WebSocketError)?.response?.status ?? 0)
}
await server.stop()
