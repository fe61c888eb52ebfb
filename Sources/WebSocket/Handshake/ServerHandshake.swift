// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The opening handshake of a listener: whether a request is one that RFC 6455 §4.2.1 describes and that this listener
/// wants, and what it is answered.
struct ServerHandshake {
    let configuration: WebSocketListener.Configuration
    let address: WebSocketListener.Address

    /// A request to upgrade that can be accepted.
    struct Upgrade {
        var target: String
        var key: HandshakeKey
        /// What the client offers.
        var subprotocols: [String]
        /// The one that is chosen.
        var subprotocol: String?
        var deflate: PermessageDeflate?
    }

    /// A status other than 101, and what goes with it.
    struct Refusal: Error, Equatable {
        var status: Int
        /// One sentence, which becomes the body.
        var reason: String
        var fields: [String] = []

        init(_ status: Int, _ reason: String, fields: [String] = []) {
            self.status = status
            self.reason = reason
            self.fields = fields
        }
    }

    /// Reads a request.
    func upgrade(_ head: HTTPHead) throws(Refusal) -> Upgrade {
        let target = try Self.target(in: head.startLine)
        try checkFraming(head)
        try checkHost(head)
        // HTTP/1.0 knows no Upgrade (RFC 9110 §7.8): a proxy that speaks it has left the fields away.
        guard head.list("upgrade", has: "websocket"), head.list("connection", has: "upgrade"),
            !head.startLine.hasSuffix("HTTP/1.0")
        else {
            throw Refusal(
                426, "This server speaks WebSocket only.", fields: ["Upgrade: websocket", "Connection: Upgrade"])
        }
        guard head.values(of: "sec-websocket-version") == ["13"] else {
            throw Refusal(426, "The version of WebSocket has to be 13.", fields: ["Sec-WebSocket-Version: 13"])
        }
        let keys = head.values(of: "sec-websocket-key")
        guard keys.count == 1, let key = HandshakeKey(keys[0]) else {
            throw Refusal(400, "Sec-WebSocket-Key has to stand for 16 bytes, once.")
        }
        try checkOrigin(head)
        let offered = head.list("sec-websocket-protocol")
        let chosen = offered.first { configuration.subprotocols.contains($0) }
        if !offered.isEmpty, chosen == nil { throw Refusal(400, "None of the subprotocols is known.") }
        let deflate =
            configuration.connection.compression
            ? PermessageDeflate(offers: head.list("sec-websocket-extensions")) : nil
        return Upgrade(target: target, key: key, subprotocols: offered, subprotocol: chosen, deflate: deflate)
    }

    private static func target(in line: String) throws(Refusal) -> String {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].hasPrefix("HTTP/"), !parts[1].isEmpty else {
            throw Refusal(400, "The request line is malformed.")
        }
        guard parts[2].hasPrefix("HTTP/1.") else { throw Refusal(505, "The version of HTTP has to be 1.1.") }
        guard parts[0] == "GET" else { throw Refusal(405, "The method has to be GET.", fields: ["Allow: GET"]) }
        guard parts[1].hasPrefix("/"), parts[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Refusal(400, "The request target is malformed.")
        }
        return String(parts[1])
    }

    /// A request for an upgrade has no body: what follows it are frames.
    private func checkFraming(_ head: HTTPHead) throws(Refusal) {
        let lengths = head.values(of: "content-length")
        guard lengths.allSatisfy({ $0 == "0" }), head.values(of: "transfer-encoding").isEmpty else {
            throw Refusal(400, "The request has a body.")
        }
    }

    /// A page whose name was made to resolve to this machine sends that name (DNS rebinding).
    private func checkHost(_ head: HTTPHead) throws(Refusal) {
        let hosts = head.values(of: "host")
        guard hosts.count == 1 else { throw Refusal(400, "The request has to have one Host field.") }
        guard case .host(let listening, _) = address else { return }
        let isLoopback = Self.isLoopback(listening)
        guard isLoopback || !configuration.allowedHosts.isEmpty else { return }
        let name = Self.name(inHost: hosts[0])
        let isAllowed = configuration.allowedHosts.contains { $0.lowercased() == name }
        guard isAllowed || isLoopback && (name == "localhost" || Self.isLoopback(name)) else {
            throw Refusal(403, "The host is not one of this server's.")
        }
    }

    /// The name or address in a Host field, in lower case, without a port and without brackets.
    static func name(inHost host: String) -> String {
        let host = host.lowercased()
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }

    static func isLoopback(_ host: String) -> Bool {
        if host.contains(":") { return SocketAddress(numericHost: host, port: 0) == loopback6 }
        return host.hasPrefix("127.") && SocketAddress(numericHost: host, port: 0) != nil
    }

    private static let loopback6 = SocketAddress(numericHost: "::1", port: 0)

    /// Browsers send the origin of the page with each request, and ask nobody before.
    private func checkOrigin(_ head: HTTPHead) throws(Refusal) {
        let origins = head.values(of: "origin")
        guard let origin = origins.first else { return }
        guard origins.count == 1, configuration.allowedOrigins.allows(origin) else {
            throw Refusal(403, "The origin is not allowed.")
        }
    }

    // MARK: Answering

    static func answer(to upgrade: Upgrade) -> [UInt8] {
        var text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Accept: \(upgrade.key.accept)\r\n"
        if let subprotocol = upgrade.subprotocol { text += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        if let deflate = upgrade.deflate { text += "Sec-WebSocket-Extensions: \(deflate.answer)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    static func answer(_ refusal: Refusal) -> [UInt8] {
        var text = "HTTP/1.1 \(refusal.status) \(phrases[refusal.status] ?? "Refused")\r\n"
        for field in refusal.fields { text += field + "\r\n" }
        if !refusal.fields.contains(where: { $0.hasPrefix("Connection:") }) { text += "Connection: close\r\n" }
        let body = refusal.reason.isEmpty ? "" : refusal.reason + "\n"
        if !body.isEmpty { text += "Content-Type: text/plain; charset=utf-8\r\n" }
        text += "Content-Length: \(body.utf8.count)\r\n\r\n" + body
        return Array(text.utf8)
    }

    private static let phrases = [
        200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 426: "Upgrade Required", 429: "Too Many Requests", 500: "Internal Server Error",
        503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
}
