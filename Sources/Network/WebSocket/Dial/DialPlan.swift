// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The checked inputs of an attempt to connect.
struct DialPlan: Sendable, Hashable {
    /// The way to the server.
    enum Route: Sendable, Hashable {
        case unixSocket(path: String)
        case direct(host: WebSocketHost, port: UInt16)
        /// A connection to the proxy, which then connects to the host.
        case proxy(HTTPProxy, host: WebSocketHost, port: UInt16)
    }

    var route: Route
    /// The plan for TLS; `nil` for a connection without TLS.
    var tls: TLSPlan?
    /// The path and query of the request line.
    var target: String
    var hostField: String
    var origin: String?
    var subprotocols: [String]
    /// The validated header fields, with `Authorization` if the URL has credentials.
    var headerFields: [WebSocketHeaderField]

    /// Checks the user's input and decides the route.
    ///
    /// The user's own field `Authorization` takes precedence over the URL's credentials.
    init(
        url: WebSocketURL, headerFields: [WebSocketHeaderField] = [], origin: String? = nil,
        subprotocols: [String] = [], proxy: ProxyPolicy = .environment, tls: TLSConfiguration = TLSConfiguration(),
        environment: ProxyEnvironment = .process
    ) throws(WebSocketError) {
        try Subprotocols.validate(subprotocols)
        self.subprotocols = subprotocols
        self.headerFields = try Self.fields(headerFields, origin: origin, credentials: url.credentials)
        self.origin = try origin.map { (value) throws(WebSocketError) in
            try WebSocketHeaderField("Origin", value).validated().value
        }
        target = url.target
        hostField = url.hostField
        let serverName: ServerName
        switch url.location {
        case .unixSocket(let path):
            route = .unixSocket(path: path)
            serverName = .name("localhost")
        case .network(let host, let port):
            let proxy = try proxy.proxy(forHost: host, port: port, isSecure: url.isSecure, environment: environment)
            route = proxy.map { .proxy($0, host: host, port: port) } ?? .direct(host: host, port: port)
            serverName = host.serverName
        }
        self.tls = url.isSecure ? try TLSPlan(configuration: tls, serverName: serverName) : nil
    }

    private static func fields(
        _ given: [WebSocketHeaderField], origin: String?, credentials: BasicCredentials?
    ) throws(WebSocketError) -> [WebSocketHeaderField] {
        var fields: [WebSocketHeaderField] = []
        for field in given { fields.append(try field.validated()) }
        if origin != nil, fields.contains(where: { $0.name.lowercased() == "origin" }) {
            throw WebSocketError(
                .invalidConfiguration, "The header field Origin is set twice.",
                advice: "Set WebSocketConfiguration.origin, or the field in headers.")
        }
        if let credentials, !fields.contains(where: { $0.name.lowercased() == "authorization" }) {
            fields.append(WebSocketHeaderField("Authorization", credentials.fieldValue))
        }
        return fields
    }
}

/// The TLS options of a connection, with the name or address that the certificate must be for.
struct TLSPlan: Sendable, Hashable {
    var configuration: TLSConfiguration
    var serverName: ServerName

    /// Makes a plan.
    ///
    /// - Parameter serverName: The name from the URL. The name in the configuration takes precedence.
    init(configuration: TLSConfiguration, serverName: ServerName) throws(WebSocketError) {
        self.configuration = configuration
        self.serverName = serverName
        guard let name = configuration.serverName else { return }
        do {
            self.serverName = try WebSocketHost(name.contains(":") ? "[\(name)]"[...] : name[...]).serverName
        } catch {
            throw WebSocketError(
                .invalidConfiguration, "Could not use the server name for TLS: \(error.reason).")
        }
    }
}
