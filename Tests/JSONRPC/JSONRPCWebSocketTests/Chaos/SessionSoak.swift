// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCWebSocket
import Synchronization
import TaskWaits
import TestSupport
import Testing

@testable import JSONRPCSession

/// The load and the measurements of `SessionSoakTests`.
final class SessionSoak: Sendable, CustomStringConvertible {
    private static let callers = 10

    private struct State {
        var calls = 0
        var answered = 0
        var timedOut = 0
        var lost = 0
        var issued: UInt64 = 0
        var settled: UInt64 = 0
        var connections = 0
        var ended = 0
        var sessions: [RestartingServer.WeakSession] = []
        var isOver = false
        var samples: [ProcessResources] = []
    }

    private let loops = WebSocketEventLoops(count: 2)
    private let server: RestartingServer
    private let progress = StreamProgress(streams: RestartingServer.tickers)
    private let state = Mutex(State())

    init(_ engine: Engine, in folder: String) throws { server = try RestartingServer(engine, in: folder, on: loops) }

    var description: String {
        let counts = state.withLock {
            "\($0.calls) calls, \($0.answered) answered, \($0.timedOut) timed out, \($0.lost) lost, "
                + "\($0.connections) connections"
        }
        return "\(counts); streams: \(progress)"
    }

    /// Adds the counts of a session when it has ended.
    private func note(_ session: DuplexSession) {
        state.withLock { state in
            state.connections += 1
            state.sessions.removeAll { $0.session == nil }
            state.sessions.append(RestartingServer.WeakSession(session: session))
        }
        Task {
            await session.closed()
            state.withLock { state in
                state.issued += session.callCounts.issued
                state.settled += session.callCounts.settled
                state.ended += 1
            }
        }
    }

    func run(seconds: Int) async throws {
        state.withLock { $0.samples.reserveCapacity(seconds * 12) }
        try await server.start()
        let client = server.client { [weak self] in self?.note($0) }
        try await client.connect()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for ticker in 0..<RestartingServer.tickers {
                let stream = client.notifications("tick\(ticker)", as: [Int].self, overflow: .fail(capacity: 100_000))
                group.addTask { [progress] in try await progress.follow(stream, number: ticker) }
            }
            // The callers end before the client is closed, because a call may begin after the last check.
            try await withThrowingTaskGroup(of: Void.self) { callers in
                for caller in 0..<Self.callers {
                    callers.addTask { try await self.makeCalls(caller, over: client) }
                }
                try await measure(seconds: seconds)
                try await callers.waitForAll()
            }
            await untilTrue { client.supervisor.machine { $0.waitingCalls == 0 } }
            await client.close()
            try await group.waitForAll()
        }
        await server.stop()
        await untilTrue { state.withLock { $0.ended == $0.connections } }
        report("\(self)")
        expectNothingIsLeft(seconds)
        await loops.shutDown()
    }

    /// Measures ten times a second, and drops the connection each second.
    private func measure(seconds: Int) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        for tick in 1...(seconds * 10) {
            try await clock.sleep(until: start + .milliseconds(tick * 100))
            let sample = try ProcessResources.current()
            state.withLock { $0.samples.append(sample) }
            if tick.isMultiple(of: 10) { server.closeConnections() }
        }
        state.withLock { $0.isOver = true }
    }

    private func makeCalls(_ caller: Int, over client: JSONRPCClient) async throws {
        var random = SeededGenerator(seed: UInt64(caller))
        let clock = ContinuousClock()
        while !state.withLock({ $0.isOver }) {
            let number = state.withLock { state in
                state.calls += 1
                return state.calls
            }
            // The server never answers one call in a hundred.
            let stalls = number.isMultiple(of: 100)
            do {
                let value: Int = try await client.call(
                    stalls ? "stall" : "run", params: [number],
                    timeout: stalls ? .milliseconds(200) : .default)
                #expect(value == number && !stalls)
                state.withLock { $0.answered += 1 }
            } catch let error as ClientError {
                #expect(error.code == .connectionLost || stalls && error.code == .timedOut, "\(error)")
                state.withLock { state in
                    if error.code == .timedOut { state.timedOut += 1 } else { state.lost += 1 }
                }
            }
            try await clock.sleep(for: .milliseconds(Int.random(in: 1...9, using: &random)))
        }
    }

    // MARK: Expectations

    private func expectNothingIsLeft(_ seconds: Int) {
        let state = state.withLock { state in
            state.sessions.removeAll { $0.session == nil }
            return state
        }
        #expect(state.issued == state.settled)
        #expect(state.issued > 0)
        #expect(state.timedOut > 0)
        #expect(state.connections > seconds / 2)
        #expect(state.calls == state.answered + state.timedOut + state.lost)
        #expect(progress.complaints.isEmpty)
        let half = state.samples.count / 2
        let third = Median(state.samples[half..<(half + half / 2)])
        let fourth = Median(state.samples[(half + half / 2)...])
        report("third quarter: \(third)")
        report("fourth quarter: \(fourth)")
        #expect(fourth.descriptors <= third.descriptors)
        // The runtime's own pool may still have grown.
        #expect(fourth.threads <= third.threads + 2)
        #expect(fourth.heapBytes - third.heapBytes < Self.heapGrowthLimit)
    }

    /// The limit of the heap's growth from the third to the fourth quarter of the time, in bytes.
    private static let heapGrowthLimit = 128 << 10

    private func report(_ line: String) {
        let line = "soak: session: \(line)\n"
        line.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
    }
}

/// The medians of samples. They do not depend on a single connection that begins or ends.
private struct Median: CustomStringConvertible {
    let descriptors: Int
    let threads: Int
    let heapBytes: Int
    let residentBytes: Int

    init(_ samples: ArraySlice<ProcessResources>) {
        func median(_ value: (ProcessResources) -> Int) -> Int { samples.map(value).sorted()[samples.count / 2] }
        descriptors = median(\.descriptors)
        threads = median(\.threads)
        heapBytes = median(\.heapBytes)
        residentBytes = median(\.residentBytes)
    }

    var description: String {
        "\(descriptors) descriptors, \(threads) threads, \(heapBytes >> 10) KiB allocated, \(residentBytes >> 10) KiB "
            + "resident (medians)"
    }
}
