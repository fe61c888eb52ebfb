// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import Synchronization
public import WireJSON

/// A JSON-RPC client over time: sessions, one after the other, behind one face.
///
/// Handlers and streams belong to the client and may be made before it is connected. When the last reference to it
/// goes, its connection is closed without waiting for anybody.
public final class JSONRPCClient: Sendable {
    private struct Status {
        var session: DuplexSession?
        var state = ClientState.idle
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
        status.withLock { $0.session }?.abandon()
        stateHub.finish()
    }

    // MARK: Life

    /// How the client stands.
    public var state: ClientState { stateHub.current }

    /// How the client stands, now and from now on. Readers who are behind get the latest state, not each.
    public var states: AsyncStream<ClientState> { stateHub.stream() }

    /// What happens beside the answers to calls, from now on.
    public var events: SessionEvents { parts.events.subscribe() }

    /// The live connection's session, nil while there is none.
    public var session: DuplexSession? { status.withLock { $0.session } }

    /// Makes the connection. Returns when calls can be made.
    ///
    /// After an attempt that failed, another can be made.
    ///
    /// - Throws: a `ClientError` with the code `connectFailed`, whose cause tells why, or
    ///   `alreadyConnected`; `CancellationError`.
    public func connect() async throws {
        let session = DuplexSession(SessionDriver(configuration: configuration, parts: parts))
        try claim(session)
        do {
            try await connector.connect(receiver: session.receiver)
        } catch {
            move(to: .idle, session: nil)
            if error is CancellationError { throw error }
            throw ClientError(
                .connectFailed, "The connection could not be made.", cause: error, delivery: .notSent)
        }
        guard session.state != .closed || session.loss != nil else {
            throw ClientError(.closed, "The client was closed while it connected.", delivery: .notSent)
        }
        move(to: .connected, session: session)
        Task { [weak self] in
            await session.closed()
            self?.move(to: .closed, session: session)
            self?.stateHub.finish()
        }
    }

    private func claim(_ session: DuplexSession) throws {
        let isFree = status.withLock { status in
            guard status.state == .idle else { return false }
            status.state = .connecting
            status.session = session
            return true
        }
        guard isFree else { throw ClientError(.alreadyConnected, "The client has been connected before.") }
        stateHub.publish(.connecting)
    }

    private func move(to state: ClientState, session: DuplexSession?) {
        let isNews = status.withLock { status in
            guard status.state != .closed else { return false }
            status.state = state
            status.session = session
            return true
        }
        if isNews { stateHub.publish(state) }
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
            session.abandon()
        }
        if let loss = session.loss { throw loss }
    }

    /// Closes the client: takes no more calls, lets those in flight end for as long as
    /// ``SessionConfiguration/drainTime``, then performs the closing handshake. When it returns, every call has ended.
    ///
    /// When the task is cancelled, calls in flight are not waited for.
    public func close(code: UInt16 = 1000, reason: String = "") async {
        let session = status.withLock { status -> DuplexSession? in
            if status.session == nil { status.state = .closed }
            return status.session
        }
        guard let session else {
            stateHub.publish(.closed)
            stateHub.finish()
            return parts.sessionEnded(nil)
        }
        stateHub.publish(.closing)
        await session.close(code: code, reason: reason)
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

    public func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, any Error>?] {
        try await connected(nil).batch(entries, timeout: timeout)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, any Error>) -> Void
    ) async throws {
        try await connected(nil).batch(entries, timeout: timeout, eachOutcome: eachOutcome)
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
