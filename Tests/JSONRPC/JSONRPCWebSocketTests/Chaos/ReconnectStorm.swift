// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCWebSocket
import Synchronization
import TestSupport
import Testing

/// A client with streams and callers, whose server is restarted again and again.
final class ReconnectStorm: Sendable, CustomStringConvertible {
    /// The limit of the heap's growth from the first restart to the last one, in bytes.
    ///
    /// The first hundred restarts take up to 185 KiB, on a busy machine once 295, for tables that grow, so there is a
    /// warm-up. Later values: 36 KiB from 200 to 1000 restarts, and 135 KiB from 600 to 3000, mostly the allocator's
    /// caches (see `SoakTests`). A leaked session takes several KiB. Swift Testing keeps the backtrace of each thrown
    /// error: without `SWT_SWIFT_ERROR_BACKTRACING_ENABLED=0`, which `Scripts/run-tests.sh` sets, each restart takes
    /// 300 bytes more.
    private static let heapGrowthLimit = 256 << 10
    private static let callers = 10
    private static let remembered = 1 << 20

    private struct State {
        /// The client's sessions that may still exist.
        var sessions: [RestartingServer.WeakSession] = []
        var connections = 0
        var nextNumber = 0
        /// Whether the callers must end.
        var isOver = false
        /// Whether each call was answered.
        var answered = [Bool](repeating: false, count: ReconnectStorm.remembered)
        var unknownCount = 0

        /// Returns the number of the next call; `nil` if there are no more.
        mutating func take() -> Int? {
            guard !isOver, nextNumber < answered.count else { return nil }
            defer { nextNumber += 1 }
            return nextNumber
        }
    }

    private let loops = WebSocketEventLoops(count: 2)
    private let server: RestartingServer
    private let progress = StreamProgress(streams: RestartingServer.tickers)
    private let state = Mutex(State())

    init(_ engine: Engine, in folder: String) throws {
        server = try RestartingServer(engine, in: folder, on: loops, remembered: Self.remembered)
    }

    var description: String {
        let counts = state.withLock { "\($0.connections) connections, \($0.nextNumber) calls" }
        return "\(server.generation) restarts, \(counts), streams: \(progress)"
    }

    private func makeClient() -> JSONRPCClient {
        server.client { reconnect in
            reconnect.maximumRepetitions = .max
        } opened: { [weak self] session in
            self?.state.withLock { state in
                state.connections += 1
                state.sessions.removeAll { $0.session == nil }
                state.sessions.append(RestartingServer.WeakSession(session: session))
            }
        }
    }

    func run(restarts: Int) async throws {
        try await server.start()
        let client = makeClient()
        try await client.connect()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for ticker in 0..<RestartingServer.tickers {
                let stream = client.notifications("tick\(ticker)", as: [Int].self, overflow: .fail(capacity: 100_000))
                group.addTask { [progress] in try await progress.follow(stream, number: ticker) }
            }
            let warmUp = restarts * 2 / 5
            try await load(client, restarts: warmUp)
            let before = try await settled(towards: nil)
            report("after \(warmUp) restarts: \(before)")
            try await load(client, restarts: restarts - warmUp)
            let after = try await settled(towards: before)
            report("after \(restarts) restarts: \(after); \(self)")
            expectNothingRemains(before, after)
            await client.close()
            try await group.waitForAll()
        }
        await server.stop()
        expectTruth(restarts)
        await loops.shutDown()
    }

    // MARK: Load

    /// Restarts the server while callers make calls. Each stream gets a value between two restarts.
    private func load(_ client: JSONRPCClient, restarts: Int) async throws {
        state.withLock { $0.isOver = false }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.callers { group.addTask { try await self.makeCalls(over: client) } }
            for _ in 0..<restarts {
                await progress.reach(server.generation)
                try await server.restart()
            }
            await progress.reach(server.generation)
            state.withLock { $0.isOver = true }
            try await group.waitForAll()
        }
    }

    private func makeCalls(over client: JSONRPCClient) async throws {
        while let number = state.withLock({ $0.take() }) {
            // Every second call may be repeated.
            let options = CallOptions(extraMembers: ExtraMembers(), isIdempotent: number.isMultiple(of: 2))
            do {
                let value: Int = try await client.call("run", params: [number], options: options)
                #expect(value == number)
                state.withLock { $0.answered[number] = true }
            } catch let error as ClientError {
                #expect(!options.isIdempotent)
                #expect(error.code == .connectionLost && error.delivery == .outcomeUnknown, "\(error)")
                state.withLock { $0.unknownCount += 1 }
            }
        }
    }

    // MARK: Expectations

    /// Waits for ends of connections that nothing reports, and until all messages are consumed, because on a busy
    /// machine these hold memory, too. Leaked memory remains. Returns the resources in use.
    private func settled(towards before: ProcessResources?) async throws -> ProcessResources {
        var now = try ProcessResources.current()
        for _ in 0..<100_000 {
            let isSettled =
                sessionsAlive == 1 && server.sessionsAlive == 1
                && before.map {
                    now.descriptors <= $0.descriptors && now.threads <= $0.threads
                        && now.heapBytes - $0.heapBytes < Self.heapGrowthLimit
                } ?? true
            if isSettled { break }
            await Task.yield()
            now = try ProcessResources.current()
        }
        return now
    }

    private var sessionsAlive: Int {
        state.withLock { state in
            state.sessions.removeAll { $0.session == nil }
            return state.sessions.count
        }
    }

    private func expectNothingRemains(_ before: ProcessResources, _ after: ProcessResources) {
        #expect(sessionsAlive == 1, "only the session of the current connection is alive")
        #expect(server.sessionsAlive == 1)
        #expect(after.descriptors <= before.descriptors)
        // The runtime's own pool may still have grown.
        #expect(after.threads <= before.threads + 2)
        #expect(after.heapBytes - before.heapBytes < Self.heapGrowthLimit)
    }

    private func expectTruth(_ restarts: Int) {
        #expect(progress.gaps == [Int](repeating: restarts, count: RestartingServer.tickers), "a gap for each loss")
        #expect(progress.complaints.isEmpty)
        let executions = server.executions
        state.withLock { state in
            #expect(state.connections == restarts + 1)
            for number in 0..<state.nextNumber {
                let count = executions[number]
                if count > 1 { #expect(number.isMultiple(of: 2), "call \(number) was executed \(count) times") }
                if state.answered[number] { #expect(count > 0, "call \(number) was answered without an execution") }
            }
        }
    }

    private func report(_ line: String) {
        let line = "storm: \(line)\n"
        line.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
    }
}
