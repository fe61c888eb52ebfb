// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TaskWaits

/// The client you use in a program. Each connection it makes is a ``DuplexSession``.
///
/// Handlers and streams belong to the client: they can be set before it connects, and they stay when it reconnects.
/// When the last reference to the client is released, its connection is closed without waiting for calls in flight.
///
/// A client with a ``ReconnectPolicy`` makes another connection when it loses one:
///
/// - ``SessionConfiguration/onConnect`` is called for the new connection, too, before any other call is made.
/// - Calls and notifications that begin meanwhile wait for the connection:
///   see ``ReconnectPolicy/disconnectedCalls``.
/// - A call in flight is sent again, with a new id, if it certainly was not sent, or if
///   ``CallOptions/isIdempotent`` is set. Other calls fail with the code `connectionLost`. A call that was cancelled or
///   has timed out is never sent again.
/// - Each stream of notifications gets a gap with the reason ``NotificationGap/Reason/reconnected``.
/// - Each ``Subscription`` is made again, and gets such a gap before the first value of the new connection. A
///   subscription of a ``DuplexSession`` ends with its session.
public final class JSONRPCClient: Sendable {
    let supervisor: ClientSupervisor

    /// The options of the client's sessions.
    public var configuration: SessionConfiguration { supervisor.configuration }
    /// The policy for lost connections.
    public var reconnect: ReconnectPolicy { supervisor.policy }

    /// Makes a client. It connects in ``connect()`` or ``run()``.
    ///
    /// - Parameters:
    ///   - connector: Makes each connection.
    ///   - configuration: The options of the sessions, and the closure for each new connection:
    ///     ``SessionConfiguration/onConnect``.
    ///   - reconnect: Whether to connect again if the connection is lost. The default is ``ReconnectPolicy/never``.
    public convenience init(
        connector: any MessageConnector, configuration: SessionConfiguration = SessionConfiguration(),
        reconnect: ReconnectPolicy = .never
    ) {
        self.init(
            connector: connector, configuration: configuration, reconnect: reconnect,
            random: { Double.random(in: 0..<1) })
    }

    /// Makes a client with its own source of random numbers from 0 to 1, for the times between attempts.
    package init(
        connector: any MessageConnector, configuration: SessionConfiguration, reconnect: ReconnectPolicy,
        random: @escaping @Sendable () -> Double
    ) {
        supervisor = ClientSupervisor(
            connector: connector, configuration: configuration, policy: reconnect, random: random)
    }

    deinit { supervisor.abandon() }

    // MARK: Life

    /// The current state.
    public var state: JSONRPCClient.State { supervisor.state }

    /// The current state and all later states. A slow reader gets only the latest 16 states. The stream ends when the
    /// client is closed.
    public var states: AsyncStream<JSONRPCClient.State> { supervisor.states.stream() }

    /// A new stream of the client's events, from now on.
    public var events: SessionEvent.Stream { endpoint.events.subscribe() }

    /// The session of the current connection; `nil` if there is none. It changes when the client reconnects.
    /// It is `nil` while the client reconnects, also in the `onConnect` of a reconnect, which gets the new session.
    public var session: DuplexSession? { supervisor.currentSession }

    /// The distribution of the round-trip times of all connections, measured with liveness probes: the PINGs of a
    /// WebSocket.
    public var roundTrips: RoundTripTimes {
        endpoint.roundTrips ?? supervisor.lastSession?.roundTrips ?? RoundTripTimes()
    }

    /// Connects the client. It returns when calls can be made.
    ///
    /// With ``ReconnectPolicy/always``, it repeats an attempt that fails, as the policy says. After an error, it can be
    /// called again.
    ///
    /// - Throws: A `ClientError` with the code `connectFailed`, whose cause is the reason, `alreadyConnected`, or
    ///   `closed` if the client was closed; a `CancellationError`.
    public func connect() async throws { try await supervisor.connect() }

