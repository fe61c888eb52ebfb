// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Runs tasks on the thread of an event loop.
///
/// A task that makes calls usually runs on the threads which all tasks share, and each of its calls and each response
/// wakes another thread up. On the thread that serves the connection neither is needed: one call at a time is answered
/// sooner, and many cost less.
///
/// ```swift
/// let loops = WebSocketEventLoops()
/// let client = try await JSONRPCClient.connect(to: url, on: loops)
/// try await withTaskExecutorPreference(loops.executors[0]) {
///     for request in requests { try await client.call(…) }
/// }
/// ```
///
/// While such a task runs, the loop serves none of its connections: what blocks or computes for long does not belong
/// here. After the loops are shut down, the tasks go on, on a thread of their own.
public final class EventLoopExecutor: TaskExecutor {
    private let thread: LWSServiceThread

    init(_ thread: LWSServiceThread) { self.thread = thread }

    public func enqueue(_ job: consuming ExecutorJob) {
        thread.run(UnownedJob(job), for: self)
    }
}
