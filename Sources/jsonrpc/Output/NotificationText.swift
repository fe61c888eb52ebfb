// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// Notifications, and the lack of them, on one line each.
enum NotificationText {
    /// The notification object (JSON-RPC 2.0 §4.1).
    static func line(_ notification: InboundNotification, withVersion: Bool) -> [UInt8] {
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

    /// A notification, or the lack of some.
    static func line(_ element: NotificationElement<InboundNotification>, withVersion: Bool) -> [UInt8] {
        switch element {
        case .value(let notification): line(notification, withVersion: withVersion)
        case .gap(let gap): line(gap)
        }
    }

    /// `{"gap":{"reason":…,"count":…}}`; the count is null where nobody knows.
    static func line(_ gap: NotificationGap) -> [UInt8] {
        let reason =
            switch gap.reason {
            case .overflow: "overflow"
            case .reconnected: "reconnected"
            case .undecodable: "undecodable"
            }
        return Array("{\"gap\":{\"reason\":\"\(reason)\",\"count\":\(gap.count.map(String.init) ?? "null")}}".utf8)
    }
}
