// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Dispatch

/// A timer that calls a closure once, unless it is cancelled before.
///
/// A sleeping task would be simpler, but the runtime keeps the memory of a cancelled sleep until its time has passed
/// (swiftlang/swift#60441). Each connection would keep about 750 bytes for the time of its connect timeout.
final class DialDeadline: Sendable {
    /// The queue of all timers. With a queue of its own, a timer can cost a thread.
    private static let queue = DispatchQueue(label: "websocket.dial-deadlines")

    // Set once. Dispatch's sources may be used from any thread; its overlay for Linux does not say so.
    nonisolated(unsafe) private let source: any DispatchSourceTimer

    init(_ time: ContinuousClock.Instant, _ passed: @escaping @Sendable () -> Void) {
        unsafe source = DispatchSource.makeTimerSource(queue: Self.queue)
        let delay = max(ContinuousClock.now.duration(to: time).wholeNanoseconds, 0)
        unsafe source.setEventHandler(handler: passed)
        unsafe source.schedule(deadline: .now() + .nanoseconds(Int(clamping: delay)))
        unsafe source.activate()
    }

    /// Cancels the timer, and releases the closure. A call that has already begun continues.
    func cancel() { unsafe source.cancel() }

    deinit { unsafe source.cancel() }
}
