// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import WebSocket

/// A connection as the commands see it, made with the library.
struct LibrarySession: PeerSession {
    private let client: JSONRPCClient
    private let trace: MessageTrace?
    /// Runs tasks on the thread that serves the connection, where it has one to itself or with few others.
    let executor: EventLoopExecutor

    private init(_ url: String, _ options: ConnectionOptions, on eventLoops: WebSocketEventLoops) throws {
        let connector = WebSocketConnector(to: url, configuration: Self.webSocket(options), on: eventLoops)
        let session = try Self.session(options)
        executor = eventLoops.executors[0]
        if options.verbose {
            let trace = MessageTrace(output: .diagnostics)
            self.trace = trace
            client = JSONRPCClient(connector: TracingConnector(base: connector, trace: trace), configuration: session)
        } else {
            trace = nil
            client = JSONRPCClient(connector: connector, configuration: session)
        }
    }

    // MARK: Lives

    /// Connects, runs `body`, and closes with a closing handshake however `body` ended.
    static func with<T: Sendable>(
        _ url: String, _ options: ConnectionOptions, body: @Sendable (LibrarySession) async throws -> T
    ) async throws -> T {
        try await with(url, options, prepare: { _ in }, body: { session, _ in try await body(session) })
    }

    /// The same; `prepare` gets the client before it connects.
    static func with<Prepared: Sendable, T: Sendable>(
        _ url: String, _ options: ConnectionOptions, prepare: (JSONRPCClient) -> Prepared,
        body: @Sendable (LibrarySession, Prepared) async throws -> T
    ) async throws -> T {
        let session = try LibrarySession(url, options, on: .shared)
        let prepared = prepare(session.client)
        return try await closing([session]) {
            try await session.client.connect()
            return try await body(session, prepared)
        }
    }

    /// The same with several connections, spread over event loops.
    static func with<T: Sendable>(
        _ url: String, _ options: ConnectionOptions, count: Int,
        body: @Sendable ([LibrarySession]) async throws -> T
    ) async throws -> T {
        let eventLoops = (0..<min(count, 4)).map { _ in WebSocketEventLoops() }
        let sessions = try (0..<count).map { index in
            try LibrarySession(url, options, on: eventLoops[index % eventLoops.count])
        }
        return try await closing(sessions) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for session in sessions { group.addTask { try await session.client.connect() } }
                try await group.waitForAll()
            }
            return try await body(sessions)
        }
    }

    private static func closing<T: Sendable>(
        _ sessions: [LibrarySession], _ body: () async throws -> T
    ) async throws -> T {
        let result: Result<T, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await withTaskGroup(of: Void.self) { group in
            for session in sessions {
                group.addTask {
                    await session.client.close()
                    session.trace?.flush()
                }
            }
        }
        return try result.get()
    }

    // MARK: Configuration

    private static func webSocket(_ options: ConnectionOptions) -> WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.subprotocols = options.subprotocols
        let headers = options.headers
        configuration.headers = { headers.map { ($0.name, $0.value) } }
        configuration.connectTimeout = options.connectTimeout.duration
        configuration.maximumMessageBytes = options.maxMessageSize
        if let cacert = options.cacert { configuration.tls.trust = .only(.file(cacert)) }
        if let cert = options.cert, let key = options.key {
            configuration.tls.identity = TLSIdentity(certificateChain: .file(cert), privateKey: .file(key))
        }
        configuration.tls.isInsecure = options.insecure
        if let serverName = options.servername { configuration.tls.serverName = serverName }
        if let proxy = options.proxy { configuration.proxy = proxy == "none" ? .none : .http(proxy) }
        return configuration
    }

    private static func session(_ options: ConnectionOptions) throws -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.callTimeout = options.timeout.duration
        configuration.version = options.version == .two ? .required : .omitted
        for member in options.extraMembers {
            do {
                try configuration.extraMembers.set(member.name, to: ParamWords.value(member.value))
            } catch let error as ExtraMembers.ReservedName {
                throw UsageError("--extra: \(error)")
            }
        }
        return configuration
    }

    // MARK: PeerSession

    func call(_ method: String, params: RawJSON?) async throws -> RawJSON {
        try await client.callRaw(method, params: params)
    }

    func notify(_ method: String, params: RawJSON?) async throws {
        try await client.notifyRaw(method, params: params, options: CallOptions())
    }

    func batch(_ lines: [BatchLine]) async throws -> [Result<RawJSON, any Error>?] {
        try await client.batch(
            lines.map { BatchEntry(method: $0.method, params: $0.params, isNotification: $0.isNotification) })
    }
}
