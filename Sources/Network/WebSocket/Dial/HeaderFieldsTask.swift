// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits

/// The task that makes the header fields of a dial.
enum HeaderFieldsTask {
    typealias Fields = [(name: String, value: String)]

    /// Runs the closure in a task and waits for it, until the deadline passes or the dial is cancelled. Then the task is
    /// cancelled, and its result is dropped.
    ///
    /// - Throws: The closure's error, `CancellationError`, or ``WebSocketError`` with the code `connectTimeout`.
    static func fields(
        from make: @escaping @Sendable () async throws -> Fields, until deadline: ContinuousClock.Instant
    ) async throws -> [WebSocketHeaderField] {
        let wait = CancellableWait<[WebSocketHeaderField]>()
        let task = Task {
            do {
                wait.resume(returning: try await make().map { WebSocketHeaderField($0.name, $0.value) })
            } catch {
                wait.resume(throwing: error)
            }
        }
        let timer = DialDeadline(deadline) {
            wait.resume(
                throwing: WebSocketError(
                    .connectTimeout,
                    "Could not connect: dynamicHeaders did not return within the time limit (connectTimeout)."))
        }
        defer {
            timer.cancel()
            task.cancel()
        }
        return try await wait.value()
    }
}
