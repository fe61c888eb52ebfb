// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TaskWaits

/// Runs one notification handler for one notification at a time, in the order of their arrival.
final class HandlerQueue: Sendable {
    /// The limit for the bytes of waiting messages. The last message may exceed it.
    static let maximumBytes = 64 << 20

    /// The notifications of a queue. It outlives the queue until all are handled.
    final class Load: Sendable {
        /// The notifications that wait or are in their handler, and their bytes.
        fileprivate let count = Atomic(0)
        fileprivate let bytes = Atomic(0)
        /// Fulfilled when the queue is released, and all its notifications are handled.
        let end = OneTimeSignal()

        var isZero: Bool { count.load(ordering: .acquiring) == 0 }
    }

    /// The handlers of one ``EndpointState``, to recognize a task that runs one of them.
    final class Group: Sendable {
        /// The handlers that the current task belongs to.
        @TaskLocal static var current: Group?
    }

    private enum Item {
        case call(InboundCall)
        /// The signal is fulfilled when the notifications before it are handled.
        case mark(OneTimeSignal)
    }

    private let items: AsyncStream<Item>.Continuation
    private let capacity: Int
    let load = Load()

    /// - Parameters:
    ///   - capacity: The number of notifications that may wait, besides the one in its handler.
    ///   - group: The handlers that this handler belongs to.
    init(
        capacity: Int, in group: Group, _ handler: @escaping @Sendable (InboundCall) async throws -> Void,
        failed: @escaping @Sendable (String, any Error) -> Void
    ) {
        let (stream, items) = AsyncStream.makeStream(of: Item.self)
        self.items = items
        self.capacity = max(1, capacity)
        Task { [load] in
            await Group.$current.withValue(group) {
                for await item in stream {
                    switch item {
                    case .call(let call):
                        do { try await handler(call) } catch { failed(call.method, error) }
                        load.bytes.wrappingSubtract(call.heldBytes, ordering: .relaxed)
                        load.count.wrappingSubtract(1, ordering: .releasing)
                    case .mark(let signal): signal.fulfil()
                    }
                }
            }
            load.end.fulfil()
        }
    }

    deinit { items.finish() }

    /// Queues a notification. Returns `false` if there is no room for it. It is called on the transport's thread.
    func deliver(_ call: InboundCall) -> Bool {
        guard load.count.load(ordering: .relaxed) <= capacity, load.bytes.load(ordering: .relaxed) < Self.maximumBytes
        else { return false }
        load.count.wrappingAdd(1, ordering: .relaxed)
        load.bytes.wrappingAdd(call.heldBytes, ordering: .relaxed)
        items.yield(.call(call))
        return true
    }

    /// Returns a signal that is fulfilled when the notifications so far are handled; `nil` if they are.
    func mark() -> OneTimeSignal? {
        guard !load.isZero else { return nil }
        let signal = OneTimeSignal()
        items.yield(.mark(signal))
        return signal
    }
}
