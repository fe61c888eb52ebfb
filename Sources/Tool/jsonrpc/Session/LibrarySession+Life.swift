// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import WebSocket

extension LibrarySession {
    /// The limit for the closing handshake if messages may still have to be sent.
    static let closeTimeout = Duration.seconds(5)
    /// The limit for the closing handshake if all messages were sent and answered.
    static let shortCloseTimeout = Duration.seconds(2)

    /// Connects, runs `body`, and closes with a closing handshake, also if `body` throws.
    ///
    /// - Parameters:
    ///   - budget: The time that `--timeout` leaves for the whole command; `nil` if `--timeout` limits each call.
    ///   - closeTimeout: The limit for the closing handshake. It shrinks if `--timeout` leaves less time. After it, the
    ///     connection is abandoned and ends with the process.
    ///   - reconnect: Whether the client connects again when it loses the connection.
    ///   - onConnect: Makes the first calls of each connection.
    ///   - trace: Shows the messages. The default follows `--verbose`.
    ///   - foreignAdvice: A sentence that names the way to see all messages that are not JSON-RPC; `nil` if the command
    ///     prints them.
    ///   - prepare: Configures the client before it connects. It returns a value for `body`, and tasks that end with the
    ///     connection.
    static func with<Prepared: Sendable, T: Sendable>(
        _ url: String, _ options: ConnectionOptions, budget: TimeBudget? = nil,
        closeTimeout: Duration = LibrarySession.closeTimeout, reconnect: ReconnectPolicy = .never,
        onConnect: (@Sendable (DuplexSession) async throws -> Void)? = nil, trace: MessageTrace? = nil,
        foreignAdvice: String? = "Use -v to print all messages.",
        prepare: (JSONRPCClient) throws -> (Prepared, [BackgroundTask]),
        body: @Sendable (LibrarySession, Prepared) async throws -> T
    ) async throws -> T {
        let session = try LibrarySession(
            url, options, budget: budget, on: .shared, reconnect: reconnect, onConnect: onConnect, trace: trace,
            reports: options.reports(foreignAdvice))
        let (prepared, tasks) = try prepare(session.client)
        return try await closing([session], within: closeTimeout, session.backgroundTasks + tasks) {
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
        let reports = options.reports("Use -v to print all messages.")
        let sessions = try (0..<count).map { index in
            try LibrarySession(
                url, options, budget: nil, on: eventLoops[index % eventLoops.count], reports: reports)
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
