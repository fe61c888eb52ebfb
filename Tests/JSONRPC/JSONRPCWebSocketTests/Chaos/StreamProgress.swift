// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization

/// Follows the streams of a client of a `RestartingServer`. It detects missing or unordered notifications.
final class StreamProgress: Sendable, CustomStringConvertible {
    private struct State {
        /// The restart of the latest value of each stream.
        var generations: [Int]
        /// The number of gaps of each stream.
        var gaps: [Int]
        var values: [Int]
        var complaints: [String] = []
        var waiters: [(generation: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Removes and returns the waiters whose restart all streams have reached.
        mutating func takeReached() -> [CheckedContinuation<Void, Never>] {
            guard let least = generations.min() else { return [] }
            defer { waiters.removeAll { $0.generation <= least } }
            return waiters.filter { $0.generation <= least }.map(\.continuation)
        }
    }

    private let state: Mutex<State>

    init(streams: Int) {
        let zeros = [Int](repeating: 0, count: streams)
        state = Mutex(State(generations: zeros.map { $0 - 1 }, gaps: zeros, values: zeros))
    }

    var gaps: [Int] { state.withLock { $0.gaps } }
    var complaints: [String] { state.withLock { $0.complaints } }

    var description: String {
        state.withLock { "\($0.values) values, \($0.gaps) gaps, from restarts \($0.generations)" }
    }

    /// Waits until each stream has got a value after a restart.
    func reach(_ generation: Int) async {
        await withCheckedContinuation { continuation in
            let reached = state.withLock { state in
                state.waiters.append((generation, continuation))
                return state.takeReached()
            }
            for waiter in reached { waiter.resume() }
        }
    }

    /// Reads a stream to its end. There are no gaps within a connection, and one gap between two connections.
    func follow(_ stream: NotificationStream<[Int]>, number: Int) async throws {
        var last = (generation: -1, count: -1)
        var gaps = 1
        for try await element in stream {
            switch element {
            case .value(let params):
                let next = (generation: params[0], count: params[1])
                let isNext =
                    gaps == 0
                    ? next == (last.generation, last.count + 1)
                    : next.count == 0 && next.generation >= last.generation
                if !isNext { complain("stream \(number): after \(last) and \(gaps) gaps came \(next)") }
                (last, gaps) = (next, 0)
                note(number, next.generation)
            case .gap(let gap):
                gaps += 1
                if gap.reason != .reconnected { complain("stream \(number): \(gap)") }
                state.withLock { $0.gaps[number] += 1 }
            }
        }
    }

    private func note(_ number: Int, _ generation: Int) {
        let reached = state.withLock { state in
            state.values[number] += 1
            state.generations[number] = generation
            return state.waiters.isEmpty ? [] : state.takeReached()
        }
        for waiter in reached { waiter.resume() }
    }

    private func complain(_ text: String) {
        state.withLock { state in
            if state.complaints.count < 20 { state.complaints.append(text) }
        }
    }
}
