// swift-jsonrpc · SPDX-License-Identifier: MIT

extension DuplexSession {
    /// Waits until the handlers have handled all notifications that arrived before this call. The session of a client
    /// waits for the handlers of the client.
    ///
    /// The result of a call can return before the handlers of earlier notifications have run. This function gives the
    /// order of their arrival:
    ///
    /// ```swift
    /// let report: Report = try await session.call("compile")
    /// try await session.notificationsHandled()
    /// // The handlers of the notifications before the result have returned.
    /// ```
    ///
    /// It also waits for handlers that have been removed or replaced, and after the end of the session, if they still
    /// have notifications to handle. Dropped notifications do not count, and streams of notifications neither.
    ///
    /// A handler of notifications would wait for itself. So in such a handler, and in tasks that it starts except
    /// detached tasks, the function returns immediately.
    ///
    /// - Throws: A `CancellationError` as soon as the task is cancelled.
    public func notificationsHandled() async throws { try await driver.endpoint.handlers.notificationsHandled() }
}

extension JSONRPCClient {
    /// Waits until the handlers have handled all notifications that arrived before this call. See
    /// ``DuplexSession/notificationsHandled()``.
    ///
    /// - Throws: A `CancellationError` as soon as the task is cancelled.
    public func notificationsHandled() async throws { try await endpoint.handlers.notificationsHandled() }
}
