// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A group of event loops, which serve connections. Each loop is one thread, on which libwebsockets waits for sockets
/// (through epoll(7)) and timers.
///
/// A thread starts with its first connection or listener. Connections and listeners are assigned to the loops in turn.
public final class WebSocketEventLoops: Sendable {
    /// The default event loops of the process: a single loop. They are never shut down.
    public static let shared = WebSocketEventLoops()

    private let threads: [LWSServiceThread]
    /// The executors of the loops, in the order in which connections are assigned to them.
    public let executors: [WebSocketEventLoops.Executor]
    private let next = Atomic<Int>(0)

    /// Makes event loops.
    /// - Parameter count: The number of loops, at least 1. The default is 1. One loop can serve thousands of
    ///   connections. More loops use more processors.
    public init(count: Int = 1) {
        threads = (0..<max(count, 1)).map { _ in LWSServiceThread() }
        executors = threads.map(WebSocketEventLoops.Executor.init)
    }

    /// The number of loops.
    public var count: Int { threads.count }

    /// Shuts the loops down, and returns when their threads have ended.
    ///
    /// 1. Listeners stop listening.
    /// 2. Attempts to connect fail.
    /// 3. Each connection sends its queued messages, and closes with the close code 1001.
    /// 4. After `limit`, or 500 ms after the task is cancelled, the remaining connections are closed without a handshake.
    ///
    /// Every receiver is notified of the end before the method returns. After that, connecting and listening on these
    /// loops fail with ``WebSocketError/Code/eventLoopsStopped``.
    ///
    /// - Parameter limit: The time limit for sending and for the closing handshakes. The default is 5 seconds.
    public func shutDown(within limit: Duration = .seconds(5)) async {
        await withTaskGroup(of: Void.self) { group in
            for thread in threads {
                group.addTask { await thread.shutDown(deadline: limit) }
            }
        }
    }

    func nextThread() -> LWSServiceThread {
        let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return threads[Int(UInt(bitPattern: turn) % UInt(threads.count))]
    }

    /// A task executor that runs tasks on the thread of an event loop.
    ///
    /// By default, tasks run on the threads of the global executor, so each call and each response wakes another
    /// thread. A task on the thread of its connection wakes no other thread. This lowers the latency of single calls,
    /// and many calls need one processor instead of two.
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
    /// After the loops are shut down, the tasks continue on their own thread.
    public typealias Executor = _LoopExecutor
}
