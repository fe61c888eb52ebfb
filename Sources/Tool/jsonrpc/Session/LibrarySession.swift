// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TaskWaits
import ToolSupport
import WebSocket

/// The connection of a command, made with the library.
struct LibrarySession: CallerSession {
    let client: JSONRPCClient
    private let url: String
    private let options: ConnectionOptions
    /// Tasks that print events of the connection. They end with it.
    let backgroundTasks: [BackgroundTask]
    let budget: TimeBudget?
    let isIdempotent: Bool
    /// The executor that runs tasks on the thread that serves the connection.
    let executor: WebSocketEventLoops.Executor
    /// Prints the outcomes of calls in order with the notifications; `nil` to print them as they come.
    var order: ResultOrder?

    /// What a command wants of its connection.
    struct Setup: Sendable {
        /// The time that `--timeout` leaves for the whole command; `nil` if `--timeout` limits each call.
        var budget: TimeBudget?
        /// The limit for the closing handshake. It shrinks if `--timeout` leaves less time. After it, the connection is
        /// abandoned and ends with the process.
        var closeTimeout = LibrarySession.closeTimeout
        /// Whether the client connects again when it loses the connection.
        var reconnect = ReconnectPolicy.never
        /// The rules for failures that may pass, in place of ``reconnect``; `nil` for none.
        var retries: Retries?
        /// Makes the first calls of each connection.
        var onConnect: (@Sendable (DuplexSession) async throws -> Void)?
        /// Shows the messages. The default follows `--verbose`.
        var trace: MessageTrace?
        /// A sentence that names the way to see all messages that are not JSON-RPC; `nil` if the command prints them.
        var foreignAdvice: String? = "Use -v to print all messages."
    }

    init(
        _ url: String, _ options: ConnectionOptions, _ setup: Setup, _ configuration: WebSocketConfiguration,
        on eventLoops: WebSocketEventLoops, reports: PeerReports
    ) throws {
        self.url = url
        var connector = WebSocketConnector(
            to: try TargetURL.complete(url), configuration: configuration, on: eventLoops)
        var session = try options.session()
        session.onConnect = setup.onConnect
        executor = eventLoops.executors[0]
        self.options = options
        budget = setup.budget
        isIdempotent = setup.retries?.isIdempotent ?? false
        let reconnect = setup.retries?.reconnecting(within: setup.budget?.rest) ?? setup.reconnect
        let trace = setup.trace ?? (options.verbose ? MessageTrace(output: .diagnostics) : nil)
        if let trace {
            connector.connectionOpened = { trace.opened(subprotocol: $0.subprotocol, tlsVersion: $0.tlsVersion) }
            session.diagnostics.trace = { trace.show($0) }
            OutputStream.follow(trace)
        }
        client = JSONRPCClient(connector: connector, configuration: session, reconnect: reconnect)
        let context = reconnect == .never ? nil : options.socket.failureContext(url)
        backgroundTasks = [reports.follow(client, reconnecting: context), trace?.follow(client)].compactMap(\.self)
        for answer in options.answers {
            let result = try ParamWords.value(answer.value)
            client.setHandler(answer.name, SynchronousHandler { _ in result })
        }
    }

    /// Connects. Throws ``CallFailure``, or `CancellationError` if the task is cancelled.
    func connect() async throws {
        let attempts = Task { try await client.connect() }
        // Several attempts together can take longer than --connect-timeout allows one.
        let timer = client.reconnect == .never ? nil : budget?.rest
        let ending = timer.map { rest in
            Task {
                try await Task.sleep(for: rest)
                attempts.cancel()
            }
        }
        defer { ending?.cancel() }
        do {
            try await attempts.joined.get()
        } catch let error as ClientError {
            // If --timeout is shorter than --connect-timeout, it is the reason.
            if let limit = budget?.limit, limit <= options.connectTimeout.duration,
                (error.cause as? WebSocketError)?.code == .connectTimeout
            {
                throw lateConnection(limit)
            }
            throw failure(error)
        } catch is CancellationError where !Task.isCancelled {
            throw lateConnection(budget?.limit ?? .zero)
        }
    }

    private func lateConnection(_ limit: Duration) -> CallFailure {
        CallFailure(
            kind: .timeout, delivery: .notSent,
            message: "The connection was not established within the --timeout of \(limit). Raise --timeout.")
    }

