// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Threads that serve connections. On each, libwebsockets polls sockets with poll(2) and keeps timers.
///
/// A thread starts with the first connection or listener that is placed on it. Connections are placed in turn.
public final class WebSocketEventLoops: Sendable {
    /// One loop for whoever brings none. It is never shut down.
    public static let shared = WebSocketEventLoops()

    private let threads: [LWSServiceThread]
    /// For each loop an executor which runs tasks on its thread, in the order in which connections are placed.
    public let executors: [EventLoopExecutor]
    private let next = Atomic<Int>(0)

    /// Makes event loops.
    /// - Parameter count: How many, at least one. One serves very many connections; more use more processors.
    public init(count: Int = 1) {
        threads = (0..<max(count, 1)).map { _ in LWSServiceThread() }
        executors = threads.map(EventLoopExecutor.init)
    }

    /// The number of loops.
    public var count: Int { threads.count }

    /// Ends the loops, and returns when their threads have ended.
    ///
    /// Listeners stop listening, and dials fail. Connections send what is queued, and close with 1001. Connections that are
    /// left when the time is over are closed without a handshake. All handlers have been told before this method returns.
    /// Nothing can be connected on these loops afterwards.
    ///
    /// - Parameter limit: The time for closing handshakes. The default is 5 seconds.
    public func shutDown(within limit: Duration = .seconds(5)) async {
        await withTaskGroup(of: Void.self) { group in
            for thread in threads {
                group.addTask { await thread.shutDown(deadline: limit) }
            }
        }
    }

    /// The thread for the next connection.
    func nextThread() -> LWSServiceThread {
        let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return threads[Int(UInt(bitPattern: turn) % UInt(threads.count))]
    }
}
