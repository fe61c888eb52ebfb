// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// Prints messages that are not JSON-RPC, for `listen --raw`.
///
/// They travel through the stream of notifications, which keeps the order of the wire.
enum ForeignMessages {
    /// The method of a message in the stream. Its params are a string, which is not valid for a notification of a peer
    /// (JSON-RPC 2.0 §4.2).
    private static let method = "jsonrpc.raw"

    /// Puts the messages of a client's peer into the streams of notifications, at their places.
    static func deliver(to client: JSONRPCClient) {
        client.observeEvents { [weak client] event in
            guard case .irregularMessage(let message) = event, message.isForeign else { return }
            // Bytes that are not UTF-8 have no other text.
            let text = String(validating: message.bytes, as: UTF8.self) ?? TerminalText.line(message.bytes)
            client?.deliver(InboundNotification(method: method, params: RawJSON(string: text)))
        }
    }

    /// Returns the line of a message in the stream: JSON without white space, other text with its control characters
    /// escaped. `nil` for a notification of the peer.
    static func line(
        _ element: NotificationElement<InboundNotification>, _ formatter: JSONFormatter
    ) -> [UInt8]? {
        guard case .value(let notification) = element, notification.method == method,
            let text = try? notification.params?.decode(as: String.self)
        else { return nil }
        guard let json = try? RawJSON(validating: text) else { return Array(TerminalText.line(text).utf8) }
        return formatter.format(json)
    }
}
