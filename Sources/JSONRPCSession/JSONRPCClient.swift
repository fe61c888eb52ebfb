// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

/// The client you use in a program. Each connection it makes is a ``DuplexSession``.
///
/// Handlers and streams belong to the client and can be set before it connects. When the last reference to the client
/// is released, its connection is closed without waiting for calls in flight.
public final class JSONRPCClient: Sendable {
    private struct Status {
        /// Set from the beginning of an attempt to connect.
        var session: DuplexSession?
        /// The current attempt to connect.
        var dial: Task<Void, any Error>?
        /// Whether the client was told to close.
        var isClosed = false

        var state: ClientState {
            guard let session else { return isClosed ? .closed : .idle }
            return switch session.state {
            case .connecting: isClosed ? .closing : .connecting
            case .open: isClosed ? .closing : .connected
            case .draining, .closing: .closing
            case .closed: .closed
            }
        }
    }

    /// The options of the client's sessions.
    public let configuration: SessionConfiguration
    /// The policy for lost connections.
    public let reconnect: ReconnectPolicy
    private let connector: any MessageConnector
    let parts: SessionParts
    private let status = Mutex(Status())
    private let stateHub = StateHub<ClientState>(.idle)

    /// Makes a client. It connects in ``connect()`` or ``run()``.
    ///
    /// - Parameters:
    ///   - connector: Makes the connection.
    ///   - configuration: The options of the session.
    ///   - reconnect: Whether to connect again if the connection is lost. The default is ``ReconnectPolicy/never``.
    public init(
        connector: any MessageConnector, configuration: SessionConfiguration = SessionConfiguration(),
        reconnect: ReconnectPolicy = .never
    ) {
        self.connector = connector
        self.configuration = configuration
        self.reconnect = reconnect
        parts = SessionParts(configuration: configuration)
    }

    deinit {
        let (session, dial) = status.withLock { ($0.session, $0.dial) }
        dial?.cancel()
        session?.abandon()
        stateHub.finish { .closed }
    }

    // MARK: Life

    /// The current state.
    public var state: ClientState { status.withLock { $0.state } }

    /// The current state and all later states. A slow reader gets only the latest 16 states. The stream ends when the
    /// client is closed.
    public var states: AsyncStream<ClientState> { stateHub.stream() }

    /// A new stream of the client's events, from now on.
    public var events: SessionEvents { parts.events.subscribe() }

    /// The session of the current connection; `nil` if there is none.
    public var session: DuplexSession? { status.withLock { $0.session } }

    /// Connects the client. It returns when calls can be made.
    ///
    /// After a failed attempt, it can be called again.
    ///
    /// - Throws: A `ClientError` with the code `connectFailed`, whose cause is the reason, `alreadyConnected`, or
    ///   `closed` if the client was closed; a `CancellationError`.
    public func connect() async throws {
        let session = DuplexSession(SessionDriver(configuration: configuration, parts: parts))
        let dial = try claim(session)
        stateChanged()
        do {
            try await withTaskCancellationHandler {
                try await dial.value
            } onCancel: {
                dial.cancel()
            }
        } catch {
            throw attemptFailed(session, error)
        }
        status.withLock { $0.dial = nil }
        guard session.state != .closed || session.loss != nil else { throw Self.closedMeanwhile }
        stateChanged()
    }

    private static var closedMeanwhile: ClientError {
        ClientError(.closed, "Could not connect: the client was closed during the attempt.", delivery: .notSent)
    }

    /// Begins an attempt to connect, which ``close(code:reason:)`` can cancel.
    private func claim(_ session: DuplexSession) throws -> Task<Void, any Error> {
        let dial = try status.withLock { status in
            guard status.session == nil else {
                throw ClientError(
                    .alreadyConnected, "Could not connect: the client has been connected before. Make a new client.")
            }
            guard !status.isClosed else {
                throw ClientError(
                    .closed, "Could not connect: the client is closed. Make a new client.", delivery: .notSent)
            }
            let dial = Task { [connector] in try await connector.connect(receiver: session.receiver) }
            status.session = session
            status.dial = dial
            return dial
        }
        Task { [weak self] in
            await session.closed()
            self?.stateChanged()
        }
        return dial
    }

    /// Returns the error for a failed attempt.
    private func attemptFailed(_ session: DuplexSession, _ error: any Error) -> any Error {
        let isClosed = status.withLock { status in
            status.dial = nil
            status.session = nil
            return status.isClosed
        }
        let failure = ClientError(
            .connectFailed, "Could not connect.", cause: error, delivery: .notSent,
            isRetryable: (error as? any ConnectError)?.isRetryable ?? false)
        // Other tasks may wait for the end of the session.
        session.dismiss(failure)
        stateChanged()
        if isClosed { return Self.closedMeanwhile }
        return error is CancellationError ? error : failure
    }

    private func stateChanged() {
        stateHub.update { state }
        if state == .closed { stateHub.finish { state } }
    }

    /// Connects the client if it is not connected, and returns when the client is closed from this side.
    ///
    /// If the task is cancelled, the client is closed gracefully: calls in flight have
    /// ``SessionConfiguration/drainTimeout`` to end. To end sooner, call ``closeNow(code:reason:)``.
    ///
    /// - Throws: The errors of ``connect()``; a `ClientError` if the connection is lost.
    public func run() async throws {
        if state == .idle { try await connect() }
        guard let session else { return }
        await withTaskCancellationHandler {
            await session.closed()
        } onCancel: {
            let (session, dial) = beginClosing()
            dial?.cancel()
            session?.beginClosing()
            stateChanged()
        }
        if let loss = session.loss { throw loss }
    }

    private func beginClosing() -> (session: DuplexSession?, dial: Task<Void, any Error>?) {
        status.withLock { status in
            status.isClosed = true
            return (status.session, status.dial)
        }
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
        let (session, dial) = beginClosing()
        dial?.cancel()
        stateChanged()
        if let session { await session.close(code: code, reason: reason) } else { parts.sessionEnded(nil) }
        stateChanged()
    }

    /// Closes the client immediately, and cancels an attempt to connect. It waits neither for calls in flight nor for
    /// the peer, and returns at once: see ``DuplexSession/closeNow(code:reason:)``.
    ///
    /// - Parameters:
    ///   - code: The close code (RFC 6455 §7.4). The default is 1000, a normal closure.
    ///   - reason: The reason that the peer gets. The default is none.
    public func closeNow(code: UInt16 = 1000, reason: String = "") {
        let (session, dial) = beginClosing()
        dial?.cancel()
        if let session { session.closeNow(code: code, reason: reason) } else { parts.sessionEnded(nil) }
        stateChanged()
    }
}
