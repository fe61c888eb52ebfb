// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the article "Certificates and tokens". Snippets/SecureProgram.swift is its program.
import JSONRPCWebSocket

/// Tells whether a request carries the token. The time for the comparison does not depend on the token's content.
func hasToken(_ token: String, _ request: JSONRPCListener.Request) -> Bool {
    let given = Array((request.header("Authorization") ?? "").utf8)
    let expected = Array("Bearer \(token)".utf8)
    guard given.count == expected.count else { return false }
    return zip(given, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}

func serve(token: String) async throws -> JSONRPCListener {
    var configuration = JSONRPCListener.Configuration()
    configuration.webSocket.tls = TLSListenerConfiguration(
        identity: TLSConfiguration.Identity(
            certificateChain: .file("cert.pem"), privateKey: .file("key.pem")))
    return try await JSONRPCListener.listen(
        at: .host("127.0.0.1", port: 8443), configuration: configuration
    ) { session, request in
        guard hasToken(token, request) else {
            throw WebSocketListener.UpgradeRefusal(status: 401, headers: [("WWW-Authenticate", "Bearer")])
        }
        session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
    }
}

/// Only clients with a certificate of the given authority can connect.
func serverOfKnownClients(_ identity: TLSConfiguration.Identity) -> TLSListenerConfiguration {
    var tls = TLSListenerConfiguration(identity: identity)
    tls.clientAuthorities = .file("clients.pem")
    return tls
}

/// A client with a certificate.
func knownClient() -> WebSocketConfiguration {
    var webSocket = WebSocketConfiguration()
    webSocket.tls.trust = .only(.file("servers.pem"))
    webSocket.tls.identity = TLSConfiguration.Identity(
        certificateChain: .file("client.pem"), privateKey: .file("client-key.pem"))
    return webSocket
}

actor Tokens {
    private var renewals = 0

    /// Returns a token that is valid now. A real program asks its issuer.
    func current() async throws -> String {
        renewals += 1
        return "token-\(renewals)"
    }
}

/// A token in the opening handshake, and a token in a first call.
func clientWithFreshTokens(_ url: String, _ tokens: Tokens) async throws -> JSONRPCClient {
    var webSocket = WebSocketConfiguration()
    webSocket.dynamicHeaders = { [("Authorization", "Bearer \(try await tokens.current())")] }
    var configuration = SessionConfiguration()
    configuration.onConnect = { session in
        let _: Bool = try await session.call("login", params: [try await tokens.current()])
    }
    return try await JSONRPCClient.connect(
        to: url, webSocket: webSocket, configuration: configuration, reconnect: .onLoss)
}

/// Whether the client of one session has logged in.
actor Login {
    private var isDone = false

    func check(_ token: String) throws {
        // Ask a database here. The connection serves other calls meanwhile.
        guard token == "secret" else { throw ErrorObject(code: 401, message: "Unknown token") }
        isDone = true
    }

    func require() throws {
        guard isDone else { throw ErrorObject(code: 401, message: "Log in first") }
    }
}

func serverWithLogin() async throws -> JSONRPCListener {
    try await JSONRPCListener.listen { session in
        let login = Login()
        session.handle("login") { (tokens: [String]) in
            try await login.check(tokens.first ?? "")
            return true
        }
        session.handle("add") { (terms: [Int]) in
            try await login.require()
            return terms.reduce(0, &+)
        }
    }
}

/// Replaces a listener, so that new connections get a renewed certificate. Open sessions go on.
func renew(_ old: JSONRPCListener, token: String) async throws -> JSONRPCListener {
    await old.stop()
    return try await serve(token: token)
}
