// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import TaskWaits
public import WireJSON

/// The request of a ``StreamingCall``.
public struct StreamingCallRequest: Sendable {
    /// The name of the method.
    public var method: String
    /// An object; `nil` for no params. The progress token is added to it.
    public var params: RawJSON?
    /// The form of the progress.
    public var style: ProgressStyle
    /// The limit for the whole call.
    public var timeout: CallTimeout
    /// The longest time without progress; `nil` for no limit.
    public var idleTimeout: Duration?
    /// The options of the call.
    public var options: CallOptions

    public init(
        method: String, params: RawJSON?, style: ProgressStyle, timeout: CallTimeout = .default,
        idleTimeout: Duration? = nil, options: CallOptions = CallOptions()
    ) {
        self.method = method
        self.params = params
        self.style = style
        self.timeout = timeout
        self.idleTimeout = idleTimeout
        self.options = options
    }
}

/// The task of a streaming call. The call is cancelled when the last reference is released.
final class StreamingActivity: Sendable {
    let route: ProgressRoute
    private let task: Task<RawJSON, any Error>

    /// Begins a call. Throws a `ClientError` if the token cannot be added to the params.
    init(
        _ request: StreamingCallRequest, overflow: NotificationOverflow, _ router: NotificationRouter,
        send: @escaping @Sendable (StreamingCallRequest) async throws -> RawJSON
    ) throws {
        let route = router.makeRoute(request.style, overflow: overflow)
        var request = request
        do {
            request.params = try request.style.adding(token: route.token, to: request.params)
        } catch {
            route.remove()
            throw ClientError.encodingFailed(error, method: request.method)
        }
        request.options.watch = .progress(route)
        self.route = route
        task = Task { [request] in
            defer {
                route.remove()
                route.queue.finish(.finished)
            }
            guard let limit = request.idleTimeout else { return try await send(request) }
            return try await route.watched(limit, router.clock, request.method) { try await send(request) }
        }
    }

    deinit { task.cancel() }

    func cancel() { task.cancel() }

    /// Waits for the result. If the waiting task is cancelled, the call is cancelled.
    func result() async throws -> RawJSON {
        try await task.joined.get()
    }
}

extension ProgressRoute {
    /// Returns the result of a call, or cancels the call if it makes no progress for a time.
    fileprivate func watched(
        _ limit: Duration, _ clock: any SessionClock, _ method: String,
        _ call: @escaping @Sendable () async throws -> RawJSON
    ) async throws -> RawJSON {
        try await withThrowingTaskGroup(of: RawJSON?.self) { group in
            group.addTask { try await call() }
            group.addTask {
                // The route is removed after this task.
                while let due = self.lastActivity?.advanced(by: limit) {
                    guard await clock.isReached(due) else { throw CancellationError() }
                    // After the process was suspended, progress that came in time may still be in the socket.
                    await self.router.arrivedMessagesAreRead()
                    if self.lastActivity?.advanced(by: limit) == due { return nil }
                }
                return nil
            }
            defer { group.cancelAll() }
            if let result = try await group.next() ?? nil { return result }
            throw ClientError(
                .timedOut, "The call made no progress for \(limit).", method: method, delivery: .outcomeUnknown)
        }
    }
}

/// The route of one call's progress to its consumer: the call's entry in a ``StreamingCallTable``.
final class ProgressRoute: Sendable, IdentityHashable {
    let token: String
    let style: ProgressStyle
    let queue: NotificationQueue
    private let router: NotificationRouter

    init(token: String, style: ProgressStyle, queue: NotificationQueue, router: NotificationRouter) {
        self.token = token
        self.style = style
        self.queue = queue
        self.router = router
    }

    /// The time at which the call began, or the time of the latest progress or of the response; `nil` after the end of
    /// the call.
    var lastActivity: SessionTime? { router.state.withLock { $0.table.calls.lastActivity(token) } }

    /// Opens the route. If an earlier attempt has made progress, the consumer gets a gap.
    func open() {
        let now = router.clock.now
        let isRepetition = router.state.withLock { $0.table.calls.open(token, now: now) }
        if isRepetition { queue.missed(NotificationGap(reason: .repeated, count: nil)) }
    }

    /// Closes the route. It is called on the transport's thread when a response comes, so that progress that comes
    /// after the response is never delivered before it.
    func close() {
        let now = router.clock.now
        router.state.withLock { $0.table.calls.close(token, now: now) }
    }

    func remove() { router.state.withLock { $0.table.calls.remove(token) } }
}

extension NotificationRouter {
    func makeRoute(_ style: ProgressStyle, overflow: NotificationOverflow) -> ProgressRoute {
        formsBecome(.several)
        let queue = NotificationQueue(self, overflow, style.notification)
        let now = clock.now
        let token = state.withLock { $0.table.calls.add(style, queue, now: now) }
        return ProgressRoute(token: token, style: style, queue: queue, router: self)
    }
}
