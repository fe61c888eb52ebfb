// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import Synchronization
public import WireJSON

/// The client you use in a program. Each connection it makes is a ``DuplexSession``.
///
/// Handlers and streams belong to the client and may be made before it is connected. When the last reference to it
/// goes, its connection is closed without waiting for anybody.
public final class JSONRPCClient: Sendable {
    private struct Status {
        /// From the attempt to connect on.
        var session: DuplexSession?
        /// The attempt that is under way.
        var dial: Task<Void, any Error>?
        /// True from the first wish to close the client on.
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

    public let configuration: SessionConfiguration
    public let reconnect: ReconnectPolicy
    private let connector: any MessageConnector
    private let parts: SessionParts
    private let status = Mutex(Status())
    private let stateHub = StateHub<ClientState>(.idle)

    /// Makes a client, which does not connect yet: see ``connect()`` and ``run()``.
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
        stateHub.finish()
    }

    // MARK: Life

    /// How the client stands.
    public var state: ClientState { status.withLock { $0.state } }

    /// How the client stands, now and from now on. Readers who are behind get the latest states, not each. Ends when the
    /// client is closed.
    public var states: AsyncStream<ClientState> { stateHub.stream() }

    /// What happens beside the answers to calls, from now on.
    public var events: SessionEvents { parts.events.subscribe() }

    /// The live connection's session, nil while there is none.
    public var session: DuplexSession? { status.withLock { $0.session } }

    /// Makes the connection. Returns when calls can be made.
    ///
    /// After an attempt that failed, another can be made.
    ///
    /// - Throws: a `ClientError` with the code `connectFailed`, whose cause tells why, `alreadyConnected`, or `closed`,
    ///   when the client was closed; `CancellationError`.
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
        ClientError(.closed, "The client was closed while it connected.", delivery: .notSent)
    }

    /// Begins an attempt, which ``close(code:reason:)`` can give up.
    private func claim(_ session: DuplexSession) throws -> Task<Void, any Error> {
        let dial = try status.withLock { status in
            guard status.session == nil else {
                throw ClientError(.alreadyConnected, "The client has been connected before.")
            }
            guard !status.isClosed else {
                throw ClientError(.closed, "The client is closed.", delivery: .notSent)
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

    /// What an attempt that failed throws.
    private func attemptFailed(_ session: DuplexSession, _ error: any Error) -> any Error {
        let isClosed = status.withLock { status in
            status.dial = nil
            status.session = nil
            return status.isClosed
        }
        let failure = ClientError(
            .connectFailed, "The connection could not be made.", cause: error, delivery: .notSent,
            isRetryable: (error as? any ConnectError)?.isRetryable ?? false)
        // Others may wait for its end.
        session.dismiss(failure)
        stateChanged()
        if isClosed { return Self.closedMeanwhile }
        return error is CancellationError ? error : failure
    }

    private func stateChanged() {
        stateHub.update { state }
        if state == .closed { stateHub.finish() }
    }

    /// Connects, unless that was done, and returns when the client is closed from this side. Cancelling the task
    /// closes it.
    ///
    /// - Throws: a `ClientError` when there is no connection, or it is lost.
    public func run() async throws {
        if state == .idle { try await connect() }
        guard let session else { return }
        await withTaskCancellationHandler {
            await session.closed()
        } onCancel: {
            abandon()
        }
        if let loss = session.loss { throw loss }
    }

    /// Closes without waiting for anybody.
    private func abandon() {
        let (session, dial) = beginClosing()
        dial?.cancel()
        session?.abandon()
    }

    private func beginClosing() -> (session: DuplexSession?, dial: Task<Void, any Error>?) {
        status.withLock { status in
            status.isClosed = true
            return (status.session, status.dial)
        }
    }

    /// Closes the client: takes no more calls, lets those in flight end for as long as
    /// ``SessionConfiguration/drainTime``, then performs the closing handshake. When it returns, every call has ended. An
    /// attempt to connect is given up.
    ///
    /// When the task is cancelled, calls in flight are not waited for.
    public func close(code: UInt16 = 1000, reason: String = "") async {
        let (session, dial) = beginClosing()
        dial?.cancel()
        stateChanged()
        if let session { await session.close(code: code, reason: reason) } else { parts.sessionEnded(nil) }
        stateChanged()
    }
}

extension JSONRPCClient: JSONRPCEndpoint {
    public var coder: any MessageCoder { configuration.coder }

    public func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        try await connected(method).callRaw(method, params: params, timeout: timeout, options: options)
    }

    public func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        try await connected(method).notifyRaw(method, params: params, options: options)
    }

    public func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        try await connected(nil).batch(entries, timeout: timeout)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try await connected(nil).batch(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
    }

    private func connected(_ method: String?) throws -> DuplexSession {
        if let session { return session }
        throw ClientError(.notConnected, "There is no connection.", method: method, delivery: .notSent)
    }

    public func setHandler(_ method: String?, _ handler: (@Sendable (InboundCall) async throws -> RawJSON)?) {
        parts.handlers.setRequestHandler(method, handler.map { .asynchronous($0) })
    }

    public func setHandler(_ method: String?, _ handler: SynchronousHandler) {
        parts.handlers.setRequestHandler(method, .synchronous(handler))
    }

    public func setNotificationHandler(
        _ method: String?, _ handler: (@Sendable (InboundCall) async throws -> Void)?
    ) {
        parts.setNotificationHandler(method, handler)
    }

    public func notificationStream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value> {
        parts.notifications.stream(of: method, overflow: overflow, decoding: decoding, decode: decode)
    }
}