    func close() async { await client.close() }

    /// Returns the limit for the closing handshake: `limit`, or the rest of `--timeout` if that is shorter.
    ///
    /// The minimum is 100 ms, so that the CLOSE frame is sent and a peer nearby can answer it.
    func closeTimeout(atMost limit: Duration) -> Duration {
        let rest = budget.map { $0.rest } ?? options.timeout.duration
        return max(.milliseconds(100), min(limit, rest ?? limit))
    }

    func failure(_ error: any Error) -> any Error {
        error is CancellationError ? error : CallFailure(error, failureContext)
    }

    var failureContext: CallFailure.Context { options.socket.failureContext(url) }

    // MARK: PeerSession

    var caller: any JSONRPCCaller { client }
    var makesManyCalls: Bool { order == nil }

    func call(_ lines: [BatchLine], eachOutcome: (Int, Result<RawJSON, any Error>) throws -> Void) async throws {
        if let order {
            for (index, line) in lines.enumerated() {
                try await order.call(client, extraMembers: line.extraMembers) { options in
                    var options = options
                    options.isIdempotent = isIdempotent
                    return try await client.callRaw(
                        line.method, params: line.params, timeout: timeout, options: options)
                } print: { outcome in
                    try eachOutcome(index, outcome.mapError { failure($0) })
                }
            }
            return
        }
        let calls = client.results(
            of: lines, inFlight: lines.count, timeout: timeout, options: CallOptions(isIdempotent: isIdempotent))
        for try await (index, result) in calls {
            try eachOutcome(index, result.mapError { failure($0.underlying) })
        }
    }

    func batch(_ lines: [BatchLine]) async throws -> [Result<RawJSON, any Error>?] {
        let outcomes = await Result(of: { try await array(lines) })
        // The notifications before the response are printed first.
        await order?.call(client) { _ in
            .null
        } print: { _ in
        }
        return try outcomes.get()
    }

    func connectionEnd() async -> CallFailure? {
        var closure: DuplexSession.Closure?
        // The loop ends at once if the connection has ended before.
        for await event in client.events {
            if case .closed(let end) = event { closure = end }
        }
        if Task.isCancelled { return nil }
        return Self.ended(closure ?? client.session?.closure, failureContext)
    }

    /// Returns the failure of a command whose connection has ended.
    static func ended(_ closure: DuplexSession.Closure?, _ context: CallFailure.Context) -> CallFailure {
        guard let closure else { return CallFailure(kind: .lost, delivery: .notSent, message: "The connection ended.") }
        if let error = closure.error {
            let cause = ClientError(.connectionLost, "The connection was lost.", cause: error)
            return CallFailure(cause, context)
        }
        switch closure.initiator {
        case .local:
            // The command itself has not closed the connection, because it still waits for the end.
            return CallFailure(
                kind: .protocolViolation, delivery: .notSent,
                message: TerminalText.line(
                    "The peer violated the protocol. The session closed the connection with code \(closure.code)."
                        + (closure.reason.isEmpty ? "" : " \(closure.shownReason)")))
        case .remote, .failure:
            return CallFailure(
                kind: .lost, delivery: .notSent,
                message: "The peer closed the connection with code \(closure.code)\(closure.reasonText).")
        }
    }
}

// MARK: Life

extension LibrarySession {
    /// The limit for the closing handshake if messages may still have to be sent.
    static let closeTimeout = Duration.seconds(5)
    /// The limit for the closing handshake if all messages were sent and answered.
    static let shortCloseTimeout = Duration.seconds(2)

    /// Connects, runs `body`, and closes with a closing handshake, also if `body` throws. `prepare` configures the client
    /// before it connects. It returns a value for `body`, and tasks that end with the connection.
    static func with<Prepared: Sendable, T: Sendable>(
        _ url: String, _ options: ConnectionOptions, _ setup: Setup = Setup(),
        prepare: (JSONRPCClient) throws -> (Prepared, [BackgroundTask]),
        body: @Sendable (LibrarySession, Prepared) async throws -> T
    ) async throws -> T {
        let session = try LibrarySession(
            url, options, setup, options.socket.webSocket(within: setup.budget?.rest), on: .shared,
            reports: options.reports(setup.foreignAdvice))
        let (prepared, tasks) = try prepare(session.client)
        return try await closing([session], within: setup.closeTimeout, session.backgroundTasks + tasks) {
            try await session.connect()
            return try await body(session, prepared)
        }
    }

