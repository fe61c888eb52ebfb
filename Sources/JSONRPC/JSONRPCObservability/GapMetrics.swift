// swift-jsonrpc · SPDX-License-Identifier: MIT

#if Metrics
    import JSONRPCSession
    import Metrics

    /// Reports the gaps of a client as counters.
    struct GapMetrics {
        private let router: NotificationRouter
        private let counter: (_ name: String, _ dimensions: [(String, String)]) -> Counter
        private var reported = NotificationGap.Counts()

        /// - Parameter counter: Returns the counter with a name and dimensions.
        init(
            _ router: NotificationRouter,
            _ counter: @escaping (_ name: String, _ dimensions: [(String, String)]) -> Counter
        ) {
            self.router = router
            self.counter = counter
        }

        /// Reports the gaps since the last report.
        mutating func report() {
            let counts = router.gapCounts
            guard counts != reported else { return }
            let last = reported
            reported = counts
            let dropped = counts.dropped - last.dropped
            if dropped > 0 { counter("dropped_notifications", []).increment(by: dropped) }
            add("overflow", counts.overflows - last.overflows)
            add("skipped", counts.skipped - last.skipped)
            add("reconnected", counts.reconnected - last.reconnected)
            add("repeated", counts.repeated - last.repeated)
            add("undecodable", counts.undecodable - last.undecodable)
        }

        private func add(_ reason: String, _ count: Int) {
            if count > 0 { counter("gaps", [("reason", reason)]).increment(by: count) }
        }
    }

    extension SessionEvent.StreamEvent {
        /// The time for which the stream stopped the reading of the connection, at its end.
        var suspension: Duration? {
            switch self {
            case .readingResumed(_, let duration), .suspensionExpired(_, let duration): duration
            case .dropping, .caughtUp, .readingSuspended: nil
            }
        }
    }

    extension Duration {
        /// The duration in nanoseconds, at most the greatest that a timer takes.
        var clampedNanoseconds: Int64 { Int64(min(self / .nanoseconds(1), 9e18)) }
    }
#endif
