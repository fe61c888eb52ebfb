// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import Synchronization

/// Fetches the values that a subscription missed while there was no connection.
///
/// The fetch runs in the consumer's task when the consumer has taken the gap. Live values wait in the buffer meanwhile,
/// so the fetched values come between the gap and the live values.
@usableFromInline
final class SubscriptionResumption<Value: Sendable>: Sendable {
    private struct State {
        var last: Value?
        /// Whether the consumer has taken a gap, and the missed values were not fetched.
        var isDue = false
        var fetched: Deque<Value> = []
    }

    private let fetch: @Sendable (Value?) async throws -> [Value]
    private let state = Mutex(State())

    init(_ fetch: @escaping @Sendable (Value?) async throws -> [Value]) { self.fetch = fetch }

    /// Returns the next fetched value; `nil` if there is none.
    ///
    /// - Throws: The error of the closure. After a `CancellationError`, the next call fetches again.
    @usableFromInline
    func next() async throws -> Value? {
        if let value = take() { return value }
        let (isDue, last) = state.withLock { state in
            defer { state.isDue = false }
            return (state.isDue, state.last)
        }
        guard isDue else { return nil }
        do {
            let values = try await fetch(last)
            state.withLock { $0.fetched.append(contentsOf: values) }
        } catch {
            if error is CancellationError { state.withLock { $0.isDue = true } }
            throw error
        }
        return take()
    }

    /// Notes an element that the consumer takes.
    @usableFromInline
    func note(_ element: NotificationElement<Value>) {
        state.withLock { state in
            switch element {
            case .value(let value): state.last = value
            case .gap(let gap): if gap.reason == .reconnected { state.isDue = true }
            }
        }
    }

    private func take() -> Value? {
        state.withLock { state in
            guard let value = state.fetched.popFirst() else { return nil }
            state.last = value
            return value
        }
    }
}
