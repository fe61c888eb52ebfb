// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Runs one notification handler for one notification at a time, in the order of their arrival.
final class HandlerQueue: Sendable {
    /// The limit for the bytes of waiting messages. The last message may exceed it.
    static let maximumBytes = 64 << 20

    private let calls: AsyncStream<InboundCall>.Continuation
    let tally = NotificationTally()

    /// - Parameter group: The handlers that this handler belongs to.
    init(
        capacity: Int, in group: NotificationHandlers,
        _ handler: @escaping @Sendable (InboundCall) async throws -> Void,
        failed: @escaping @Sendable (String, any Error) -> Void
    ) {
        let (stream, calls) = AsyncStream.makeStream(
            of: InboundCall.self, bufferingPolicy: .bufferingOldest(max(1, capacity)))
        self.calls = calls
        Task { [tally] in
            await NotificationHandlers.$current.withValue(group) {
                for await call in stream {
                    do { try await handler(call) } catch { failed(call.method, error) }
                    tally.bytes.wrappingSubtract(call.heldBytes, ordering: .relaxed)
                    tally.noteHandled()
                }
            }
        }
    }

    deinit { calls.finish() }

    /// Queues a notification. Returns `false` if there is no room for it.
    func deliver(_ call: InboundCall) -> Bool {
        let size = call.heldBytes
        guard tally.bytes.load(ordering: .relaxed) < Self.maximumBytes else { return false }
        tally.bytes.wrappingAdd(size, ordering: .relaxed)
        switch calls.yield(call) {
        case .dropped:
            tally.bytes.wrappingSubtract(size, ordering: .relaxed)
            return false
        case .enqueued:
            tally.noteQueued()
            return true
        case .terminated: return true
        @unknown default: return true
        }
    }
}
