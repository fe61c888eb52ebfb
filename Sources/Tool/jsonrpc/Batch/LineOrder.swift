// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch

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
