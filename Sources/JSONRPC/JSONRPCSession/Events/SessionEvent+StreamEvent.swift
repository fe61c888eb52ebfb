// swift-jsonrpc · SPDX-License-Identifier: MIT

extension SessionEvent {
    /// An event of a stream whose consumer is too slow. A client publishes it as ``SessionEvent/stream(_:)``.
    ///
    /// `method` names the stream: the method of its notifications, or `nil` for a stream of all notifications; for a
    /// subscription, the method of the subscribe request; for a streaming call, the method of its progress.
    public enum StreamEvent: Sendable, Hashable {
        /// The buffer of the stream is full, and the stream begins to drop notifications. Further drops are not reported
        /// before ``caughtUp(method:dropped:)``. ``NotificationGap/Counts/dropped`` counts them.
        case dropping(method: String?)
        /// The consumer has taken half of the buffer after the stream dropped notifications. The value is their number since
        /// ``dropping(method:)``.
        case caughtUp(method: String?, dropped: Int)
        /// The connection is not read, because the buffer of a stream with
        /// ``NotificationOverflow/suspend(capacity:limit:)`` is full. Meanwhile calls get no responses.
        case readingSuspended(method: String?, limit: Duration)
        /// The stream no longer stops the reading, because its consumer has taken half of the buffer, or the stream has
        /// ended. The value is the time since ``readingSuspended(method:limit:)``.
        case readingResumed(method: String?, after: Duration)
        /// The consumer did not catch up within the limit. The stream no longer stops the reading, and drops notifications
        /// instead.
        case suspensionExpired(method: String?, limit: Duration)

        /// The name of the stream; `nil` for a stream of all notifications.
        public var method: String? {
            switch self {
            case .dropping(let method), .caughtUp(let method, _), .readingSuspended(let method, _),
                .readingResumed(let method, _), .suspensionExpired(let method, _):
                method
            }
        }
    }
}

extension SessionEvent.StreamEvent: CustomStringConvertible {
    public var description: String {
        let stream = method.map { "The stream of \"\($0.onOneLine)\"" } ?? "The stream of all notifications"
        return switch self {
        case .dropping: "\(stream) drops notifications: its buffer is full, because its consumer is too slow."
        case .caughtUp(_, let dropped): "\(stream) has room again, after it dropped \(dropped) notifications."
        case .readingSuspended(_, let limit):
            "\(stream) stops the reading of the connection for at most \(limit), because its consumer is too slow. "
                + "Meanwhile calls get no responses."
        case .readingResumed(_, let duration): "\(stream) let the connection be read again after \(duration.rounded)."
        case .suspensionExpired(_, let limit):
            "\(stream) lets the connection be read again: its consumer did not catch up within \(limit). "
                + "Notifications are dropped instead."
        }
    }
}
