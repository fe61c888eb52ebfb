// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

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

    /// Returns the line for a notification or a gap.
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
