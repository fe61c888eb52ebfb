// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

/// A stream of the notifications of one method. It begins when it is made.
///
/// ```swift
/// for try await element in client.notifications("aria2.onDownloadStart", as: [GID].self) {
///     switch element {
///     case .value(let downloads): print("started:", downloads.map(\.gid))
///     case .gap(let gap): print("ask the server for its state:", gap)
///     }
/// }
/// ```
///
/// The stream is registered when it is made, so notifications that arrive before the loop begins are not lost. It
/// buffers notifications within the limits of its ``NotificationOverflow``. If there are several streams of one method,
/// each gets every notification. If there are several iterators of one stream, each notification goes to one of them.
///
/// The params are decoded in the consumer's task. When this side closes the connection, the loop ends after the
/// buffered notifications. When the connection is lost, the loop throws the same error as calls in flight. In a
/// cancelled task it throws a `CancellationError`; no notification is lost, and another task can continue.
///
/// The registration ends when the stream and its iterators are released.
public struct NotificationStream<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = NotificationElement<Value>

    // The iteration is inlinable, because without the type of the values each element would cost twice as much.
    @usableFromInline let queue: NotificationQueue
    /// Ends the registration when it is released.
    let registration: any AnyObject & Sendable
    @usableFromInline let decoding: NotificationDecodingPolicy
    @usableFromInline let decode: @Sendable (InboundNotification) throws -> Value
    /// Fetches the values that a subscription missed while there was no connection; `nil` if they are not fetched.
    @usableFromInline var resumption: SubscriptionResumption<Value>?

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline let stream: NotificationStream
        /// Whether a notification could not be decoded.
        @usableFromInline var hasFailed = false

        /// Returns the next notification or gap; `nil` at the end.
        ///
        /// - Throws: The error that ended the connection; a ``NotificationError``; with
        ///   ``NotificationDecodingPolicy/fail`` the decoding error, after which this iterator has ended; a
        ///   `CancellationError`. The iterator of a ``Subscription`` also throws a ``SubscriptionError``, and the error
        ///   of the `resume` closure.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
            if let resumption = stream.resumption, let value = try await resumption.next() { return .value(value) }
            if hasFailed { return nil }
            // Most elements of a busy stream need no wait, and an asynchronous call would cost more than the element.
            if let entry = stream.queue.takeBuffered() { return try element(entry) }
            guard let entry = try await stream.queue.next() else { return nil }
            return try element(entry)
        }

        @inlinable
        mutating func element(_ entry: consuming NotificationBuffer.Entry) throws -> Element {
            let element = try decoded(entry)
            stream.resumption?.note(element)
            return element
        }

        @inlinable
        mutating func decoded(_ entry: consuming NotificationBuffer.Entry) throws -> Element {
            switch consume entry {
            case .gap(let gap): return .gap(gap)
            case .notification(let notification):
                do {
                    return .value(try stream.decode(notification))
                } catch {
                    switch stream.decoding {
                    case .fail:
                        hasFailed = true
                        throw error
                    case .report:
                        let reason = NotificationGap.Reason.undecodable(
                            notification, description: String(describing: error))
                        let gap = NotificationGap(reason: reason, count: 1)
                        stream.queue.undecodable(gap)
                        return .gap(gap)
                    }
                }
            }
        }
    }

    /// The values without the gaps, for consumers that tolerate missing notifications.
    public var values: Values { Values(stream: self) }

    /// The values of a ``NotificationStream``, without its gaps.
    public struct Values: AsyncSequence, Sendable {
        public typealias Element = Value

        let stream: NotificationStream

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }

        public struct AsyncIterator: AsyncIteratorProtocol {
            var base: NotificationStream.AsyncIterator

            /// Returns the next value; `nil` at the end.
            ///
            /// - Throws: The errors of the stream.
            public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Value? {
                while let element = try await base.next(isolation: actor) {
                    if let value = element.value { return value }
                }
                return nil
            }
        }
    }
}

extension NotificationRouter {
    /// Returns a stream of one method's notifications, decoded as `type`.
    package func stream<Value: Decodable & Sendable>(
        of method: String, as type: Value.Type, overflow: NotificationOverflow = .standard,
        decoding: NotificationDecodingPolicy = .fail
    ) -> NotificationStream<Value> {
        stream(of: method, overflow: overflow, decoding: decoding) { try $0.params(as: type) }
    }
}

/// A caller that also makes streams of the peer's notifications: every ``JSONRPCEndpoint``, and callers whose streams
/// throw an error because their transport carries no notifications.
///
/// A proxy with properties of the type ``NotificationStream`` needs such a caller.
public protocol NotificationSubscriber: JSONRPCCaller {
    /// Returns a stream of notifications, from now on.
    ///
    /// - Parameters:
    ///   - method: The name of the method; `nil` for all notifications.
    ///   - overflow: The policy for notifications that arrive faster than they are consumed.
    ///   - decoding: The policy for notifications that `decode` cannot decode.
    ///   - decode: Decodes a notification. It runs in the consumer's task.
    func notificationStream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value>
}

extension NotificationSubscriber {
    /// Returns a stream of the notifications of a method, from now on. The params are decoded in the consumer's task.
    ///
    /// - Parameters:
    ///   - method: The name of the method.
    ///   - type: The type that the params are decoded as.
    ///   - overflow: The policy for notifications that arrive faster than they are consumed. The default keeps the
    ///     newest 1024.
    ///   - decoding: The policy for params that cannot be decoded. The default is ``NotificationDecodingPolicy/fail``.
    public func notifications<Value: Decodable & Sendable>(
        _ method: String, as type: Value.Type = Value.self, overflow: NotificationOverflow = .standard,
        decoding: NotificationDecodingPolicy = .fail
    ) -> NotificationStream<Value> {
        notificationStream(of: method, overflow: overflow, decoding: decoding) { [coder] in
            try $0.params(as: type, using: coder)
        }
    }

    /// Returns a stream of all notifications, from now on, undecoded.
    public func notifications(
        overflow: NotificationOverflow = .standard
    ) -> NotificationStream<InboundNotification> {
        notificationStream(of: nil, overflow: overflow, decoding: .fail) { $0 }
    }
}
