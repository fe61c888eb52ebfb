// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The calls of the prompt that have no response yet.
final class CallsInFlight: Sendable {
    private struct Call {
        var method: String
        var begin: ContinuousClock.Instant
        var task: Task<Void, Never>
    }

    private struct State {
        var calls: [Int: Call] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Starts a call in a task of its own. The task gets the number of the call.
    func start(_ method: String, _ body: @escaping @Sendable (Int) async -> Void) {
        state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            // The task removes its entry under the lock, so not before it is stored.
            let task = Task {
                await body(number)
                _ = self.state.withLock { $0.calls.removeValue(forKey: number) }
            }
            state.calls[number] = Call(method: method, begin: .now, task: task)
        }
    }

    /// Cancels a call, or the latest. Returns its number; `nil` if there is none.
    func cancel(_ number: Int? = nil) -> Int? {
        state.withLock { state in
            guard let number = number ?? state.calls.keys.max(), let call = state.calls[number] else { return nil }
            call.task.cancel()
            return number
        }
    }

    var all: [(number: Int, method: String, time: Duration)] {
        state.withLock { $0.calls }.sorted { $0.key < $1.key }.map { ($0.key, $0.value.method, .now - $0.value.begin) }
    }

    func cancelAll() {
        for call in state.withLock({ $0.calls }).values { call.task.cancel() }
    }

    /// Returns when the calls that are in flight have ended.
    func ended() async {
        for call in state.withLock({ $0.calls }).values { await call.task.value }
    }
}