    /// Does the same with several connections, which are spread over event loops.
    static func with<T: Sendable>(
        _ url: String, _ options: ConnectionOptions, count: Int, eventLoops: Int,
        body: @Sendable ([LibrarySession]) async throws -> T
    ) async throws -> T {
        let eventLoops = (0..<max(1, min(count, eventLoops))).map { _ in WebSocketEventLoops() }
        let reports = options.reports(Setup().foreignAdvice)
        let configuration = try options.socket.webSocket()
        let sessions = try (0..<count).map { index in
            try LibrarySession(
                url, options, Setup(), configuration, on: eventLoops[index % eventLoops.count], reports: reports)
        }
        let backgroundTasks = sessions.flatMap(\.backgroundTasks)
        return try await closing(sessions, within: shortCloseTimeout, backgroundTasks) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for session in sessions { group.addTask { try await session.connect() } }
                try await group.waitForAll()
            }
            return try await body(sessions)
        }
    }

    private static func closing<T: Sendable>(
        _ sessions: [LibrarySession], within limit: Duration, _ backgroundTasks: [BackgroundTask],
        _ body: () async throws -> T
    ) async throws -> T {
        let result = await Result(of: body)
        let closing = Task {
            await withTaskGroup(of: Void.self) { group in
                for session in sessions { group.addTask { await session.close() } }
            }
            for task in backgroundTasks { await task.value }
        }
        // A cancelled close does not wait for calls in flight.
        await untilEnded([closing], by: .now + (sessions.map { $0.closeTimeout(atMost: limit) }.max() ?? limit))
        return try result.get()
    }
}

// MARK: Configuration

extension SocketOptions {
    func webSocket(within time: Duration? = nil) throws -> WebSocketConfiguration {
        if digest { throw UsageError("--digest cannot be used with a WebSocket URL, only with an HTTP URL.") }
        var configuration = WebSocketConfiguration()
        configuration.engine = engineOptions.engine
        configuration.subprotocols = subprotocols
        configuration.headers = try headerFields(credentials()).map { ($0.name, $0.value) }
        configuration.connectTimeout = min(connectTimeout.duration, time ?? connectTimeout.duration)
        configuration.pingInterval = pingInterval.duration
        configuration.pingTimeout = pingTimeout
        configuration.coalescesMessages = !noCoalescing
        configuration.maximumMessageBytes = maxMessageSize
        configuration.compression = compression
        // Without TLS, nothing else reads them.
        try checkCertificateFiles()
        if let cacert { configuration.tls.trust = .only(.file(cacert)) }
        if let cert, let key {
            configuration.tls.identity = TLSConfiguration.Identity(
                certificateChain: .file(cert), privateKey: .file(key))
        }
        configuration.tls.isInsecure = insecure
        if let servername { configuration.tls.serverName = servername }
        configuration.proxy = proxyPolicy
        return configuration
    }

    /// What messages about failures say of the options, and of the URL of the peer.
    func failureContext(_ url: String) -> CallFailure.Context {
        CallFailure.Context(
            maximumMessageBytes: maxMessageSize, url: url, credentials: credentialSource(url),
            hasAuthority: cacert != nil)
    }

    /// Checks that the files of `--cacert`, `--cert` and `--key` can be read.
    func checkCertificateFiles() throws {
        for file in [cacert, cert, key].compactMap(\.self) { _ = try FileBytes.contents(of: file) }
    }
}

extension ConnectionOptions {
    func reports(_ foreignAdvice: String?) -> PeerReports {
        PeerReports(advice: foreignAdvice, pingInterval: socket.pingInterval.duration)
    }

    func session() throws -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.calls.timeout = timeout.duration
        configuration.version = version == .two ? .required : .omitted
        // The buffer holds a burst of messages until `listen --raw` prints them.
        configuration.diagnostics.eventBuffer = 4096
        for member in extraMembers {
            do {
                try configuration.calls.extraMembers.set(member.name, to: ParamWords.value(member.value))
            } catch let error as ExtraMembers.ReservedName {
                throw UsageError("--extra: \(error)")
            }
        }
        return configuration
    }
}
