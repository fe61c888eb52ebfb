// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TaskWaits

/// A number of events for which tests wait.
final class HTTPCounter: Sendable {
    private struct State {
        var count = 0
        /// The waits, and the numbers of events that end them.
        var waits: [CancellableWait<Void>: Int] = [:]
    }

    private let state = Mutex(State())

    /// Counts an event, and resumes the tasks that wait for it.
    func add() {
        let waits = state.withLock { state in
            state.count += 1
            return state.waits.take { $0 <= state.count }
        }
        for wait in waits { wait.resume() }
    }

    /// Waits until a number of events have happened.
    ///
    /// - Parameters:
    ///   - count: The number.
    ///   - events: The plural of the events.
    /// - Throws: An ``HTTPWaitCancelled`` if the task is cancelled.
    func wait(for count: Int, _ events: String) async throws {
        let wait = CancellableWait<Void>()
        let isOver = state.withLock { state in
            if state.count >= count { return true }
            state.waits[wait] = count
            return false
        }
        if isOver { return }
        do {
            try await wait.value()
        } catch {
            let happened = state.withLock { state in
                state.waits[wait] = nil
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
