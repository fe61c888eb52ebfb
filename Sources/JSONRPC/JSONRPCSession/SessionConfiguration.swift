// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import Logging
public import WireJSON

/// Options of a session, or of a client's sessions. The defaults suit a JSON-RPC 2.0 peer.
public struct SessionConfiguration: Sendable {
    /// Options of the calls and notifications that this side sends.
    public var calls = Calls()
    /// Options of the peer's calls and notifications.
    public var inbound = Inbound()
    /// Options of the log, the trace and the events.
    public var diagnostics = Diagnostics()

    // MARK: Messages

    /// The coder of params and results, for calls of both sides. The default is `WireJSONCoder`.
    public var coder: any MessageCoder = .wireJSON
    /// The reactions to irregular messages. The default is `Strictness.standard`.
    public var strictness = Strictness.standard
    /// The rules for the `jsonrpc` member. The default is `VersionMember.required`.
    public var version = VersionMember.required
    /// Whether the session answers messages that are not JSON-RPC with an error whose id is `null`, as a server must
    /// (JSON-RPC 2.0 §5). The default is `false`, but a listener sets it to `true`. Set it on one side only, because
    /// two such peers could answer each other endlessly.
    public var answersUnreadableMessages = false
    /// The maximum nesting of a message. The default is 512.
    public var jsonLimits = JSONLimits()

    // MARK: The session itself

    /// A closure that a ``JSONRPCClient`` calls with the session of each new connection before any other call is made,
    /// for example to log in. The default is `nil`.
    ///
    /// The closure makes its calls in the session: calls of the client wait until it has returned. If it throws, the
    /// connection is closed, which takes at most 500 ms, and the attempt has failed. Another attempt can follow if the
    /// connection was lost, or if the error is a `ConnectError` or a `ClientError` that is retryable. If the connection
    /// is lost meanwhile, the task of the closure is cancelled.
    ///
    /// The client keeps the closure until the client is released. Capture the client, or an object that keeps the
    /// client, weakly. Otherwise it is never released. The closure may capture an object that keeps the session.
    ///
    /// Only a client calls the closure. A ``DuplexSession`` that a program or a listener makes does not call it, and
    /// ``DuplexSession/configuration`` of every session is without it.
    public var onConnect: (@Sendable (DuplexSession) async throws -> Void)?
    /// The time for which ``DuplexSession/close(code:reason:drain:)`` waits for calls in flight, including the peer's
    /// calls. The default is 5 seconds.
    public var drainTimeout = Duration.seconds(5)
    /// The time after ``drainTimeout`` for sending the messages in the outbox and for the closing handshake. The
    /// default is 5 seconds.
    public var closeTimeout = Duration.seconds(5)
    /// The clock of deadlines. The default is `ContinuousClock`.
    public var clock: any Clock<Duration> = ContinuousClock()

    public init() {}
}

extension SessionConfiguration {
    /// Options of the calls and notifications that a session sends.
    public struct Calls: Sendable {
        /// The timeout of calls without their own timeout; `nil` for no limit. The default is 60 seconds.
        public var timeout: Duration? = .seconds(60)
        /// The maximum number of calls in flight. The default is 65 536. Further callers queue in order
        /// and can be cancelled.
        public var maximumInFlight = 65_536
        /// The number of bytes in the transport's outbox at which further callers queue, in order. Smaller values than
        /// ``minimumQueuedBytes`` are raised to it. The default is 4 MiB.
        public var maximumQueuedBytes = 4 << 20
        /// The minimum of ``maximumQueuedBytes``, 128 KiB. It is above the low-water mark of all transports.
        public static let minimumQueuedBytes = 128 << 10
        /// The limits for one array. Larger batches are divided. The default is 1000 members and 1 MiB.
        public var batchLimits = SessionConfiguration.BatchLimits()
        /// The generator of request ids. The default is ascending numbers from 1.
        public var idGenerator: any IDGenerator = .numbers
        /// The notification that tells the peer about a cancelled or timed out call. The peer cancels its calls with
        /// notices of the same form. The default is none.
        public var cancellationNotice = CancellationNotice.none
        /// Members beside `params` in every request and notification. The default is none.
        public var extraMembers = ExtraMembers()
        /// Interceptors of calls and notifications, including the members of batches, outermost first. The default is
        /// none.
        public var interceptors: [any CallInterceptor] = []
        /// The number of ended calls whose ids are remembered, to distinguish late responses from unknown responses.
        /// The default is 1024.
        public var rememberedIDs = 1024

        /// Makes options with the defaults.
        public init() {}
    }

