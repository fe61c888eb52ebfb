// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import Logging
public import WireJSON

/// Options of a session, or of a client's sessions. The defaults suit a JSON-RPC 2.0 peer.
public struct SessionConfiguration: Sendable {
    // MARK: Calls

    /// The time for a call that has no timeout of its own; `nil` for no limit. The default is 60 seconds.
    public var callTimeout: Duration? = .seconds(60)
    /// The most calls in flight. Further callers queue in order and can be cancelled. The default is 65 536.
    public var maximumCallsInFlight = 65_536
    /// The bytes in the transport's outbox at which further callers queue, in order. Values below ``minimumQueuedBytes``
    /// count as that. The default is 4 MiB.
    public var maximumQueuedBytes = 4 << 20
    /// The smallest value of ``maximumQueuedBytes``, 128 KiB: above the low-water mark of any transport.
    public static let minimumQueuedBytes = 128 << 10
    /// The size of an array above which a batch is divided.
    public var batchLimits = BatchLimits()
    /// Generates request ids.
    public var idGenerator: any IDGenerator = .numbers
    /// How the peer is told that a call was given up.
    public var cancellationNotice = CancellationNotice.none
    /// Members beside `params` in every request and notification.
    public var extraMembers = ExtraMembers()
    /// Interceptors of calls and notifications, also of those in batches. The first is the outermost.
    public var interceptors: [any CallInterceptor] = []

    // MARK: Messages

    /// Turns params and results into JSON and back, for calls of both sides.
    public var coder: any MessageCoder = .wireJSON
    /// What to do about irregular messages.
    public var strictness = Strictness.standard
    /// What to do about the `jsonrpc` member.
    public var version = VersionMember.required
    /// True to answer what is no JSON-RPC message with an error whose id is `null`, as a server must (JSON-RPC 2.0 §5).
    /// False, unless this side is a server: two peers which both answer so could answer each other without end.
    public var answersUnreadableMessages = false
    /// The depth to which a message may nest. The default is 512.
    public var jsonLimits = JSONLimits()

    // MARK: The peer's calls

    /// Interceptors of the peer's requests and notifications. The first is the outermost.
    public var inboundInterceptors: [any InboundCallInterceptor] = []
    /// The most calls of the peer in progress. Further calls are answered with ``serverBusy``. The default is 1024.
    public var maximumInboundCalls = 1024
    /// The bytes that the messages of the peer's calls in progress may take together. At this limit, further calls are
    /// answered with ``serverBusy``. The default is 64 MiB.
    public var maximumInboundBytes = 64 << 20
    /// The most requests and notifications in an array from the peer. The requests of a longer array are answered
    /// with one error, `ErrorCode.invalidRequest`. What happens to its notifications, and whether an event tells of
    /// it, is up to ``strictness``: see `Irregularity.oversizedBatch`. The default is 1000.
    public var maximumInboundBatch = 1000
    /// The most notifications that wait for a busy handler, and at most 64 MiB of messages in them. The default is 1024.
    public var notificationHandlerBuffer = 1024
    /// Whether the peer gets the description of an error that a handler throws, which may contain anything. An
    /// `ErrorObject` is always sent as it is. The default is `false`.
    public var revealsHandlerErrors = false
    /// The code of the error for calls beyond ``maximumInboundCalls`` or ``maximumInboundBytes``.
    public static let serverBusy = ErrorCode(rawValue: -32_000)

    // MARK: The session itself

    /// The time for which ``DuplexSession/close(code:reason:)`` waits for calls in flight, the peer's included. The
    /// default is 5 seconds.
    public var drainTimeout = Duration.seconds(5)
    /// The time after that for sending what is in the outbox and for the closing handshake. The default is 5 seconds.
    public var closeTimeout = Duration.seconds(5)
    /// The number of ended calls whose ids are remembered, to tell late responses from unknown ones. The default is 1024.
    public var rememberedIDs = 1024
    /// The most events that wait for each reader of ``DuplexSession/events``, and at most 64 MiB of messages in them. The
    /// oldest events are dropped first. The default is 256.
    public var eventBuffer = 256
    /// The time that deadlines are measured by.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Logs irregular messages at `debug`, without their content, and each message at `trace`. The default is a logger
    /// that logs nothing. A session reads the logger's level when it is made.
    public var logger = Logger(label: "swift-jsonrpc", factory: { _ in SwiftLogNoOpLogHandler() })
    /// Returns the text that the log at `trace` level gets for a message; `nil` to leave the message out. Set it to keep
    /// tokens and personal data out of the log. The default is `nil`: the log gets messages whole, with control characters
    /// escaped.
    public var logRedaction: (@Sendable (WireTraceEvent) -> String?)?
    /// Called with each message that is sent or received. The default is `nil`, which costs nothing.
    ///
    /// Sent messages come in the order of the wire, received ones in the order of their arrival, and a request before its
    /// response. The closure is called by one thread at a time, while no lock is held: in the task that sends, or on the
    /// transport's thread. It must be quick and must not block. It may use the session.
    public var trace: (@Sendable (WireTraceEvent) -> Void)?

    public init() {}
}
