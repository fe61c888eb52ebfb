// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

extension WebSocketConnection {
    /// Connects to a ws or ws+unix URL.
    ///
    /// The handler gets ``WebSocketHandler/opened(_:)`` before this returns, and no call at all when this throws.
    /// Cancelling the task gives the attempt up.
    ///
    /// - Parameters:
    ///   - url: `ws://host[:port][/path][?query]` or `ws+unix:/path/of/socket[:/path[?query]]`.
    ///   - handler: Takes what comes.
    ///   - loops: The event loops, one of which will serve the connection.
    /// - Returns: The connection, which the handler has too.
    /// - Throws: ``WebSocketError``, `CancellationError`, or what the configuration's `headers` throws.
    @discardableResult
    public static func connect(
        to url: String, configuration: WebSocketConfiguration = WebSocketConfiguration(),
        handler: any WebSocketHandler, on loops: WebSocketEventLoops = .shared
    ) async throws -> WebSocketConnection {
        let start = MonotonicClock.now
        let headers = try await configuration.headers()
        let target = try DialTarget(url: url)
        try Task.checkCancellation()
        let connection = WebSocketConnection(
            configuration: configuration, thread: loops.nextThread(), isClient: true)
        let spent = Duration.nanoseconds(MonotonicClock.now - start)
        try await connection.dial(
            target, headers: headers, handler: handler, timeout: max(configuration.connectTimeout - spent, .zero))
        return connection
    }

    private func dial(
        _ target: DialTarget, headers: [(name: String, value: String)], handler: any WebSocketHandler,
        timeout: Duration
    ) async throws {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, WebSocketError>, Never>) in
                let request = DialRequest(
                    connection: self, handler: handler, target: target, headers: headers, timeout: timeout,
                    completion: { continuation.resume(returning: $0) })
                if !thread.post(.dial(request)) {
                    LWSContext.refuse(.dial(request))
                }
            }
        } onCancel: {
            // It finds the dial in any case: the mailbox keeps the order, and a task that was cancelled before the
            // dial was posted is caught by the check below.
            _ = thread.post(.abandonDial(id))
        }
        switch result {
        case .success: break
        case .failure(let error):
            if error.code == .closing { try Task.checkCancellation() }
            throw error
        }
    }
}
