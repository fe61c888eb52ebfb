// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TaskWaits

/// The handlers of the peer's calls. It outlives sessions, so that a client's next session serves the same methods.
final class HandlerRegistry: Sendable {
    /// The calls that a handler serves.
    enum Place: Sendable {
        case method(String)
        /// All methods without a handler of their own.
        case fallback
    }

    private struct Table<Handler: Sendable> {
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

    private struct State {
        var requests = Table<RequestHandler>()
        /// The handler of the latest request. Most peers call the same method many times in a row.
        var latest: (method: String, handler: RequestHandler)?
        var queues = Table<HandlerQueue>()
        /// The loads of removed queues that may still have notifications to handle.
        var retired: [HandlerQueue.Load] = []

        /// Keeps the load of a queue that is removed, until all its notifications are handled.
        mutating func retire(_ queue: HandlerQueue?) {
            retired.removeAll(where: \.isZero)
            if let load = queue?.load, !load.isZero { retired.append(load) }
        }
    }

    private let state = Mutex(State())
    /// Whether there has been a handler of notifications. Without one, notifications cost nothing here.
    private let hasQueues = Atomic(false)
    let group = HandlerQueue.Group()

    /// Sets the handler of a place; `nil` removes it.
    func setRequestHandler(_ place: Place, _ handler: RequestHandler?) {
        // Released after the lock, because objects that a handler captures may call back in their deinitializers.
        let replaced = state.withLock { state in
            [state.latest.take()?.handler, state.requests.set(place, handler)]
        }
        withExtendedLifetime(replaced) {}
    }

    /// Sets the queue of a place; `nil` removes it.
    func setHandlerQueue(_ place: Place, _ queue: HandlerQueue?) {
        if queue != nil { hasQueues.store(true, ordering: .releasing) }
        // Released after the lock: the end of a queue wakes its task.
        let replaced = state.withLock { state in
            let replaced = state.queues.set(place, queue)
            state.retire(replaced)
            return replaced
        }
        withExtendedLifetime(replaced) {}
    }

    func requestHandler(_ method: String) -> RequestHandler? {
        state.withLock { state in
            if let latest = state.latest, latest.method == method { return latest.handler }
            guard let handler = state.requests[method] else { return nil }
            // The tables also hold the replaced handler, so it is not released here.
            state.latest = (method, handler)
            return handler
        }
    }

    /// Whether the notifications of a method have a handler.
    func handlesNotifications(_ method: String) -> Bool {
        hasQueues.load(ordering: .acquiring) && handlerQueue(method) != nil
    }

    func handlerQueue(_ method: String) -> HandlerQueue? {
        state.withLock { $0.queues[method] }
    }

    /// Releases all handlers, because they may capture the session.
    func removeAll() {
        let all = state.withLock { state in
            let all = state
            state = State()
            state.retired = all.retired
            for queue in all.queues.all { state.retire(queue) }
            return all
        }
        withExtendedLifetime(all) {}
    }

    /// Waits until all notifications that have been queued so far are handled. In a handler it returns immediately.
    func notificationsHandled() async throws {
        guard hasQueues.load(ordering: .acquiring), HandlerQueue.Group.current !== group else { return }
        for signal in unhandled { try await signal.wait() }
    }

    /// The signals of the queues that have notifications to handle. The queues are not kept meanwhile.
    private var unhandled: [OneTimeSignal] {
        let (queues, retired) = state.withLock { state in
            state.retire(nil)
            return (state.queues.all, state.retired)
        }
        return queues.compactMap { $0.mark() } + retired.map(\.end)
    }
}
