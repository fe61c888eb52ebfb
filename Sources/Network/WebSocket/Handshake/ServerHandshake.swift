// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The opening handshake of a listener: the check of a request against RFC 6455 §4.2.1 and the listener's options, and
/// the answer.
struct ServerHandshake {
    typealias Refusal = WebSocketListener.UpgradeRefusal

    let configuration: WebSocketListener.Configuration
    let address: WebSocketListener.Address

    /// An upgrade request that can be accepted.
    struct Upgrade {
        var target: String
        var key: HandshakeKey
        var subprotocols: [String]
        /// The chosen subprotocol, or `nil` if the client offers none.
        var subprotocol: String?
        var deflate: PermessageDeflate?
    }

    /// Checks a request. Throws a refusal if it is not accepted.
    func upgrade(_ head: HTTPHead) throws(Refusal) -> Upgrade {
        let target = try Self.target(in: head.startLine)
        // Frames follow an upgrade request, so it cannot have a body.
        let lengths = head.values(of: "content-length")
        guard lengths.allSatisfy({ $0 == "0" }), head.values(of: "transfer-encoding").isEmpty else {
            throw Refusal(400, "The request must not have a body.")
        }
        try checkHost(head)
        // HTTP/1.0 has no Upgrade (RFC 9110 §7.8), so a proxy that speaks HTTP/1.0 may have removed the fields.
        guard head.list("upgrade", has: "websocket"), head.list("connection", has: "upgrade"),
            !head.startLine.hasSuffix("HTTP/1.0")
        else {
            throw Refusal(
                426, "This server speaks WebSocket only.",
                headers: [("Upgrade", "websocket"), ("Connection", "Upgrade")])
        }
        guard head.values(of: "sec-websocket-version") == ["13"] else {
            throw Refusal(426, "The version of WebSocket must be 13.", headers: [("Sec-WebSocket-Version", "13")])
        }
        let keys = head.values(of: "sec-websocket-key")
        guard keys.count == 1, let key = HandshakeKey(keys[0]) else {
            throw Refusal(400, "The request must have one Sec-WebSocket-Key, which encodes 16 bytes.")
        }
        try checkOrigin(head)
        let offered = head.list("sec-websocket-protocol")
        let chosen = offered.first { configuration.subprotocols.contains($0) }
        if !offered.isEmpty, chosen == nil {
            throw Refusal(400, "This server knows none of the offered subprotocols.")
        }
        let offers = configuration.connection.compression ? head.list("sec-websocket-extensions") : []
        let deflate = offers.lazy.compactMap { PermessageDeflate(offer: $0) }.first
        return Upgrade(target: target, key: key, subprotocols: offered, subprotocol: chosen, deflate: deflate)
    }

    private static func target(in line: String) throws(Refusal) -> String {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].hasPrefix("HTTP/"), !parts[1].isEmpty else {
            throw Refusal(400, "The request line is malformed.")
        }
        guard parts[2].hasPrefix("HTTP/1.") else {
            throw Refusal(505, "The version of HTTP must be 1.1.")
        }
        guard parts[0] == "GET" else {
            throw Refusal(405, "The method must be GET.", headers: [("Allow", "GET")])
        }
        guard parts[1].hasPrefix("/"), parts[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Refusal(400, "The request target is malformed.")
        }
        return String(parts[1])
    }

    /// Checks the `Host` field. A web page whose host name resolves to this machine sends that name (DNS rebinding).
    private func checkHost(_ head: HTTPHead) throws(Refusal) {
        let hosts = head.values(of: "host")
        guard hosts.count == 1 else {
            throw Refusal(400, "The request must have one Host field.")
        }
        let name = try Self.name(inHost: hosts[0])
        guard case .host(let listening, _) = address else { return }
        let isLoopback = Self.isLoopback(listening)
        guard isLoopback || !configuration.allowedHosts.isEmpty else { return }
        let isAllowed = configuration.allowedHosts.contains { $0.lowercased() == name }
        guard isAllowed || isLoopback && (name == "localhost" || Self.isLoopback(name)) else {
            throw Refusal(403, "This server does not serve the name in the Host field (allowedHosts).")
        }
    }

    /// Returns the name or address in a `Host` field, in lower case, without port and brackets. It is empty if the
    /// field is empty, as for a target without an authority (RFC 9112 §3.2).
    private static func name(inHost host: String) throws(Refusal) -> String {
        if host.isEmpty { return "" }
        guard !host.contains("@"), let authority = try? URLAuthority(host[...]) else {
            throw Refusal(400, "The Host field must be a host, with or without a port.")
        }
        return authority.host.lookUpName.lowercased()
    }

    static func isLoopback(_ host: String) -> Bool {
        if host.contains(":") { return SocketAddress(numericHost: host, port: 0) == loopback6 }
        return host.hasPrefix("127.") && SocketAddress(numericHost: host, port: 0) != nil
    }

    private static let loopback6 = SocketAddress(numericHost: "::1", port: 0)

    /// Checks the `Origin` field. Browsers send a page's origin with each request, without asking for permission.
    private func checkOrigin(_ head: HTTPHead) throws(Refusal) {
        let origins = head.values(of: "origin")
        guard let origin = origins.first else { return }
        guard origins.count == 1, configuration.allowedOrigins.allows(origin) else {
            throw Refusal(403, "The origin is not allowed (allowedOrigins).")
        }
    }

    static func answer(to upgrade: Upgrade) -> [UInt8] {
        var head = HTTPHead(
            startLine: "HTTP/1.1 101 Switching Protocols",
            fields: [
                ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", upgrade.key.accept),
            ])
        if let subprotocol = upgrade.subprotocol { head.fields.append(("Sec-WebSocket-Protocol", subprotocol)) }
        if let deflate = upgrade.deflate { head.fields.append(("Sec-WebSocket-Extensions", deflate.answer)) }
        return head.bytes
    }

    static func answer(_ refusal: Refusal) -> [UInt8] {
        var head = HTTPHead(
            startLine: "HTTP/1.1 \(refusal.status) \(phrases[refusal.status] ?? "Refused")", fields: refusal.headers)
        func add(_ name: String, _ value: String) {
            let isThere = head.fields.contains { $0.name.lowercased() == name.lowercased() }
            if !isThere { head.fields.append((name, value)) }
        }
        add("Connection", "close")
        let body = refusal.reason.isEmpty ? "" : refusal.reason + "\n"
        if !body.isEmpty { add("Content-Type", "text/plain; charset=utf-8") }
        add("Content-Length", "\(body.utf8.count)")
        return head.bytes + Array(body.utf8)
    }

    private static let phrases = [
        200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 426: "Upgrade Required", 429: "Too Many Requests", 500: "Internal Server Error",
        503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
}
