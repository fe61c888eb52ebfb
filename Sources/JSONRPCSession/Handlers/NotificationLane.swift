// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Runs one notification handler, call by call, in the order in which the notifications came.
final class NotificationLane: Sendable {
    private let calls: AsyncStream<InboundCall>.Continuation

    init(
        capacity: Int, _ handler: @escaping @Sendable (InboundCall) async throws -> Void,
        failed: @escaping @Sendable (String, any Error) -> Void
    ) {
        let (stream, calls) = AsyncStream.makeStream(
            of: InboundCall.self, bufferingPolicy: .bufferingOldest(max(1, capacity)))
        self.calls = calls
        Task {
            for await call in stream {
                do { try await handler(call) } catch { failed(call.method, error) }
            }
        }
    }

    deinit { calls.finish() }

    /// Takes a notification. False when there is no room for it.
    func deliver(_ call: InboundCall) -> Bool {
        switch calls.yield(call) {
        case .enqueued, .terminated: true
        case .dropped: false
        @unknown default: true
        }
    }
}
