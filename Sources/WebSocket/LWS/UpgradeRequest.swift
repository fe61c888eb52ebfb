// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The request of the opening handshake (RFC 6455 §4.1).
///
/// libwebsockets writes one, but cuts its first line after 2 KiB and its Host and Origin fields after 128 bytes. So it
/// is told next to nothing, and of what it writes only the fields from Upgrade on are kept: key, version, subprotocols
/// and extensions, which it checks the answer against.
enum UpgradeRequest {
    /// The path and the host that libwebsockets is told.
    static let placeholderPath = "/"
    static let placeholderHost = "localhost"

    /// The request without the empty line at its end; nil when what libwebsockets wrote is not as expected.
    static func head(for plan: DialPlan, replacing written: [UInt8]) -> [UInt8]? {
        let start = Array("GET \(placeholderPath) HTTP/1.1\r\n".utf8)
        let kept = Array("\r\nUpgrade: websocket\r\n".utf8)
        guard written.starts(with: start), written.suffix(2) == [0x0D, 0x0A],
            let place = written.indices.first(where: { written[$0...].starts(with: kept) })
        else { return nil }
        var head = Array("GET \(plan.target) HTTP/1.1\r\nHost: \(plan.hostField)\r\n".utf8)
        head += written[(place + 2)...]
        if let origin = plan.origin { head += "Origin: \(origin)\r\n".utf8 }
        for field in plan.headerFields { head += "\(field.name): \(field.value)\r\n".utf8 }
        return head
    }
}