    /// Options of the calls and notifications that the peer sends to a session.
    public struct Inbound: Sendable {
        /// Interceptors of the peer's requests and notifications, outermost first. The default is none.
        public var interceptors: [any InboundCallInterceptor] = []
        /// The maximum number of the peer's calls in progress. Further calls are answered with ``serverBusy``. The
        /// default is 1024.
        public var maximumCalls = 1024
        /// The maximum number of bytes in the messages of the peer's calls in progress. At this limit, further calls
        /// are answered with ``serverBusy``. The same number limits the answers that wait for the other answers of
        /// their array: then the other members are answered with ``serverBusy``. The default is 64 MiB.
        public var maximumBytes = 64 << 20
        /// The maximum number of requests and notifications in an array from the peer. The requests of a longer array
        /// are answered with one error, `ErrorObject.Code.invalidRequest`. ``SessionConfiguration/strictness`` decides
        /// about its notifications and about an event: see `Irregularity.oversizedBatch`. The default is 1000.
        public var maximumBatch = 1000
        /// The maximum number of notifications that wait for a busy handler. Their messages may also take at most
        /// 64 MiB. The default is 1024.
        public var notificationBuffer = 1024
        /// Whether the peer gets the descriptions of errors that handlers throw. They may contain confidential data.
        /// An `ErrorObject` is always sent unchanged. The default is `false`.
        public var revealsHandlerErrors = false
        /// The error code for calls beyond ``maximumCalls`` or ``maximumBytes``: -32000.
        public static let serverBusy = ErrorObject.Code(rawValue: -32_000)

        /// Makes options with the defaults.
        public init() {}
    }

    /// Options of a session's log, trace and events.
    public struct Diagnostics: Sendable {
        /// The logger of irregular messages, at `debug` without their content, of streams whose consumer is too slow,
        /// at `debug`, and of each message, at `trace`. The default is a logger that logs nothing. A session reads the
        /// level of the logger when it is made.
        public var logger = Logger(label: "swift-jsonrpc", factory: { _ in SwiftLogNoOpLogHandler() })
        /// A closure that returns the text that is logged for a message at `trace` level, or `nil` to omit the message.
        /// Set it to keep tokens and personal data out of the log. The default is `nil`: whole messages are logged,
        /// with control characters escaped.
        public var logRedaction: (@Sendable (WireTraceEvent) -> String?)?
        /// A closure that gets each message that is sent or received. The default is `nil`, which costs nothing.
        ///
        /// Sent messages arrive in the order of the wire, received messages in the order of their arrival, and a
        /// request before its response. One thread at a time calls the closure, without a lock: in the task that sends,
        /// or on the transport's thread. The closure must return quickly and must not block. It may use the session.
        /// If more than 16 MiB of messages wait for it, it gets their number instead:
        /// ``WireTraceEvent/Direction/missed``.
        public var trace: (@Sendable (WireTraceEvent) -> Void)?
        /// The maximum number of events that wait for each reader of ``DuplexSession/events``. Their messages may also
        /// take at most 64 MiB. The oldest events are dropped first. The default is 256.
        public var eventBuffer = 256

        /// Makes options with the defaults.
        public init() {}
    }
}

extension SessionConfiguration {
    /// The maximum size of one array. Further members of a batch are sent in further arrays, in order.
    public struct BatchLimits: Sendable, Hashable {
        /// The maximum number of members. The default is 1000. Values below 1 are raised to 1.
        public var maximumMembers: Int
        /// The maximum number of bytes. The default is 1 MiB. A larger member is sent in its own array.
        public var maximumBytes: Int

        /// Makes limits.
        public init(maximumMembers: Int = 1000, maximumBytes: Int = 1 << 20) {
            self.maximumMembers = maximumMembers
            self.maximumBytes = maximumBytes
        }

        /// No limits: every batch is one array.
        public static let none = SessionConfiguration.BatchLimits(maximumMembers: .max, maximumBytes: .max)

        /// Divides members of these sizes into arrays, in order. No array is empty.
        package func split(_ sizes: [Int]) -> [Range<Int>] {
            var arrays: [Range<Int>] = []
            var start = 0
            var bytes = 2  // The brackets.
            for (index, size) in sizes.enumerated() {
                let isFull = index - start >= max(1, maximumMembers) || bytes + size + 1 > maximumBytes
                if isFull, index > start {
                    arrays.append(start..<index)
                    start = index
                    bytes = 2
                }
                bytes += size + 1  // The comma.
            }
            if start < sizes.count { arrays.append(start..<sizes.count) }
            return arrays
        }
    }
}
