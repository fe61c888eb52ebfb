// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import ToolSupport

struct NotificationPrinter: Sendable {
    /// The number of notifications to print; `nil` for no limit.
    var count: Int?
    var withVersion = true
    var write: @Sendable ([UInt8]) throws -> Void

    /// Prints notifications, and gaps at their positions. Notifications that a gap replaces count as printed, because
    /// they can no longer arrive. Returns true if the requested number was printed; false if the notifications ended
    /// before.
    func print<Notifications: AsyncSequence>(_ notifications: Notifications) async throws -> Bool
    where Notifications.Element == NotificationElement<InboundNotification> {
        var rest = count ?? .max
        for try await element in notifications {
            try write(NotificationText.elementLine(element, withVersion: withVersion))
            switch element {
            case .value: rest -= 1
            case .gap(let gap): rest -= min(rest, gap.count ?? 0)
            }
            if rest <= 0 { return true }
        }
        // The loop also ends if the task is cancelled.
        try Task.checkCancellation()
        return false
    }
}

/// Formats notifications and gaps, one per line.
enum NotificationText {
    /// Returns the notification object (JSON-RPC 2.0 §4.1).
    static func notificationLine(_ notification: InboundNotification, withVersion: Bool) -> [UInt8] {
        var members: [(name: String, value: RawJSON)] =
            withVersion ? [("jsonrpc", RawJSON(literal: "\"2.0\""))] : []
        members.append(("method", RawJSON(string: notification.method)))
        if let params = notification.params { members.append(("params", params.compact)) }
        members += notification.extraMembers.elements.map { ($0.name, $0.value.compact) }
        return Array(RawJSON(members: members).bytes)
    }

    static func elementLine(_ element: NotificationElement<InboundNotification>, withVersion: Bool) -> [UInt8] {
        switch element {
        case .value(let notification): notificationLine(notification, withVersion: withVersion)
        case .gap(let gap): gapLine(gap)
        }
    }

    /// Returns `{"gap":{"reason":…,"count":…}}`. The count is null if it is unknown.
    static func gapLine(_ gap: NotificationGap) -> [UInt8] {
        let reason =
            switch gap.reason {
            case .overflow: "overflow"
            case .reconnected: "reconnected"
            case .repeated: "repeated"
            case .undecodable: "undecodable"
            }
        return Array("{\"gap\":{\"reason\":\"\(reason)\",\"count\":\(gap.count.map(String.init) ?? "null")}}".utf8)
    }
}

extension JSONRPCClient {
    /// All notifications. To miss none, take the stream before the client connects.
    var notificationsForPrinting: NotificationStream<InboundNotification> {
        notifications(overflow: .suspend(capacity: 4096, limit: .seconds(10)))
    }
}

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
