// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch

/// A timer that calls a closure once, unless it is cancelled or released before. It is not a sleeping task, because the
/// runtime keeps the memory of a cancelled sleep, some 750 bytes, until its time has passed (swiftlang/swift#60441).
package final class DispatchTimer: Sendable {
    /// The queue of all timers. With its own queue, a timer could need a thread.
    private static let queue = DispatchQueue(label: "jsonrpc.timers")

    // Set once. Dispatch sources may be used from any thread, although the overlay for Linux does not declare it.
    nonisolated(unsafe) private let source: any DispatchSourceTimer

    /// Starts a timer. The closure is called on a Dispatch queue and must not block.
    package init(nanoseconds: Int64, _ passed: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: Self.queue)
        source.setEventHandler(handler: passed)
        source.schedule(deadline: .now() + .nanoseconds(Int(clamping: nanoseconds)))
        source.activate()
    }

    /// Cancels the timer, and releases the closure. A call that has already begun continues.
    package func cancel() { source.cancel() }

    deinit { source.cancel() }
}
