// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import TaskWaits

extension Watched {
    /// Waits until a condition holds, at most for a time of the system's clock.
    ///
    /// - Returns: `false` if the condition does not hold in that time.
    /// - Throws: `CancellationError`.
    func wait(atMost time: Duration, until isMet: @escaping @Sendable (Value) -> Bool) async throws -> Bool {
        try await wait(until: isMet, begun: { wait in after(time) { wait.resume(returning: false) } })
    }
}

/// Calls a closure after a time of the system's clock.
func after(_ time: Duration, on queue: DispatchQueue = .global(), _ body: @escaping @Sendable () -> Void) {
    let nanoseconds = Int(min(max(time / .nanoseconds(1), 0), 1e18))
    queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
}
