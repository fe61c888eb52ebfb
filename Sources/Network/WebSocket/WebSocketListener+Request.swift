// swift-jsonrpc · SPDX-License-Identifier: MIT

extension WebSocketListener {
    /// A client's request for a WebSocket connection (RFC 6455 §4.2.1).
    ///
    /// All texts are raw text from the client. Escape them before you show or log them.
    public struct Request: Sendable {
        /// The path and the query, as in the request line.
        public let target: String
        /// The subprotocols that the client offers, in the client's order.
        public let subprotocols: [String]
        /// The subprotocol that will be agreed on if the request is accepted, or `nil` if the client offers none.
        public let subprotocol: String?
        /// The client's numeric address and port, such as `192.0.2.1:54321`, or `nil` for a Unix domain socket.
        public let peerAddress: String?
        /// The server name that the client requested in TLS (RFC 6066 §3), or `nil` without TLS or a name.
        public let serverName: String?
        /// The header fields, in the client's order, with names in lower case.
        public var headers: [(name: String, value: String)] { fields }
        let fields: [(name: String, value: String)]

        /// ``target`` without the query.
        public var path: String { String(target.prefix { $0 != "?" }) }

        /// Returns the first value of a header field, or `nil` if there is none.
        ///
        /// - Parameter name: The name of the field. Case is ignored.
        public func header(_ name: String) -> String? {
            let name = name.lowercased()
            return fields.first { $0.name == name }?.value
        }
    }

    /// The answer to a request: acceptance or refusal.
    public struct Decision: Sendable {
        enum Kind: Sendable {
            case accept(any MessageReceiver, ConnectionHooks)
            case refuse(WebSocketListener.UpgradeRefusal)
        }
        let kind: Kind

        /// Opens the connection. The receiver gets its messages and events. Its transport is a ``WebSocketConnection``.
        public static func accept(_ receiver: any MessageReceiver) -> Self { accept(receiver, ConnectionHooks()) }

        package static func accept(_ receiver: any MessageReceiver, _ hooks: ConnectionHooks) -> Self {
            Self(kind: .accept(receiver, hooks))
        }

        /// Answers with an HTTP status, and closes the connection.
        public static func refuse(_ refusal: WebSocketListener.UpgradeRefusal) -> Self { Self(kind: .refuse(refusal)) }

        /// Answers according to an error of a closure: with its refusal, or with the status 500 for any other error.
        package static func refuse(because error: any Error) -> Self {
            .refuse(error as? WebSocketListener.UpgradeRefusal ?? WebSocketListener.UpgradeRefusal(status: 500))
        }

        /// Makes a refusal with an HTTP status from 200 to 599. The listener replaces any other number by 500.
        public static func refuse(status: Int) -> Self { .refuse(WebSocketListener.UpgradeRefusal(status: status)) }
    }

    /// A listener's answer to a request that it refuses.
    ///
    /// ```swift
    /// throw WebSocketListener.UpgradeRefusal(status: 401, headers: [("WWW-Authenticate", "Bearer")])
    /// ```
    public struct UpgradeRefusal: Error, Sendable {
        /// The HTTP status, from 200 to 599. The listener replaces any other number by 500.
        public var status: Int
        /// One sentence for the client, as the body of the answer. The default is an empty body.
        public var reason: String
        /// Additional header fields, such as `WWW-Authenticate` or `Retry-After`. The default is none. The listener
        /// answers with 500 if a field is malformed, or belongs to the handshake or to the framing of the answer.
        public var headers: [(name: String, value: String)]

        /// Makes a refusal.
        ///
        /// - Parameters:
        ///   - status: The HTTP status, from 200 to 599.
        ///   - reason: One sentence for the client.
        ///   - headers: Additional header fields.
        public init(status: Int, reason: String = "", headers: [(name: String, value: String)] = []) {
            self.status = status
            self.reason = reason
            self.headers = headers
        }

        /// Makes a refusal of this module.
        init(_ status: Int, _ reason: String, headers: [(name: String, value: String)] = []) {
            self.init(status: status, reason: reason, headers: headers)
        }

        /// The refusal itself if it can be sent, otherwise a refusal with the status 500.
        var checked: WebSocketListener.UpgradeRefusal {
            guard (200...599).contains(status) else { return WebSocketListener.UpgradeRefusal(status: 500) }
            do {
                var checked = self
                checked.headers = try headers.map { field in
                    let field = try WebSocketHeaderField(field.name, field.value).validated()
                    return (field.name, field.value)
                }
                return checked
            } catch {
                return WebSocketListener.UpgradeRefusal(status: 500)
            }
        }
    }
}
