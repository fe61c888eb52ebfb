// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import WebSocket

/// What runs beside a command for as long as its connection lives, and ends with the connection: the printing of what
/// the peer says unasked.
typealias Attendant = Task<Void, Never>

extension LibrarySession {
    /// The longest wait for the closing handshake: what is still to be sent goes out in this time.
    static let closeTimeout = Duration.seconds(5)
    /// The same where everything was sent and answered.
    static let shortCloseTimeout = Duration.seconds(2)

    /// Connects, runs `body`, and closes with a closing handshake however `body` ended.
    ///
    /// - Parameters:
    ///   - budget: What `--timeout` leaves for the whole command; `nil` where `--timeout` limits each call.
    ///   - closeTimeout: The longest wait for the closing handshake; less where `--timeout` leaves less time. The
    ///     connection is left to itself then, and ends with the process.
    ///   - prepare: Gets the client before it connects.
    static func with<T: Sendable>(
        _ url: String, _ options: ConnectionOptions, budget: TimeBudget? = nil,
        closeTimeout: Duration = LibrarySession.closeTimeout,
        prepare: (JSONRPCClient) throws -> [Attendant] = { _ in [] },
        body: @Sendable (LibrarySession) async throws -> T
    ) async throws -> T {
        let session = try LibrarySession(url, options, budget: budget, on: .shared)
        let attendants = session.attendants + (try prepare(session.client))
        return try await closing([session], within: closeTimeout, attendants) {
            try await session.connect()
            return try await body(session)
        }
    }

    /// The same with several connections, spread over event loops.
    static func with<T: Sendable>(
        _ url: String, _ options: ConnectionOptions, count: Int,
        body: @Sendable ([LibrarySession]) async throws -> T
    ) async throws -> T {
        let eventLoops = (0..<min(count, 4)).map { _ in WebSocketEventLoops() }
        let sessions = try (0..<count).map { index in
            try LibrarySession(url, options, budget: nil, on: eventLoops[index % eventLoops.count])
        }
        let attendants = sessions.flatMap(\.attendants)
        return try await closing(sessions, within: shortCloseTimeout, attendants) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for session in sessions { group.addTask { try await session.connect() } }
                try await group.waitForAll()
            }
            return try await body(sessions)
        }
    }

    private static func closing<T: Sendable>(
        _ sessions: [LibrarySession], within limit: Duration, _ attendants: [Attendant], _ body: () async throws -> T
    ) async throws -> T {
        let result: Result<T, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        let closing = Task {
            await withTaskGroup(of: Void.self) { group in
                for session in sessions { group.addTask { await session.close() } }
            }
            for attendant in attendants { await attendant.value }
        }
        // A closing that is cancelled waits for no call in flight.
        await withTaskCancellationHandler {
            await wait(for: closing, atMost: sessions.map { $0.closeTimeout(atMost: limit) }.max() ?? limit)
        } onCancel: {
            closing.cancel()
        }
        return try result.get()
    }

    /// Waits for a task, but not longer than `limit`, also when the current task is cancelled.
    private static func wait(for task: Task<Void, Never>, atMost limit: Duration) async {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let timer = Task {
            try? await ContinuousClock().sleep(for: limit)
            end.yield()
        }
        Task {
            await task.value
            end.yield()
        }
        await Task { for await _ in ended { return } }.value
        timer.cancel()
    }
}

/// Reports errors that name no call.
enum PeerErrors {
    /// Prints each error of the peer without a usable id at once: its caller would learn nothing until its timeout.
    static func report(_ client: JSONRPCClient) -> Attendant {
        let events = client.events
        return Task {
            for await event in events {
                guard case .irregularMessage(let message) = event, let error = message.error, message.requestID == nil
                else { continue }
                OutputStream.diagnostics.say(
                    "jsonrpc: The peer sent an error that names no call: \(TerminalText.line("\(error)"))")
            }
        }
    }
}
