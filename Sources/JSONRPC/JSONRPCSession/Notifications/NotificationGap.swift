// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A place in a stream where notifications are missing, or may be missing.
public struct NotificationGap: Sendable, Hashable {
    /// The reason for a gap.
    public enum Reason: Sendable, Hashable {
        /// Notifications were dropped: the consumer was too slow, and the buffer of the stream was full. Or they were
        /// members of an array that was too long (`Irregularity.oversizedBatch`); then the count is `nil`.
        case overflow
        /// The client lost its connection and connected again. Notifications that the peer sent meanwhile are missing.
        case reconnected
        /// A ``StreamingCall`` was sent again, because its connection was lost or an interceptor has repeated it. The
        /// progress before the gap belongs to the earlier attempt.
        case repeated
        /// The params could not be decoded. It occurs only with ``NotificationDecodingPolicy/report``.
        case undecodable(InboundNotification, description: String)
    }

    /// The reason for the gap.
    public var reason: Reason
    /// The number of missing notifications; `nil` if it is unknown.
    public var count: Int?

    public init(reason: Reason, count: Int?) {
        self.reason = reason
        self.count = count
    }

    /// Returns one gap that replaces this gap and the next gap.
    func joined(with next: NotificationGap) -> NotificationGap {
        let reason = self.reason == .reconnected ? self.reason : next.reason
        guard let count, let nextCount = next.count else { return NotificationGap(reason: reason, count: nil) }
        return NotificationGap(reason: reason, count: count + nextCount)
    }
}

extension NotificationGap: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .overflow:
            if let count {
                "\(count) notification\(count == 1 ? "" : "s") dropped, because more arrived than the buffer holds"
            } else {
                "notifications may be missing: an array of the peer was too long, or more arrived than the buffer holds"
            }
        case .reconnected: "notifications may be missing, because the connection was lost and made again"
        case .repeated: "the call was sent again, and its progress begins anew"
        case .undecodable(let notification, let description):
            "a notification \"\(notification.method)\" could not be decoded: \(description)"
        }
    }
}

extension NotificationGap {
    /// The gaps in the notification streams, the subscriptions and the streaming calls of a session or a client, since
    /// it was made. A client counts over all its sessions.
    public struct Counts: Sendable, Hashable {
        /// The notifications that were dropped, because the buffer of a stream was full. It is the sum of the counts of
        /// all gaps with the reason ``NotificationGap/Reason/overflow``.
        public var dropped = 0
        /// The periods in which a stream dropped notifications. A period ends when the consumer has taken half of the
        /// buffer. See ``SessionEvent/StreamEvent/dropping(method:)``.
        public var overflows = 0
        /// The gaps with an unknown count, after an array of the peer that was too long. Each stream has one.
        public var skipped = 0
        /// The gaps with the reason ``NotificationGap/Reason/reconnected``. Each stream has one for each new
        /// connection.
        public var reconnected = 0
        /// The gaps with the reason ``NotificationGap/Reason/repeated``.
        public var repeated = 0
        /// The gaps with the reason ``NotificationGap/Reason/undecodable(_:description:)``.
        public var undecodable = 0

        /// Makes counts of zero.
        public init() {}

        /// Counts a gap for notifications that did not reach a stream.
        mutating func add(_ gap: NotificationGap) {
            switch gap.reason {
            case .overflow:
                if let count = gap.count { dropped += count } else { skipped += 1 }
            case .reconnected: reconnected += 1
            case .repeated: repeated += 1
            case .undecodable: undecodable += 1
            }
        }

        /// Counts notifications that were dropped because a buffer was full.
        mutating func add(_ drops: NotificationBuffer.Drops) {
            dropped += drops.count
            if drops.begins { overflows += 1 }
        }
    }
}

extension DuplexSession {
    /// The gaps in the streams of the session, since it was made. The session of a client counts those of the client.
    public var gapCounts: NotificationGap.Counts { driver.endpoint.notifications.gapCounts }
}

extension JSONRPCClient {
    /// The gaps in the streams of the client, since it was made.
    public var gapCounts: NotificationGap.Counts { router.gapCounts }

    /// The router, which counts the gaps. It does not keep the client alive.
    package var router: NotificationRouter { endpoint.notifications }
}
