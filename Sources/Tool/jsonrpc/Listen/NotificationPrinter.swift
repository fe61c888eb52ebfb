// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

struct NotificationPrinter: Sendable {
    /// The number of notifications to print; `nil` for no limit.
    var count: Int?
    /// Whether notifications are printed with the `jsonrpc` member.
    var withVersion = true
    var write: @Sendable ([UInt8]) throws -> Void

    /// Prints notifications, and gaps at their positions. Notifications that a gap replaces count as printed, because
    /// they can no longer arrive.
    ///
    /// - Returns: True if the requested number was printed; false if the notifications ended before.
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