    /// Connects the client if it is not connected, and returns when the client is closed from this side.
    ///
    /// If the task is cancelled, the client is closed gracefully: calls in flight have
    /// ``SessionConfiguration/drainTimeout`` to end. To end sooner, call ``closeNow(code:reason:)``.
    ///
    /// - Throws: The errors of ``connect()``; a `ClientError` if the connection is lost and the client does not
    ///   reconnect.
    public func run() async throws {
        if state == .idle { try await connect() }
        if let loss = await supervisor.run() { throw loss }
    }

    /// Closes the client gracefully, and cancels an attempt to connect.
    ///
    /// The client accepts no new calls. Calls in flight have ``SessionConfiguration/drainTimeout`` to end. Then the
    /// client performs the closing handshake. When the function returns, every call has ended.
    ///
    /// If the task is cancelled, the client does not wait for calls in flight, and waits at most 500 ms for the closing
    /// handshake.
    ///
    /// - Parameters:
    ///   - code: The close code (RFC 6455 §7.4). The default is 1000, a normal closure.
    ///   - reason: The reason that the peer gets. The default is none.
    public func close(code: UInt16 = 1000, reason: String = "") async {
        await supervisor.beginClosing()?.close(code: code, reason: reason)
        supervisor.finish(nil)
    }

    /// Closes the client immediately, and cancels an attempt to connect. It waits neither for calls in flight nor for
    /// the peer, and returns at once: see ``DuplexSession/closeNow(code:reason:)``.
    ///
    /// - Parameters:
    ///   - code: The close code (RFC 6455 §7.4). The default is 1000, a normal closure.
    ///   - reason: The reason that the peer gets. The default is none.
    public func closeNow(code: UInt16 = 1000, reason: String = "") {
        supervisor.beginClosing()?.closeNow(code: code, reason: reason)
        supervisor.finishUnlessReady()
    }
}

extension JSONRPCClient {
    /// Makes a client, connects it, runs a closure, and closes the client in all cases.
    ///
    /// ```swift
    /// let sum: Int = try await JSONRPCClient.withConnection(connector: connector) { client in
    ///     try await client.call("add", params: [1, 2])
    /// }
    /// ```
    ///
    /// When the closure returns or throws, calls in flight have ``SessionConfiguration/drainTimeout`` to end. If the
    /// task is cancelled, they end at once, and the closing handshake takes at most 500 ms. The function returns when
    /// the client is closed and its handlers are released.
    ///
    /// - Parameters:
    ///   - connector: Makes the connection.
    ///   - configuration: The options of the session.
    ///   - reconnect: Whether to connect again if the connection is lost. The default is ``ReconnectPolicy/never``.
    ///   - prepare: A closure that is called before the client connects. Set handlers here, and make the streams that
    ///     must not miss the peer's first message.
    ///   - body: A closure that uses the client. It runs in the caller's task.
    /// - Returns: The value that the closure returns.
    /// - Throws: The errors of ``connect()``; the error that `prepare` or `body` throws.
    public static func withConnection<Value>(
        connector: any MessageConnector, configuration: SessionConfiguration = SessionConfiguration(),
        reconnect: ReconnectPolicy = .never, prepare: (JSONRPCClient) throws -> Void = { _ in },
        _ body: (JSONRPCClient) async throws -> Value
    ) async throws -> Value {
        let client = JSONRPCClient(connector: connector, configuration: configuration, reconnect: reconnect)
        let result = await Result(of: {
            try prepare(client)
            try await client.connect()
            return try await body(client)
        })
        await client.close()
        return try result.get()
    }
}

extension JSONRPCClient {
    /// Sets a closure that gets each event on the thread where it happens. An event of a peer's message comes after the
    /// earlier notifications were delivered to their streams, and before the later ones are.
    package func observeEvents(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        endpoint.events.observe(observer)
    }

    /// Delivers a notification of this program to its streams, as if the peer had sent it now.
    package func deliver(_ notification: InboundNotification) { endpoint.notifications.deliver(notification) }
}
