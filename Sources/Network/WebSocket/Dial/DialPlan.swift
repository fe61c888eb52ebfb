// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// The checked inputs of an attempt to connect and of the opening handshake.
package struct DialPlan: Sendable, Hashable {
    package var route: DialRoute
    package var tls: TLSPlan?
    package var target: String
    package var hostField: String
    package var origin: String?
    package var subprotocols: [String]
    /// The validated header fields, with `Authorization` if the URL has credentials.
    package var headerFields: [WebSocketHeaderField]

    /// Checks the user's input and decides the route. The user's own field `Authorization` takes precedence over the
    /// URL's credentials.
    init(
        url: WebSocketURL, headerFields: [WebSocketHeaderField] = [], origin: String? = nil,
        subprotocols: [String] = [], proxy: ProxyPolicy = .environment, tls: TLSConfiguration = TLSConfiguration(),
        environment: ProxyEnvironment = .process
    ) throws(WebSocketError) {
        try Self.validate(subprotocols: subprotocols)
        self.subprotocols = subprotocols
        var fields = try headerFields.map { (field) throws(WebSocketError) in try field.validated() }
        if origin != nil, fields.contains(where: { $0.name.lowercased() == "origin" }) {
            throw WebSocketError(
                .invalidConfiguration, "The header field Origin is set twice.",
                advice: "Set WebSocketConfiguration.origin, or the field in headers.")
        }
        if let credentials = url.credentials, !fields.contains(where: { $0.name.lowercased() == "authorization" }) {
            fields.append(WebSocketHeaderField("Authorization", credentials.fieldValue))
        }
        self.headerFields = fields
        self.origin = try origin.map { (value) throws(WebSocketError) in
            try WebSocketHeaderField("Origin", value).validated().value
        }
        target = url.target
        hostField = url.hostField
        let serverName: URLHost
        do throws(SocketError) {
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
        } catch {
            throw WebSocketError(error)
        }
    }

    /// Checks the names of subprotocols. Throws ``WebSocketError`` with the code `invalidConfiguration` if a name is
    /// not a token, or is repeated (RFC 6455 §4.1, item 10 of the request).
    static func validate(subprotocols names: [String]) throws(WebSocketError) {
        for (index, name) in names.enumerated() {
            guard FieldText.isToken(name) else {
                throw WebSocketError(
                    .invalidConfiguration,
                    "Could not use the subprotocol \"\(String.printable(name))\": its name is empty, or contains a "
                        + "character that is not allowed in tokens (RFC 9110 §5.6.2).")
            }
            guard !names[..<index].contains(name) else {
                throw WebSocketError(.invalidConfiguration, "The subprotocol \(name) is listed twice. List it once.")
            }
        }
    }
}

/// An additional field in the request of the opening handshake. RFC 6455 §4.1 does not require it.
package struct WebSocketHeaderField: Sendable, Hashable {
    package var name: String
    package var value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Checks the field against RFC 9110 §5, and removes the white space around its value. Throws ``WebSocketError``
    /// with the code `invalidConfiguration` if the name is not a token, the value contains a control character (such as
    /// CR, LF or NUL), or the field belongs to the handshake itself.
    func validated() throws(WebSocketError) -> WebSocketHeaderField {
        guard FieldText.isToken(name) else {
            // If the name and the value were swapped, the rest may be a secret.
            let start = String.printable(name.prefix { FieldText.isToken(String($0)) }, limit: 64)
            throw WebSocketError(
                .invalidConfiguration,
                "Could not use a header field: its name is empty, or contains a character that is not allowed in names "
                    + "(RFC 9110 §5.1)." + (start.isEmpty ? "" : " The name starts with \"\(start)\"."))
        }
        guard !Self.reserved.contains(name.lowercased()) else {
            throw WebSocketError(
                .invalidConfiguration,
                "Could not use the header field \(name): the opening handshake sets this field itself. Remove it from "
                    + "the header fields.")
        }
        // The value may be a secret, so the message does not contain it.
        guard value.utf8.allSatisfy(FieldText.isValueByte) else {
            throw WebSocketError(
                .invalidConfiguration,
                "Could not use the header field \(name): its value contains a control character.")
        }
        return WebSocketHeaderField(name, String(FieldText.trimming(value[...])))
    }

    /// Fields that the handshake sets itself, and fields that would change the framing of the request.
    private static let reserved: Set<String> = [
        "host", "connection", "upgrade", "sec-websocket-key", "sec-websocket-version", "sec-websocket-accept",
        "sec-websocket-extensions", "sec-websocket-protocol", "content-length", "transfer-encoding", "te", "trailer",
        "expect", "proxy-authorization", "proxy-connection",
    ]
}
