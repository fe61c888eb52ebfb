// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TaskWaits

/// The handlers of the peer's calls. They outlive sessions, so that a client's next session serves the same methods.
struct HandlerTable: Sendable {
    /// The calls that a handler serves.
    enum Place: Sendable {
        case method(String)
        /// All methods without a handler of their own.
        case fallback
    }

    struct Handlers<Handler: Sendable>: Sendable {
        private var methods: [String: Handler] = [:]
        private var fallback: Handler?

        subscript(_ method: String) -> Handler? { methods[method] ?? fallback }

        /// Sets the handler of a place, and returns the handler that it replaces.
        mutating func set(_ place: Place, _ handler: Handler?) -> Handler? {
            switch place {
            case .method(let method):
                defer { methods[method] = handler }
                return methods[method]
            case .fallback:
                defer { fallback = handler }
                return fallback
            }
        }

        var all: [Handler] { Array(methods.values) + (fallback.map { [$0] } ?? []) }
    }

    var requests = Handlers<RequestHandler>()
    /// The handler of the latest request. Most peers call the same method many times in a row.
    var latest: (method: String, handler: RequestHandler)?
    var queues = Handlers<HandlerQueue>()
    /// The loads of removed queues that may still have notifications to handle.
    private(set) var retired: [HandlerQueue.Load] = []

    /// Keeps the load of a queue that is removed, until all its notifications are handled.
    mutating func retire(_ queue: HandlerQueue?) {
        retired.removeAll(where: \.isZero)
        if let load = queue?.load, !load.isZero { retired.append(load) }
    }

    /// Removes all handlers, and returns the table with them.
    mutating func removeAll() -> HandlerTable {
        let all = self
        self = HandlerTable()
        retired = all.retired
        for queue in all.queues.all { retire(queue) }
        return all
    }
}

extension EndpointState {
    /// Sets the handler of a place; `nil` removes it.
    func setRequestHandler(_ place: HandlerTable.Place, _ handler: RequestHandler?) {
        // Released after the lock, because objects that a handler captures may call back in their deinitializers.
        let replaced = state.withLock { state in
            [state.handlers.latest.take()?.handler, state.handlers.requests.set(place, handler)]
        }
        withExtendedLifetime(replaced) {}
    }

    func setNotificationHandler(
        _ place: HandlerTable.Place, _ handler: @escaping @Sendable (InboundCall) async throws -> Void
    ) {
        var handler = handler
        if !interceptors.isEmpty {
            let chain = NextInboundInterceptor(handler).behind(interceptors)
            handler = { try await chain($0) }
        }
        hasHandlerQueues.store(true, ordering: .releasing)
        setHandlerQueue(
            place,
            HandlerQueue(capacity: queueCapacity, in: handlerGroup, handler) { [events] in
                events.publish(.handlerFailed(method: $0, $1))
            })
    }

    func removeNotificationHandler(_ place: HandlerTable.Place) { setHandlerQueue(place, nil) }

    private func setHandlerQueue(_ place: HandlerTable.Place, _ queue: HandlerQueue?) {
        // Released after the lock: the end of a queue wakes its task.
        let replaced = state.withLock { state in
            let replaced = state.handlers.queues.set(place, queue)
            state.handlers.retire(replaced)
            return replaced
        }
        withExtendedLifetime(replaced) {}
    }

    func requestHandler(_ method: String) -> RequestHandler? {
        state.withLock { state in
            if let latest = state.handlers.latest, latest.method == method { return latest.handler }
            guard let handler = state.handlers.requests[method] else { return nil }
            // The tables also hold the replaced handler, so it is not released here.
            state.handlers.latest = (method, handler)
            return handler
        }
    }

    /// Returns the handler of a method's notifications. It takes no lock if there has never been such a handler.
    func handlerQueue(_ method: String) -> HandlerQueue? {
        hasHandlerQueues.load(ordering: .acquiring) ? state.withLock { $0.handlers.queues[method] } : nil
    }

    /// Waits until all notifications that have been queued so far are handled. In a handler it returns immediately.
    func notificationsHandled() async throws {
        guard hasHandlerQueues.load(ordering: .acquiring), HandlerQueue.Group.current !== handlerGroup else { return }
        for signal in unhandled { try await signal.wait() }
    }

    /// The signals of the queues that have notifications to handle. The queues are not kept meanwhile.
    private var unhandled: [OneTimeSignal] {
        let (queues, retired) = state.withLock { state in
            state.handlers.retire(nil)
            return (state.handlers.queues.all, state.handlers.retired)
        }
        return queues.compactMap { $0.mark() } + retired.map(\.end)
    }
}
