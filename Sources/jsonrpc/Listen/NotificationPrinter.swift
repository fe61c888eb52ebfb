// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// Prints notifications until there are as many as asked for.
struct NotificationPrinter: Sendable {
    /// How many to print; `nil` for no end.
    var count: Int?
    /// Whether lines have the `jsonrpc` member.
    var withVersion = true
    /// Where a line goes.
    var write: @Sendable ([UInt8]) throws -> Void

    /// Prints notifications, and gaps in their places. The notifications that a gap stands for count as if they had
    /// been printed: nobody can wait for them.
    ///
    /// - Returns: True when there were as many as asked for; false when the notifications ended before.
    func print<Notifications: AsyncSequence>(_ notifications: Notifications) async throws -> Bool
    where Notifications.Element == NotificationElement<InboundNotification> {
        var rest = count ?? .max
        for try await element in notifications {
            try write(NotificationText.line(element, withVersion: withVersion))
            switch element {
            case .value: rest -= 1
            case .gap(let gap): rest -= min(rest, gap.count ?? 0)
            }
            if rest <= 0 { return true }
        }
        // The loop also ends when the task is cancelled in between.
        try Task.checkCancellation()
        return false
    }
}
