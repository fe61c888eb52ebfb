// swift-jsonrpc · SPDX-License-Identifier: MIT

import Logging
import Synchronization

extension NotificationGap {
    /// The gaps in the notification streams, the subscriptions and the streaming calls of a session or a client, since it
    /// was made. A client counts over all its sessions.
    public struct Counts: Sendable, Hashable {
        /// The notifications that were dropped, because the buffer of a stream was full. It is the sum of the counts of all
        /// gaps with the reason ``NotificationGap/Reason/overflow``.
        public var dropped = 0
        /// The periods in which a stream dropped notifications. A period ends when the consumer has taken half of the
        /// buffer. See ``SessionEvent/StreamEvent/dropping(method:)``.
        public var overflows = 0
        /// The gaps with an unknown count, after an array of the peer that was too long. Each stream has one.
        public var skipped = 0
        /// The gaps with the reason ``NotificationGap/Reason/reconnected``. Each stream has one for each new connection.
        public var reconnected = 0
        /// The gaps with the reason ``NotificationGap/Reason/repeated``.
        public var repeated = 0
        /// The gaps with the reason ``NotificationGap/Reason/undecodable(_:description:)``.
        public var undecodable = 0

        /// Makes counts of zero.
        public init() {}
    }
}

/// Counts the gaps of all streams of a session or a client, and publishes the events of its streams.
package final class StreamLedger: Sendable {
    let events: EventHub
    private let logger: Logger
    private let state = Mutex(NotificationGap.Counts())

    init(events: EventHub, logger: Logger) {
        self.events = events
        self.logger = logger
    }

    package var counts: NotificationGap.Counts { state.withLock { $0 } }

    fileprivate func change(_ body: (inout NotificationGap.Counts) -> Void) { state.withLock { body(&$0) } }

    fileprivate func publish(_ event: SessionEvent.StreamEvent) {
        logger.debug("\(event)", metadata: ["jsonrpc.method": "\((event.method ?? "*").onOneLine)"])
        events.publish(.stream(event))
    }
}

/// Reports the gaps and the suspensions of one stream.
package struct StreamReporter: Sendable {
    let ledger: StreamLedger
    /// The name of the stream; `nil` for a stream of all notifications.
    let method: String?

    func dropped(_ drops: NotificationBuffer.Drops) {
        ledger.change { counts in
            counts.dropped += drops.count
            if drops.begins { counts.overflows += 1 }
        }
        if drops.begins { ledger.publish(.dropping(method: method)) }
    }

    func caughtUp(dropped count: Int) { ledger.publish(.caughtUp(method: method, dropped: count)) }

    /// Counts a gap for notifications that did not reach the stream.
    func missed(_ gap: NotificationGap) {
        ledger.change { counts in
            switch gap.reason {
            case .overflow:
                if let count = gap.count { counts.dropped += count } else { counts.skipped += 1 }
            case .reconnected: counts.reconnected += 1
            case .repeated: counts.repeated += 1
            case .undecodable: counts.undecodable += 1
            }
        }
    }

    func suspended(limit: Duration) { ledger.publish(.readingSuspended(method: method, limit: limit)) }

    func resumed(after duration: Duration) { ledger.publish(.readingResumed(method: method, after: duration)) }

    func expired(limit: Duration) { ledger.publish(.suspensionExpired(method: method, limit: limit)) }
}
