// swift-jsonrpc · SPDX-License-Identifier: MIT

extension WebSocketEventLoops {
    /// A task executor that runs tasks on the thread of an event loop.
    ///
    /// By default, tasks run on the threads of the global executor, so each call and each response wakes another thread. A
    /// task on the thread that serves its connection wakes no other thread. This lowers the latency of a single call and
    /// the processor time of many calls.
    ///
    /// ```swift
    /// let eventLoops = WebSocketEventLoops(count: 1)
    /// let client = try await JSONRPCClient.connect(to: url, on: eventLoops)
    /// let total = try await withTaskExecutorPreference(eventLoops.executors[0]) {
    ///     try await client.call("sum", params: [1, 2, 3], as: Int.self)
    /// }
    /// ```
    ///
    /// While such a task runs, the loop serves none of its connections, so the task must not block or compute for long.
    /// After the loops are shut down, the tasks continue on a thread of their own.
    public final class Executor: TaskExecutor {
        private let thread: LWSServiceThread

        init(_ thread: LWSServiceThread) { self.thread = thread }

        /// Schedules a job on the event loop's thread. The Swift runtime calls this method.
        public func enqueue(_ job: consuming ExecutorJob) {
            thread.run(UnownedJob(job), for: self)
        }
    }
}
