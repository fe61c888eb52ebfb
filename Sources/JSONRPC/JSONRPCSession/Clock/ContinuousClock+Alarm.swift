// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits

extension ContinuousClock {
    /// Waits for a time. Returns `false` if the task was cancelled; then no resources remain.
    ///
    /// With `sleep`, the memory of a session with a timeout of 60 s would be kept for up to 60 s after its end: see
    /// ``DispatchTimer``.
    static func isReached(_ deadline: Instant) async -> Bool {
        while !Task.isCancelled {
            let remaining = now.duration(to: deadline)
            if remaining <= .zero { return true }
            // Dispatch's clock stops while the machine is suspended, and this clock does not, so it is read again.
            // The loop compares the time again, so fractions of a nanosecond do not matter.
            let delay = SessionTime.nanoseconds(in: min(remaining, .seconds(60))) + 1
            let wait = CancellableWait<Void>()
            let timer = DispatchTimer(nanoseconds: delay) { wait.resume() }
            defer { timer.cancel() }
            guard (try? await wait.value()) != nil else { return false }
        }
        return false
    }
}
