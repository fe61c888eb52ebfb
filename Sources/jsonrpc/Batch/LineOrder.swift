// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch

/// Runs tasks one after the other, in the order in which they were made: each until it first waits, and later from
/// where it can go on.
///
/// A task that makes a call first waits when the session has the request. So calls whose tasks are made in the order
/// of the lines are sent in that order, however many are in flight. Where a task blocks, because nobody takes the
/// output, no further call is begun; the connection is served by another thread.
final class LineOrder: TaskExecutor {
    private let queue = DispatchQueue(label: "jsonrpc.batch")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
