// swift-jsonrpc · SPDX-License-Identifier: MIT

public import Logging

/// How to connect and how a connection behaves.
public struct WebSocketConfiguration: Sendable {
    /// The subprotocols offered, best first (RFC 6455 §1.9).
    public var subprotocols: [String] = []
    /// Whether a server that chooses none of ``subprotocols`` is refused.
    public var requiresSubprotocol = false
    /// The `Origin` header field.
    public var origin: String?
    /// Makes further header fields of the opening handshake, afresh for each dial: the place for tokens.
    ///
    /// It runs as a task of its own, in the time that ``connectTimeout`` leaves. When that is over, or the task that
    /// connects is cancelled, it is cancelled and not waited for.
    public var headers: @Sendable () async throws -> [(name: String, value: String)] = { [] }
    /// Whether connections go through a proxy.
    public var proxy = ProxyPolicy.environment
    /// What TLS must prove, for `wss` URLs.
    public var tls = TLSConfiguration()
    /// The time for ``headers``, name resolution, TCP, TLS and the opening handshake together.
    public var connectTimeout: Duration = .seconds(10)
    /// How often a PING goes out; `nil` for never, which also means that a dead peer is not found. What is below 10 ms,
    /// zero included, counts as 10 ms.
    public var pingInterval: Duration? = .seconds(20)
    /// How much longer than the interval the peer may be silent. A half-open connection is found within both together.
    /// What is below 10 ms counts as 10 ms.
    public var pingTimeout: Duration = .seconds(20)
    /// The largest message that is received, in bytes. A larger message ends the connection with 1009 as soon as a
    /// frame's header announces it. Compressed messages count with their inflated size. The default is 32 MiB.
    public var maximumMessageBytes = 32 << 20
    /// Whether text messages are checked to be UTF-8 (RFC 6455 §8.1). One that is not ends the connection with 1007.
    public var validatesText = true
    /// The longest time for which ``WebSocketConnection/setReading(_:)`` stops reading; then it goes on by itself.
    public var maximumReadSuspension: Duration = .seconds(10)
    /// When ``WebSocketConnection/queuedByteCount`` falls to this, ``WebSocketHandler/outboxDrained()`` is called. Below
    /// zero counts as zero.
    public var lowWaterBytes = 256 << 10
    /// The time for writing the last bytes, such as a CLOSE frame, after the peer has closed the connection or has
    /// violated the protocol. The handler has been told of the end by then. The default is 5 seconds.
    public var closeTimeout: Duration = .seconds(5)
    /// Whether permessage-deflate (RFC 7692) is agreed on for messages from the peer. A client offers it; a listener
    /// accepts it. Messages to the peer are never compressed. The default is `false`.
    ///
    /// Inflating costs processor time: a small message can inflate to ``maximumMessageBytes``.
    public var compression = false
    /// Silent unless set. Dials, openings and closures are logged, at `debug` and `trace`: no URL, header field or
    /// message.
    public var logger: Logger?

    public init() {}
}
