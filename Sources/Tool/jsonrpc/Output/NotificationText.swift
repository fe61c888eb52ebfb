// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// Formats notifications and gaps, one per line.
enum NotificationText {
    /// Returns the notification object (JSON-RPC 2.0 §4.1).
    static func notificationLine(_ notification: InboundNotification, withVersion: Bool) -> [UInt8] {
        var bytes = Array((withVersion ? "{\"jsonrpc\":\"2.0\",\"method\":" : "{\"method\":").utf8)
        JSONText.writeString(notification.method, into: &bytes)
        if let params = notification.params {
            bytes.append(contentsOf: ",\"params\":".utf8)
            bytes.append(contentsOf: JSONFormatter(style: .compact).format(params))
        }
        for (name, value) in notification.extraMembers.elements {
            bytes.append(UInt8(ascii: ","))
            JSONText.writeString(name, into: &bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: JSONFormatter(style: .compact).format(value))
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
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
