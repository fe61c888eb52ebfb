// swift-jsonrpc · SPDX-License-Identifier: MIT

public import Logging

/// How to connect and how a connection behaves.
public struct WebSocketConfiguration: Sendable {
    /// The subprotocols offered, best first (RFC 6455 §1.9).
    public var subprotocols: [String] = []
    /// Whether connecting fails if the server chooses none of ``subprotocols``. The default is `false`.
    public var requiresSubprotocol = false
    /// The `Origin` header field. The default is none.
    public var origin: String?
    /// Further header fields of the opening handshake, such as `[("Authorization", "Bearer …")]`. The default is none.
    ///
    /// Values are never logged. The length of the request is not limited on this side: a server refuses a long one with
    /// the status 431 or 400.
    public var headers: [(name: String, value: String)] = []
    /// Makes header fields for each dial, behind those of ``headers``: the place for a token that expires. The default is
    /// `nil`.
    ///
    /// The closure runs in a task of its own, and its time counts toward ``connectTimeout``. When that time is over, or
    /// the task that connects is cancelled, the closure's task is cancelled, and the dial does not wait for it. An error
    /// that it throws is thrown by the dial.
    public var dynamicHeaders: (@Sendable () async throws -> [(name: String, value: String)])?
    /// Whether connections go through a proxy. The default is ``ProxyPolicy/environment``.
    public var proxy = ProxyPolicy.environment
    /// The checks that TLS makes, for `wss` URLs.
    public var tls = TLSConfiguration()
    /// The time for ``dynamicHeaders``, name resolution, TCP, TLS and the opening handshake together. The default is 10
    /// seconds.
    public var connectTimeout: Duration = .seconds(10)
    /// The time between two PINGs, at least 10 ms; `nil` for no PINGs, so that a dead peer is not found. The default is 20
    /// seconds.
    public var pingInterval: Duration? = .seconds(20)
    /// The time, at least 10 ms, for which the peer may be silent beyond ``pingInterval``. A half-open connection is found
    /// within both together. The default is 20 seconds.
    public var pingTimeout: Duration = .seconds(20)
    /// The largest message that is received, in bytes. A larger message ends the connection with 1009 as soon as a
    /// frame's header announces it. Compressed messages count with their inflated size. The default is 32 MiB.
    public var maximumMessageBytes = 32 << 20
    /// Whether text messages are checked to be UTF-8 (RFC 6455 §8.1). A message that is not ends the connection with 1007.
    /// The default is `true`.
    public var validatesText = true
    /// The longest time for which reading is suspended; then it goes on by itself. The default is 10 seconds.
    public var maximumReadSuspension: Duration = .seconds(10)
    /// The value of ``WebSocketConnection/queuedByteCount``, at least 0, at which ``WebSocketHandler/outboxDrained()`` is
    /// called when the queue shrinks. The default is 256 KiB.
    public var lowWaterBytes = 256 << 10
    /// The time for writing the last bytes, such as a CLOSE frame, after the peer has closed the connection or has
    /// violated the protocol. The handler has been told of the end by then. The default is 5 seconds.
    public var closeTimeout: Duration = .seconds(5)
    /// Whether permessage-deflate (RFC 7692) is agreed on for messages from the peer. A client offers it; a listener
    /// accepts it. Messages to the peer are never compressed. The default is `false`.
    ///
    /// Inflating costs processor time: a small message can inflate to ``maximumMessageBytes``.
    public var compression = false
    /// Logs dials, openings and closures at `debug` and `trace`, without URLs, header fields and messages. The default is
    /// a logger that logs nothing.
    public var logger = Logger(label: "swift-jsonrpc.websocket", factory: { _ in SwiftLogNoOpLogHandler() })

    public init() {}
}
