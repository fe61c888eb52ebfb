// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import WebSocket

/// A connection as the commands see it, made with the library.
struct LibrarySession: PeerSession {
    let client: JSONRPCClient
    private let options: ConnectionOptions
    private let trace: MessageTrace?
    /// Set where `--timeout` limits the whole command; otherwise it limits each call.
    private let budget: TimeBudget?
    /// Runs tasks on the thread that serves the connection, where it has one to itself or with few others.
    let executor: EventLoopExecutor

    init(_ url: String, _ options: ConnectionOptions, budget: TimeBudget?, on eventLoops: WebSocketEventLoops) throws {
        var connector = WebSocketConnector(
            to: try TargetURL.complete(url), configuration: try options.webSocket(within: budget?.rest), on: eventLoops)
        let session = try options.session()
        executor = eventLoops.executors[0]
        self.options = options
        self.budget = budget
        if options.verbose {
            let trace = MessageTrace(output: .diagnostics)
            self.trace = trace
            connector.connectionOpened = { trace.opened(subprotocol: $0.subprotocol, tlsVersion: $0.tlsVersion) }
            client = JSONRPCClient(connector: TracingConnector(base: connector, trace: trace), configuration: session)
        } else {
            trace = nil
            client = JSONRPCClient(connector: connector, configuration: session)
        }
        for answer in options.answers {
            let result = try ParamWords.value(answer.value)
            client.setHandler(answer.name, SynchronousHandler { _ in result })
        }
    }

    /// Connects.
    ///
    /// - Throws: ``CallFailure``; `CancellationError`.
    func connect() async throws {
        do {
            try await client.connect()
        } catch let error as ClientError {
            // Where --timeout is the shorter one, it is the reason.
            if let limit = budget?.limit, limit <= options.connectTimeout.duration,
                (error.cause as? WebSocketError)?.code == .connectTimeout
            {
                throw CallFailure(
                    kind: .timeout, delivery: .notSent,
                    message: "The connection was not established within the --timeout of \(limit).")
            }
            throw failure(error)
        }
    }

    /// Closes with a closing handshake, and returns when everything that came before was shown.
    func close() async {
        await client.close()
        trace?.flush()
    }

    /// How long to wait for the end of the closing handshake: `limit`, if `--timeout` leaves that much time.
    ///
    /// When no time is left, the CLOSE frame still goes out, and a peer nearby can answer it.
    func closingTime(atMost limit: Duration) -> Duration {
        let rest = budget.map { $0.rest } ?? options.timeout.duration
        return max(.milliseconds(100), min(limit, rest ?? limit))
    }

    /// What a command throws for an error of the library.
    func failure(_ error: any Error) -> any Error {
        error is CancellationError ? error : CallFailure(error, maximumMessageBytes: options.maxMessageSize)
    }

    // MARK: PeerSession

    func call(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws -> RawJSON {
        let timeout: CallTimeout
        if let budget { timeout = budget.rest.map { .after($0) } ?? .none } else { timeout = .default }
        do {
            return try await client.callRaw(
                method, params: params, timeout: timeout, options: CallOptions(extraMembers: extraMembers))
        } catch {
            throw failure(error)
        }
    }

    func notify(_ method: String, params: RawJSON?, extraMembers: ExtraMembers) async throws {
        do {
            try await client.notifyRaw(method, params: params, options: CallOptions(extraMembers: extraMembers))
        } catch {
            throw failure(error)
        }
    }

    func batch(_ lines: [BatchLine]) async throws -> [Result<RawJSON, any Error>?] {
        let outcomes: [Result<RawJSON, CallError>?]
        do {
            outcomes = try await client.batch(
                lines.map {
                    BatchEntry(
                        method: $0.method, params: $0.params, isNotification: $0.isNotification,
                        options: CallOptions(extraMembers: $0.extraMembers))
                })
        } catch {
            throw failure(error)
        }
        return outcomes.map { $0?.mapError { failure($0.underlying) } }
    }

    func connectionEnd() async -> CallFailure? {
        var closure: SessionClosure?
        // Ends at once where the connection has ended before.
        for await event in client.events {
            if case .closed(let end) = event { closure = end }
        }
        if Task.isCancelled { return nil }
        return ended(closure ?? client.session?.closure)
    }

    private func ended(_ closure: SessionClosure?) -> CallFailure {
        guard let closure else { return CallFailure(kind: .lost, delivery: .notSent, message: "The connection ended.") }
        if let error = closure.error {
            let cause = ClientError(.connectionLost, "The connection was lost.", cause: error)
            return CallFailure(cause, maximumMessageBytes: options.maxMessageSize)
        }
        switch closure.initiator {
        case .local:
            // Not the command, which would not wait any more.
            return CallFailure(
                kind: .protocolViolation, delivery: .notSent,
                message: "The connection was closed with code \(closure.code), since the peer violated the protocol.")
        case .remote, .failure:
            let reason = closure.reason.isEmpty ? "" : " (\(TerminalText.line(closure.reason)))"
            return CallFailure(
                kind: .lost, delivery: .notSent,
                message: "The peer closed the connection with code \(closure.code)\(reason).")
        }
    }
}

// MARK: Configuration

extension ConnectionOptions {
    /// - Parameter time: What is left for the whole command; `nil` for no limit.
    fileprivate func webSocket(within time: Duration?) throws -> WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.subprotocols = subprotocols
        let headers = try headerSources.flatMap { try $0.fields() }
        configuration.headers = { headers.map { ($0.name, $0.value) } }
        configuration.connectTimeout = min(connectTimeout.duration, time ?? connectTimeout.duration)
        configuration.pingInterval = pingInterval.duration
        configuration.maximumMessageBytes = maxMessageSize
        configuration.compression = compression
        if let cacert { configuration.tls.trust = .only(.file(cacert)) }
        if let cert, let key {
            configuration.tls.identity = TLSIdentity(certificateChain: .file(cert), privateKey: .file(key))
        }
        configuration.tls.isInsecure = insecure
        if let servername { configuration.tls.serverName = servername }
        if let proxy { configuration.proxy = proxy == "none" ? .none : .http(proxy) }
        return configuration
    }

    fileprivate func session() throws -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.callTimeout = timeout.duration
        configuration.version = version == .two ? .required : .omitted
        // Room for a burst of messages that `listen --raw` prints.
        configuration.eventBuffer = 4096
        for member in extraMembers {
            do {
                try configuration.extraMembers.set(member.name, to: ParamWords.value(member.value))
            } catch let error as ExtraMembers.ReservedName {
                throw UsageError("--extra: \(error)")
            }
        }
        return configuration
    }
}
