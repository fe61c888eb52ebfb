// swift-jsonrpc · SPDX-License-Identifier: MIT

extension WebSocketListener {
    /// A client's request for a WebSocket connection (RFC 6455 §4.2.1).
    ///
    /// All texts are the client's own. Escape them before you show or log them.
    public struct Request: Sendable {
        /// The path and the query, as they are in the request line.
        public let target: String
        /// The subprotocols that the client offers, in its order.
        public let subprotocols: [String]
        /// The subprotocol that is agreed on if the request is accepted.
        public let subprotocol: String?
        /// The client's numeric address and port, such as `192.0.2.1:54321`; `nil` for a Unix domain socket.
        public let peerAddress: String?
        /// The server name that the client asked for in TLS (RFC 6066 §3); `nil` without TLS, or if it named none.
        public let serverName: String?
        /// The header fields in their order, with names in lower case.
        public var headers: [(name: String, value: String)] { fields }
        let fields: [(name: String, value: String)]

        /// ``target`` without the query.
        public var path: String { String(target.prefix { $0 != "?" }) }

        /// Returns the first value of a header field, whatever the case of its name.
        public func header(_ name: String) -> String? {
            let name = name.lowercased()
            return fields.first { $0.name == name }?.value
        }
    }

    /// What to do with a request.
    public enum Decision: Sendable {
        /// Opens the connection. The handler gets its events.
        case accept(any WebSocketHandler)
        /// Answers with an HTTP status, and closes.
        case refuse(UpgradeRefusal)

        /// Answers with this HTTP status, from 200 to 599. The listener answers 500 in place of any other number.
        public static func refuse(status: Int) -> Self { .refuse(UpgradeRefusal(status: status)) }
    }
}
