// swift-jsonrpc · SPDX-License-Identifier: MIT

extension WebSocketListener {
    /// A listener's answer to a request that it refuses.
    ///
    /// ```swift
    /// throw WebSocketListener.UpgradeRefusal(status: 401, headers: [("WWW-Authenticate", "Bearer")])
    /// ```
    public struct UpgradeRefusal: Error, Sendable {
        /// The HTTP status, from 200 to 599. The listener sends 500 in place of any other number.
        public var status: Int
        /// One sentence for the client: the body of the answer. The default is an empty body.
        public var reason: String
        /// Additional header fields, such as `WWW-Authenticate` or `Retry-After`. The default is none. The listener answers
        /// 500 if a field is malformed, or belongs to the handshake or to the framing of the answer.
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
    }
}

extension WebSocketListener.UpgradeRefusal {
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
