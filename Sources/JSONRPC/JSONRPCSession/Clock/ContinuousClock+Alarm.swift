// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import TaskWaits

extension ContinuousClock {
    /// Waits for a time. Returns `false` if the task was cancelled; then no resources remain.
    ///
    /// The runtime keeps the memory of a cancelled `sleep`, some 750 bytes, until its deadline (swiftlang/swift#60441).
    /// The memory of a session with a timeout of 60 s would be kept for up to 60 s after its end.
    static func isReached(_ deadline: Instant) async -> Bool {
        while !Task.isCancelled {
            let remaining = now.duration(to: deadline)
            if remaining <= .zero { return true }
            // Dispatch's clock stops while the machine is suspended, and this clock does not, so it is read again.
            guard await Alarm(after: min(remaining, .seconds(60))).goesOff() else { return false }
        }
        return false
    }
}

/// A Dispatch timer that fires once, and one task that waits for it.
private final class Alarm: Sendable {
    /// All timers share a queue, because sources without a queue may cost a thread each.
    private static let queue = DispatchQueue(label: "jsonrpc.session-alarms")

    // Set once. Dispatch's sources are thread-safe, but the overlay for Linux does not declare it.
    nonisolated(unsafe) private let source: any DispatchSourceTimer
    private let wait = CancellableWait<Void>()

    init(after delay: Duration) {
        source = DispatchSource.makeTimerSource(queue: Self.queue)
        source.setEventHandler { [wait] in wait.resume() }
        // The caller compares the time again, so fractions of a nanosecond do not matter.
        source.schedule(deadline: .now() + .nanoseconds(Int(SessionTime.nanoseconds(in: delay)) + 1))
        source.activate()
    }

    deinit { source.cancel() }

    /// Waits. Returns `false` if the task is cancelled first.
    func goesOff() async -> Bool { (try? await wait.value()) != nil }
}
