// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The policy of a stream for notifications that arrive faster than they are consumed.
///
/// Each stream has its own buffer and policy. Dropped notifications leave a gap at their place in the stream. In
/// addition to its capacity, a buffer is limited to notifications of 64 MiB.
public enum NotificationOverflow: Sendable, Hashable {
    /// Keeps the newest `capacity` notifications. Use it for states, where the latest value matters.
    case dropOldest(capacity: Int)
    /// Keeps the oldest `capacity` notifications. Use it for logs, where the beginning matters.
    case dropNewest(capacity: Int)
    /// Keeps the oldest `capacity` notifications. After these, the stream throws
    /// ``NotificationError/overflow(capacity:)``.
    case fail(capacity: Int)
    /// Applies backpressure: stops reading from the connection until the consumer has taken half of the `capacity`
    /// notifications, but at most for `limit`. While nothing is read, calls get no responses, and the peer may consider
    /// the connection dead.
    ///
    /// The stream keeps up to 4096 more notifications that had already arrived when reading stopped. After `limit`, the
    /// stream drops the oldest notifications, as ``dropOldest(capacity:)`` does, until its consumer has caught up.
    case suspend(capacity: Int, limit: Duration)

    /// The default: keeps the newest 1024 notifications.
    public static let standard = NotificationOverflow.dropOldest(capacity: 1024)

    /// The number of notifications that the stream keeps; at least 1.
    public var capacity: Int {
        switch self {
        case .dropOldest(let capacity), .dropNewest(let capacity), .fail(let capacity), .suspend(let capacity, _):
            max(1, capacity)
        }
    }
}

/// The policy of a stream for notifications whose params cannot be decoded.
public enum NotificationDecodingPolicy: Sendable, Hashable {
    /// The iterator throws the decoding error and ends, so a loop ends. This is the default, because it shows at once
    /// that the type is wrong. Other iterators of the stream get the notifications that follow.
    case fail
    /// The stream has a gap with the undecoded notification, and continues.
    case report
}

/// The error of a stream of notifications that ends early.
public enum NotificationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// More notifications waited than ``NotificationOverflow/fail(capacity:)`` allows.
    case overflow(capacity: Int)

    public var description: String {
        switch self {
        case .overflow(let capacity):
            "The stream ended: more than \(capacity) notifications waited for their consumer. Raise the capacity, or "
                + "choose another overflow policy."
        }
    }
}
