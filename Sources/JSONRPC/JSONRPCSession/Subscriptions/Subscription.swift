// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import Synchronization

/// A subscription, and the stream of its notifications.
///
/// ```swift
/// let heads = try await client.subscribe(
///     "eth_subscribe", params: ["newHeads"], unsubscribe: "eth_unsubscribe", as: Header.self)
/// for try await element in heads {
///     switch element {
///     case .value(let header): print("block", header.number)
///     case .gap(let gap): print("blocks are missing here:", gap)
///     }
/// }
/// ```
///
/// The elements are in the order of the wire, and begin with the notifications that arrived before the response to the
/// subscribe request. A subscription buffers them within the limits of its ``NotificationOverflow``. The values are
/// decoded in the consumer's task.
///
/// A client with a ``ReconnectPolicy`` subscribes again on each new connection. Then the stream contains a gap with the
/// reason ``NotificationGap/Reason/reconnected`` before the first value of that connection. If the peer refuses, the
/// stream throws the same error as the first request would.
///
/// The subscription ends when ``unsubscribe()`` is called, or when the subscription and its iterators are released:
/// then the peer gets one unsubscribe request. A loop in a cancelled task throws a `CancellationError`; as long as the
/// subscription is kept, no notification is lost, and another task can continue.
///
/// The stream ends when this side closes the connection. It throws an error when the connection is lost for good (the
/// same error as calls in flight), or when the peer ends the subscription with an error
/// (``SubscriptionError/endedByPeer(_:)``). Elements that arrived earlier come first.
public struct Subscription<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = NotificationElement<Value>

    let stream: NotificationStream<Value>
    let membership: SubscriptionMembership

    /// The id in the current connection, as the server sent it. `nil` if the style has no id, while there is no
    /// connection, and after the end.
    public var id: SubscriptionID? { membership.id }

    /// Ends the subscription. Consumers get the buffered elements, then the end.
    ///
    /// It returns when the peer has answered the unsubscribe request, when the request has timed out, or when the
    /// connection has ended. A failure is reported as
    /// ``SessionEvent/SubscriptionEvent/unsubscribeFailed(method:_:_:)``. If other consumers share the subscription, it
    /// sends nothing. If the task is cancelled, it returns at once, and the request goes on.
    public func unsubscribe() async { await membership.unsubscribe() }

    public typealias AsyncIterator = NotificationStream<Value>.AsyncIterator

    public func makeAsyncIterator() -> AsyncIterator { stream.makeAsyncIterator() }

    /// The values of a subscription, without its gaps.
    public typealias Values = NotificationStream<Value>.Values

    /// The values without the gaps, for consumers that tolerate missing notifications.
    public var values: Values { stream.values }
}

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
