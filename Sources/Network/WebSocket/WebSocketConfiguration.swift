// swift-jsonrpc · SPDX-License-Identifier: MIT

public import Logging

/// The options of connecting and of a connection.
public struct WebSocketConfiguration: Sendable {
    /// The implementation of WebSocket that connections use. The default is ``WebSocketEngine/builtIn``.
    public var engine = WebSocketEngine.builtIn
    /// The subprotocols that a client offers, in order of preference (RFC 6455 §1.9). The default is none.
    public var subprotocols: [String] = []
    /// Whether connecting fails if the server chooses none of ``subprotocols``. The default is `false`.
    public var requiresSubprotocol = false
    /// The `Origin` header field. The default is none.
    public var origin: String?
    /// Additional header fields of the opening handshake, such as `[("Authorization", "Bearer …")]`. The default is
    /// none.
    ///
    /// Values are never logged. If the request is too long, a server answers with the status 431 or 400.
    public var headers: [(name: String, value: String)] = []
    /// A closure that returns header fields for each attempt to connect, for example a token that expires. They are
    /// sent after the fields in ``headers``. The default is `nil`.
    ///
    /// The closure runs in its own task, and its time counts toward ``connectTimeout``. If that time is over, or the
    /// connecting task is cancelled, the closure's task is cancelled and not awaited. Connecting throws its errors.
    public var dynamicHeaders: (@Sendable () async throws -> [(name: String, value: String)])?
    /// The proxy that connections use. The default is `ProxyPolicy.environment`.
    public var proxy = ProxyPolicy.environment
    /// The options of TLS, for `wss:` and `wss+unix:` URLs.
    public var tls = TLSConfiguration()
    /// The time limit for ``dynamicHeaders``, name resolution, TCP, TLS and the opening handshake together. The default
    /// is 10 seconds.
    public var connectTimeout: Duration = .seconds(10)
    /// The time between two PINGs, at least 10 ms. They are sent up to 1/64 of it early, together with those of other
    /// connections. With `nil`, no PINGs are sent, so a dead peer is not detected. The default is 20 seconds.
    public var pingInterval: Duration? = .seconds(20)
    /// The time, at least 10 ms, for which the peer may be silent after ``pingInterval``. A half-open connection is
    /// detected within the sum of both times. The default is 20 seconds.
    public var pingTimeout: Duration = .seconds(20)
    /// The maximum size of a message from the peer, in bytes. The default is 32 MiB.
    ///
    /// A larger message ends the connection with the close code 1009 as soon as a frame's header announces it.
    /// Compressed messages count with their inflated size.
    public var maximumMessageBytes = 32 << 20
    /// Whether text messages must be UTF-8 (RFC 6455 §8.1). Others end the connection with 1007. The default is `true`.
    public var validatesText = true
    /// The time after which suspended reading resumes automatically. The default is 10 seconds.
    public var maximumReadSuspension: Duration = .seconds(10)
    /// The low-water mark of the outbox, in bytes, at least 0. The default is 256 KiB.
    ///
    /// `MessageReceiver.outboxDrained()` is called when ``WebSocketConnection/queuedByteCount`` falls to this value.
    public var lowWaterBytes = 256 << 10
    /// Whether queued messages are written to the socket together. The default is `true`.
    ///
    /// With `false`, each message gets its own write, or several if it is long. This takes more processor time. It
    /// helps peers that fail if one read returns several messages, such as Kodi 20. TCP does not preserve the
    /// boundaries of writes, so messages in quick succession can still arrive together.
    public var coalescesMessages = true
    /// The time limit for writing the last bytes, such as a CLOSE frame, after the peer has closed the connection or
    /// violated the protocol. The receiver is notified of the end before that. The default is 5 seconds.
    public var closeTimeout: Duration = .seconds(5)
    /// Whether permessage-deflate (RFC 7692) is negotiated for messages from the peer. The default is `false`.
    ///
    /// A client offers the extension, and a listener accepts it. Messages to the peer are never compressed. Inflating
    /// costs processor time: a small message can inflate to ``maximumMessageBytes``.
    public var compression = false
    /// The logger of dials, openings and closures, at the levels `debug` and `trace`. URLs, header fields and messages
    /// are not logged. The default is a logger that logs nothing.
    public var logger = Logger(label: "swift-jsonrpc.websocket", factory: { _ in SwiftLogNoOpLogHandler() })

    public init() {}
}
