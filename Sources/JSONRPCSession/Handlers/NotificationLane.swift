// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Runs one notification handler for one notification at a time, in the order of their arrival.
final class NotificationLane: Sendable {
    /// The limit for the bytes of waiting messages. The last message may exceed it.
    static let maximumBytes = 64 << 20

    /// The bytes of the messages that wait or are in their handler.
    private final class Load: Sendable {
        let bytes = Atomic<Int>(0)
    }

    private let calls: AsyncStream<InboundCall>.Continuation
    private let load = Load()

    init(
        capacity: Int, _ handler: @escaping @Sendable (InboundCall) async throws -> Void,
        failed: @escaping @Sendable (String, any Error) -> Void
    ) {
        let (stream, calls) = AsyncStream.makeStream(
            of: InboundCall.self, bufferingPolicy: .bufferingOldest(max(1, capacity)))
        self.calls = calls
        Task { [load] in
            for await call in stream {
                do { try await handler(call) } catch { failed(call.method, error) }
                load.bytes.wrappingSubtract(call.kept.bytes.count, ordering: .relaxed)
            }
        }
    }

    deinit { calls.finish() }

    /// Queues a notification. Returns `false` if there is no room for it.
    func deliver(_ call: InboundCall) -> Bool {
        let size = call.kept.bytes.count
        guard load.bytes.load(ordering: .relaxed) < Self.maximumBytes else { return false }
        load.bytes.wrappingAdd(size, ordering: .relaxed)
        switch calls.yield(call) {
        case .dropped:
            load.bytes.wrappingSubtract(size, ordering: .relaxed)
            return false
        case .enqueued, .terminated: return true
        @unknown default: return true
        }
    }
}
