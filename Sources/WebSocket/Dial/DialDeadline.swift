// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Dispatch

/// Calls once, at a time, unless it is cancelled before.
///
/// A task that sleeps would do, but the runtime keeps a cancelled sleep's memory until its time has come
/// (swiftlang/swift#60441): each connection would leave some 750 bytes behind for as long as its connect timeout.
final class DialDeadline: Sendable {
    /// One queue for all: a source with a queue of its own can cost a thread.
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

    /// Nothing is called from now on, except what is being called already. What the call would need is let go of.
    func cancel() { unsafe source.cancel() }

    deinit { unsafe source.cancel() }
}
