// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits

/// The error of a wait in this module whose task was cancelled, for example because the test's time limit had passed.
public struct HTTPWaitCancelled: Error, Hashable, CustomStringConvertible {
    /// The event that the task waited for, such as `3 requests`.
    public let expected: String
    /// The state at that time, as half a sentence.
    public let instead: String

    public var description: String { "A wait for \(expected) was cancelled: \(instead)." }
}

extension Watched {
    /// Waits until a condition holds. Throws an ``HTTPWaitCancelled`` if the task is cancelled.
    func wait(
        for expected: String, instead: (Value) -> String, until condition: @escaping @Sendable (Value) -> Bool
    ) async throws {
        do {
            try await wait(until: condition)
        } catch {
            throw HTTPWaitCancelled(expected: expected, instead: instead(value))
        }
    }
}
