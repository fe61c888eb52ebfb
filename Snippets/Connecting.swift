// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// One import: TLS, header fields, a proxy, event loops, and the codes of errors.
func version(token: @escaping @Sendable () async throws -> String) async throws -> String? {
    var webSocket = WebSocketConfiguration()
    webSocket.headers = [("X-Client", "example")]
    webSocket.dynamicHeaders = { [("Authorization", "Bearer \(try await token())")] }
    webSocket.tls.trust = .only(.file("authority.pem"))
    webSocket.tls.minimumVersion = .tls13
    webSocket.proxy = ProxyPolicy.http("http://proxy.example:3128")
    let loops = WebSocketEventLoops(count: 2)
    do {
        return try await JSONRPCClient.withConnection(
            to: "wss://example.org/rpc", webSocket: webSocket, on: loops
        ) { client in
            try await client.call("version", as: String.self)
        }
    } catch let error as ClientError where error.isRetryable {
        let wait = (error.cause as? any ConnectError)?.retryAfter ?? .seconds(1)
        print("The server cannot be reached at the moment. Try again in \(wait).")
    } catch let error as ClientError where error.code == .connectFailed {
        guard let cause = error.cause as? WebSocketError else { throw error }
        switch cause.code {
        case .upgradeRefused: print("The server answered with the status", cause.response?.status ?? 0)
        case .certificateExpired, .certificateWrongHost: print("Check the server's certificate:", cause)
        default: print(error)
        }
    }
    return nil
}

print(try await version(token: { "secret" }) ?? "no version")
