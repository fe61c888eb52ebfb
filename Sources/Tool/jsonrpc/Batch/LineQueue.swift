// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import Dispatch
import TaskWaits
import ToolSupport

/// Lines of `batch` that wait to be sent, and the number of those in flight.
///
/// Calls that wait together are sent together, if the session can do so. A notification is sent by itself, between the
/// calls before and after it.
final class LineQueue: Sendable {
    private struct State {
        /// Calls that are sent together, or one notification. A task takes each.
        var groups: Deque<[BatchLine]> = []
        var free: Int
        var status = CommandStatus.success
    }

    private let state: Watched<State>
    private let together: Bool

    /// - Parameters:
    ///   - limit: The maximum number of lines that wait or are in flight.
    ///   - together: Whether calls that wait are taken together.
    init(limit: Int, together: Bool) {
        state = Watched(State(free: limit))
        self.together = together
    }

    var status: CommandStatus { state.value.status }

    func note(_ status: CommandStatus) { state.withLock { $0.status = .worst($0.status, status) } }

    /// Waits until there is room for a line.
    ///
    /// It does not end with cancellation by itself: cancelled calls end, and make room.
    func room() async { _ = try? await state.addWait(until: { $0.free > 0 })?.value(onCancel: {}) }

    /// Adds a line. Returns whether a task has to call ``take()`` for it; otherwise an earlier task takes it.
    func add(_ line: BatchLine) -> Bool {
        state.withLock { state in
            state.free -= 1
            if together, !line.isNotification, state.groups.last?.last?.isNotification == false {
                state.groups[state.groups.count - 1].append(line)
                return false
            }
            state.groups.append([line])
            return true
        }
    }

    func take() -> [BatchLine] { state.withLock { $0.groups.popFirst() ?? [] } }

    func end(_ lines: Int) { state.update { $0.free += lines } }
}

/// Runs the parts of tasks one at a time: each task until it first suspends, in the order of creation, and again when
/// it can continue.
///
/// A task that makes a call first suspends when the session has the request. So calls are sent in the order in which
/// their tasks were created, for any number of calls in flight. If a task blocks because nobody reads the output, no
/// further call starts; another thread serves the connection.
final class LineOrder: TaskExecutor {
    private let queue = DispatchQueue(label: "jsonrpc.batch")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
