// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits

/// A task that runs beside a command, such as one that prints messages which the peer sends on its own.
package typealias BackgroundTask = Task<Void, Never>

/// Returns when all tasks have ended, or at the deadline; `nil` for no limit.
///
/// If the current task is cancelled, the tasks are cancelled too, and the wait goes on.
package func untilEnded(_ tasks: [BackgroundTask], by deadline: ContinuousClock.Instant? = nil) async {
    let end = CancellableWait<Void>()
    Task {
        for task in tasks { await task.value }
        end.resume()
    }
    let timer = deadline.map { deadline in
        Task {
            try? await ContinuousClock().sleep(until: deadline)
            end.resume()
        }
    }
    defer { timer?.cancel() }
    try? await end.value(onCancel: { for task in tasks { task.cancel() } })
}
