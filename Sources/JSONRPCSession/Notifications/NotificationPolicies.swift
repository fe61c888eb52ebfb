// swift-jsonrpc · SPDX-License-Identifier: MIT

/// What happens when notifications come faster than their consumer takes them.
///
/// Every stream has a buffer of its own, and a policy of its own. Whatever is dropped, the stream says so, at the place
/// where it is missing. Whatever its capacity, a buffer is full when the notifications in it take 64 MiB.
public enum NotificationOverflow: Sendable, Hashable {
    /// Keeps the newest `capacity` notifications. Suits states, where the latest counts.
    case dropOldest(capacity: Int)
    /// Keeps the oldest `capacity` notifications. Suits logs, where the beginning counts.
    case dropNewest(capacity: Int)
    /// Gives the `capacity` notifications that were kept, then throws ``NotificationError/overflow(capacity:)``.
    case fail(capacity: Int)
    /// Stops to read from the connection until half of the `capacity` notifications are taken, but not longer than
    /// `limit`: while nothing is read, no call is answered either, and the peer may take the connection for dead.
    ///
    /// What had come already when reading stopped is kept, up to 4096 notifications beyond the capacity. When `limit`
    /// has passed, the stream drops the oldest, as ``dropOldest(capacity:)`` does, until its consumer has caught up.
    case suspend(capacity: Int, limit: Duration)

    /// 1024 notifications, then the oldest are dropped.
    public static let standard = NotificationOverflow.dropOldest(capacity: 1024)

    /// How many notifications are kept; at least one.
    public var capacity: Int {
        switch self {
        case .dropOldest(let capacity), .dropNewest(let capacity), .fail(let capacity), .suspend(let capacity, _):
            max(1, capacity)
        }
    }
}

/// What happens to a notification whose params are not what the stream's type takes.
public enum NotificationDecodingPolicy: Sendable, Hashable {
    /// The iterator throws the error of decoding and is finished, so a loop ends. The usual choice: it shows at once
    /// that the type is wrong. The stream goes on: its other iterators get what comes behind that notification.
    case fail
    /// The stream gives a gap with the notification's bytes, and goes on.
    case report
}

/// Why a stream of notifications ended early.
public enum NotificationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// More notifications came than ``NotificationOverflow/fail(capacity:)`` allows to wait.
    case overflow(capacity: Int)

    public var description: String {
        switch self {
        case .overflow(let capacity): "More than \(capacity) notifications were waiting to be taken."
        }
    }
}
