// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The notifications of one method, from when the stream was made.
///
/// ```swift
/// for try await element in client.notifications("aria2.onDownloadStart", as: [GID].self) {
///     switch element {
///     case .value(let downloads): …
///     case .gap(let gap): …          // some are missing here: ask the server for its state
///     }
/// }
/// ```
///
/// The stream is registered when it is made, so what comes before the loop begins is not lost. It holds what its
/// consumer has not taken, within the limits of its ``NotificationOverflow``. Several streams of one method each get
/// every notification; several iterators of one stream share what it holds, each notification going to one of them.
///
/// The params are decoded in the consumer's task. The loop ends when the connection is closed from this side, after
/// what had come before; when the connection is lost it throws what calls in flight throw. In a cancelled task it
/// throws `CancellationError`, and nothing is lost: another task can go on.
///
/// Letting go of the stream and its iterators ends the registration.
public struct NotificationStream<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = NotificationElement<Value>

    let subscription: NotificationSubscription
    let decoding: NotificationDecodingPolicy
    let decode: @Sendable (InboundNotification) throws -> Value

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Nil after a notification that could not be decoded has ended the stream.
        private var stream: NotificationStream?

        init(stream: NotificationStream) { self.stream = stream }

        /// The next notification or gap, nil at the end.
        ///
        /// - Throws: what ended the connection; ``NotificationError``; with ``NotificationDecodingPolicy/fail`` the
        ///   error of decoding, after which this iterator is finished; `CancellationError`.
        public mutating func next() async throws -> Element? {
            try await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            guard let stream, let entry = try await stream.subscription.queue.next() else { return nil }
            switch entry {
            case .gap(let gap): return .gap(gap)
            case .notification(let notification):
                do {
                    return .value(try stream.decode(notification))
                } catch {
                    switch stream.decoding {
                    case .fail:
                        self.stream = nil
                        throw error
                    case .report:
                        let reason = NotificationGap.Reason.undecodable(
                            notification, description: String(describing: error))
                        return .gap(NotificationGap(reason: reason, count: 1))
                    }
                }
            }
        }
    }

    /// The values alone, for consumers to whom it does not matter that some may be missing.
    public var values: Values { Values(stream: self) }

    /// The values of a ``NotificationStream``, without its gaps.
    public struct Values: AsyncSequence, Sendable {
        public typealias Element = Value

        let stream: NotificationStream

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }

        public struct AsyncIterator: AsyncIteratorProtocol {
            var base: NotificationStream.AsyncIterator

            /// The next value, nil at the end. Throws what the stream throws.
            public mutating func next() async throws -> Value? {
                try await next(isolation: #isolation)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
                while let element = try await base.next(isolation: actor) {
                    if let value = element.value { return value }
                }
                return nil
            }
        }
    }
}

extension NotificationRegistry {
    /// A stream of one method's notifications, decoded as `type`.
    package func stream<Value: Decodable & Sendable>(
        of method: String, as type: Value.Type, overflow: NotificationOverflow = .standard,
        decoding: NotificationDecodingPolicy = .fail
    ) -> NotificationStream<Value> {
        stream(of: method, overflow: overflow, decoding: decoding) { try $0.params(as: type) }
    }

    /// A stream of all notifications, as they came.
    package func stream(overflow: NotificationOverflow = .standard) -> NotificationStream<InboundNotification> {
        stream(of: nil, overflow: overflow, decoding: .fail) { $0 }
    }
}
