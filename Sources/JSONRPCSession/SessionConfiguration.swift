// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import Logging
public import WireJSON

/// What a session, or a client's sessions, are to do. The standard values suit a JSON-RPC 2.0 peer.
public struct SessionConfiguration: Sendable {
    // MARK: Calls

    /// How long a call may take when it does not say. 60 seconds; nil for no limit.
    public var callTimeout: Duration? = .seconds(60)
    /// How many calls may be in flight. Further callers wait in order, and can be cancelled while they do. 65 536.
    public var maximumCallsInFlight = 65_536
    /// With so many bytes in the transport's outbox, further callers wait in order. 4 MiB. Values below
    /// ``minimumQueuedBytes`` count as that.
    public var maximumQueuedBytes = 4 << 20
    /// The least that ``maximumQueuedBytes`` can be: above the low-water mark of any transport.
    public static let minimumQueuedBytes = 128 << 10
    /// How large the array of a batch may become, before the batch is divided.
    public var batchLimits = BatchLimits()
    /// What makes request ids.
    public var idGenerator: any IDGenerator = .numbers
    /// How the peer is told that a call was given up.
    public var cancellationNotice = CancellationNotice.none
    /// Members beside `params` in every request and notification.
    public var extraMembers = ExtraMembers()
    /// What stands around calls, the outermost first.
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
    /// How deeply a message may nest.
    public var jsonLimits = JSONLimits()

    // MARK: The peer's calls

    /// How many calls of the peer are served at a time. Further ones are answered with ``serverBusy``. The default is
    /// 1024.
    public var maximumInboundCalls = 1024
    /// How many bytes the messages of the peer's calls that are being served may take together. While they take as
    /// many or more, further calls are answered with ``serverBusy``. The default is 64 MiB.
    public var maximumInboundBytes = 64 << 20
    /// How many requests and notifications an array from the peer may have. The requests of a longer array are answered
    /// with one error, `ErrorCode.invalidRequest`. What happens to its notifications, and whether an event tells of
    /// it, is up to ``strictness``: see `Irregularity.oversizedBatch`. The default is 1000.
    public var maximumInboundBatch = 1000
    /// How many notifications wait for a handler that is busy. 1024.
    public var notificationHandlerBuffer = 1024
    /// True to send the description of an error that a handler throws, which may hold anything. An `ErrorObject` is
    /// always sent as it is.
    public var revealsHandlerErrors = false
    /// The code of the error for calls beyond ``maximumInboundCalls`` or ``maximumInboundBytes``.
    public static let serverBusy = ErrorCode(rawValue: -32_000)

    // MARK: The session itself

    /// How long ``DuplexSession/close(code:reason:)`` waits for calls in flight, the peer's included.
    public var drainTime = Duration.seconds(5)
    /// How long the closing handshake may take thereafter, what is still in the outbox included.
    public var closingTime = Duration.seconds(5)
    /// How many ids of ended calls are remembered, to tell late responses from unknown ones.
    public var rememberedIDs = 1024
    /// How many events are kept for each reader of ``DuplexSession/events`` who is behind, and at most 64 MiB of messages
    /// in them. The default is 256 events.
    public var eventBuffer = 256
    /// The time that deadlines are measured by.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Gets what a reader of logs may want to know, nothing at `info` or above. Silent unless it is set.
    public var logger = Logger(label: "swift-jsonrpc", factory: { _ in SwiftLogNoOpLogHandler() })

    public init() {}
}
