// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A number of events for which tests wait.
final class HTTPCounter: Sendable {
    private struct State {
        var count = 0
        var lastNumber: UInt64 = 0
        var waiters: [UInt64: (count: Int, gate: HTTPGate)] = [:]
    }

    private let state = Mutex(State())

    /// Counts an event, and resumes the tasks that wait for it.
    func add() {
        let gates = state.withLock { state in
            state.count += 1
            let ready = state.waiters.filter { $0.value.count <= state.count }
            for number in ready.keys { state.waiters[number] = nil }
            return ready.values.map(\.gate)
        }
        for gate in gates { gate.open() }
    }

    /// Waits until a number of events have happened.
    ///
    /// - Parameters:
    ///   - count: The number.
    ///   - events: The plural of the events.
    /// - Throws: An ``HTTPWaitCancelled`` if the task is cancelled.
    func wait(for count: Int, _ events: String) async throws {
        let gate = HTTPGate()
        let number = state.withLock { state -> UInt64? in
            guard state.count < count else { return nil }
            state.lastNumber += 1
            state.waiters[state.lastNumber] = (count, gate)
            return state.lastNumber
        }
        guard let number else { return }
        do {
            try await gate.pass()
        } catch {
            let happened = state.withLock { state in
                state.waiters[number] = nil
                return state.count
            }
            throw HTTPWaitCancelled(expected: "\(count) \(events)", instead: "there were \(happened)")
        }
    }
}

/// The error of a wait of this module whose task was cancelled, for example because the test's time limit had passed.
public struct HTTPWaitCancelled: Error, Hashable, CustomStringConvertible {
    /// The event that the task waited for, such as `3 requests`.
    public let expected: String
    /// What there was instead, as half a sentence.
    public let instead: String

    public var description: String { "A wait for \(expected) was cancelled: \(instead)." }
}
