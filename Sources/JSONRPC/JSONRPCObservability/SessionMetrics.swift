// swift-jsonrpc · SPDX-License-Identifier: MIT

#if Metrics
    public import JSONRPCSession
    public import Metrics
    import Synchronization

    /// An interceptor that reports calls, in both directions, and events of a client to swift-metrics.
    ///
    /// ```swift
    /// let metrics = SessionMetrics(dimensions: [("peer", "aria2")])
    /// var configuration = SessionConfiguration()
    /// configuration.calls.interceptors = [metrics]
    /// configuration.inbound.interceptors = [metrics]
    /// let client = JSONRPCClient(connector: connector, configuration: configuration)
    /// metrics.follow(client)
    /// ```
    ///
    /// | Label | Kind | Meaning |
    /// |---|---|---|
    /// | `jsonrpc.client.calls` | counter | ended calls, with the dimension `outcome` |
    /// | `jsonrpc.client.duration` | timer | time of a call, with its wait for room, and without its wait for a connection |
    /// | `jsonrpc.client.active` | meter | calls that have begun and not ended |
    /// | `jsonrpc.client.notifications` | counter | notifications, with the dimension `outcome` |
    /// | `jsonrpc.server.…` | | the same for calls and notifications of the peer that have a handler |
    /// | `jsonrpc.connections` | counter | connections that were opened |
    /// | `jsonrpc.reconnects` | counter | connections after the first |
    /// | `jsonrpc.connect_failures` | counter | attempts to connect that failed, of a client that reconnects |
    /// | `jsonrpc.disconnects` | counter | connections that ended, with the dimension `initiator`: `local`, `remote`, `failure` |
    /// | `jsonrpc.round_trip` | timer | time from a PING to its PONG |
    /// | `jsonrpc.queued_bytes` | recorder | bytes in the outbox, at each PONG |
    /// | `jsonrpc.irregular_messages` | counter | messages that break the rules of JSON-RPC, as far as events report them |
    /// | `jsonrpc.refused_calls` | counter | calls of the peer that were refused because of a limit |
    /// | `jsonrpc.dropped_notifications` | counter | notifications that were dropped, because the buffer of a stream was full |
    /// | `jsonrpc.gaps` | counter | gaps in streams, with the dimension `reason`: `overflow` (once for each period of drops), `skipped`, `reconnected`, `repeated`, `undecodable` |
    /// | `jsonrpc.reading_suspended` | timer | time for which the consumer of a stream stopped the reading |
    /// | `jsonrpc.renewed_subscriptions` | counter | subscriptions that were made again after a reconnect |
    ///
    /// Dropped notifications and gaps are exact, even if events are missed. They are reported when a stream begins to
    /// drop, when its consumer has caught up, at each PONG, and at the end of a connection.
    ///
    /// The outcomes are `answered`, `error` (an error object), `timeout`, `lost` (the connection was lost or not
    /// there), `cancelled` and `failed`. Each member of a batch counts as one call. A call that a client sends again
    /// after a lost connection counts once for each attempt.
    public final class SessionMetrics: CallInterceptor, InboundCallInterceptor {
        private let scope: MetricScope
        private let methodName: @Sendable (String) -> String?
        private let clients: MethodTable
        private let servers: MethodTable

        /// Makes an interceptor.
        ///
        /// - Parameters:
        ///   - label: The beginning of all labels. The default is `jsonrpc`.
        ///   - dimensions: The dimensions of all metrics. The default is none.
        ///   - factory: The factory. The default is the factory of the process.
        ///   - methodName: A closure that returns the value of the dimension `method` for a method, or `nil` for none.
        ///     The default returns `nil`. Return few different values: each makes its own metrics, and a peer chooses
        ///     the names of its calls. After 1000 values, others become `other`.
        public init(
            label: String = "jsonrpc", dimensions: [(String, String)] = [],
            factory: any MetricsFactory = MetricsSystem.factory,
            methodName: @escaping @Sendable (String) -> String? = { _ in nil }
        ) {
            func scope(_ label: String) -> MetricScope {
                MetricScope(label: label, dimensions: dimensions, factory: factory)
            }
            self.scope = scope(label)
            self.methodName = methodName
            clients = MethodTable(scope("\(label).client"))
            servers = MethodTable(scope("\(label).server"))
        }

        // MARK: Calls

        /// Makes a call and reports it.
        public func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
            try await clients.metrics(of: methodName(call.method)).report { try await next(call) }
        }

        /// Sends a notification and reports it.
        public func intercept(notification: OutboundCall, next: NextInterceptor<Void>) async throws {
            try await clients.metrics(of: methodName(notification.method)).reportNotification {
                try await next(notification)
            }
        }

        /// Answers a call and reports it.
        public func intercept(
            call: InboundCall, next: NextInboundInterceptor<RawJSON>
        ) async throws -> RawJSON {
            try await servers.metrics(of: methodName(call.method)).report { try await next(call) }
        }

        /// Handles a notification and reports it.
        public func intercept(notification: InboundCall, next: NextInboundInterceptor<Void>) async throws {
            try await servers.metrics(of: methodName(notification.method)).reportNotification {
                try await next(notification)
            }
        }

        // MARK: Events

        /// Reports the events of a client, from now on until the client is closed or released. Call it before the
        /// client connects.
        ///
        /// - Returns: The task that reports them. It does not keep the client alive.
        @discardableResult
        public func follow(_ client: JSONRPCClient) -> Task<Void, Never> {
            let (events, router) = (client.events, client.router)
            return Task { [self, weak client] in
                await report(events, GapMetrics(router: router, scope: scope)) { client?.session?.queuedByteCount }
            }
        }

        private func report(_ events: SessionEvent.Stream, _ gaps: GapMetrics, _ queuedByteCount: () -> Int?) async {
            var gaps = gaps
            defer { gaps.report() }
            var connections = 0
            let opened = scope.counter("connections")
            let reconnects = scope.counter("reconnects")
            let roundTrip = scope.timer("round_trip")
            let suspended = scope.timer("reading_suspended")
            let queued = Recorder(
                label: "\(scope.label).queued_bytes", dimensions: scope.dimensions, aggregate: true,
                factory: scope.factory)
            for await event in events {
                switch event {
                case .stateChanged(.open):
                    connections += 1
                    opened.increment()
                    if connections > 1 { reconnects.increment() }
                case .connectFailed: scope.counter("connect_failures").increment()
                case .closed(let closure):
                    scope.counter("disconnects", [("initiator", "\(closure.initiator)")]).increment()
                    gaps.report()
                case .roundTrip(let duration):
                    roundTrip.recordNanoseconds(SessionTime.nanoseconds(in: duration))
                    if let count = queuedByteCount() { queued.record(count) }
                    gaps.report()
                case .stream(let event):
                    if let duration = event.suspension {
                        suspended.recordNanoseconds(SessionTime.nanoseconds(in: duration))
                    }
                    gaps.report()
                case .subscription(.renewed): scope.counter("renewed_subscriptions").increment()
                case .irregularMessage: scope.counter("irregular_messages").increment()
                case .inboundCallRefused: scope.counter("refused_calls").increment()
                default: continue
                }
            }
        }
    }

    /// Reports the gaps of a client as counters.
    private struct GapMetrics {
        let router: NotificationRouter
        let scope: MetricScope
        var reported = NotificationGap.Counts()

        mutating func report() {
            let (last, counts) = (reported, router.gapCounts)
            guard counts != last else { return }
            reported = counts
            let dropped = counts.dropped - last.dropped
            if dropped > 0 { scope.counter("dropped_notifications").increment(by: dropped) }
            add("overflow", counts.overflows - last.overflows)
            add("skipped", counts.skipped - last.skipped)
            add("reconnected", counts.reconnected - last.reconnected)
            add("repeated", counts.repeated - last.repeated)
            add("undecodable", counts.undecodable - last.undecodable)
        }

        private func add(_ reason: String, _ count: Int) {
            if count > 0 { scope.counter("gaps", [("reason", reason)]).increment(by: count) }
        }
    }

    extension SessionEvent.StreamEvent {
        /// The time for which the stream stopped the reading of the connection, at its end.
        fileprivate var suspension: Duration? {
            switch self {
            case .readingResumed(_, let duration), .suspensionExpired(_, let duration): duration
            case .dropping, .caughtUp, .readingSuspended: nil
            }
        }
    }
#endif
