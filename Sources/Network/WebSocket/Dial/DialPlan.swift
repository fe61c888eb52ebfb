// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The checked inputs of an attempt to connect and of the opening handshake.
struct DialPlan: Sendable, Hashable {
    var route: DialRoute
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
        let serverName: URLHost
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
