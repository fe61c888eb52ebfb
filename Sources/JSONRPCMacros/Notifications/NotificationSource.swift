// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
import WireJSON

/// Makes notification streams out of values of this program's: what an object that stands in for a proxy, or stands
/// behind a service, gives for a property that is marked
/// ``RPCNotifications(_:overflow:decoding:coder:)``.
///
/// ```swift
/// struct MockCalculator: Calculator {
///     let source = NotificationSource<Tick>()
///     var ticks: NotificationStream<Tick> { source.stream }
///     …
/// }
/// try mock.source.send(Tick(count: 1))
/// ```
public final class NotificationSource<Value: Codable & Sendable>: Sendable {
    private let registry = NotificationRegistry(clock: ContinuousClock())
    private let method = "notification"

    public init() {}

    deinit { finish() }

    /// A stream of what is sent from now on. Each gets all of it.
    public var stream: NotificationStream<Value> { stream(overflow: .standard) }

    /// A stream of what is sent from now on.
    ///
    /// - Parameter overflow: what happens when values are sent faster than they are taken.
    public func stream(overflow: NotificationOverflow) -> NotificationStream<Value> {
        registry.stream(of: method, as: Value.self, overflow: overflow)
    }

    /// Gives a value to every stream.
    ///
    /// - Throws: an `EncodingError`, since the value goes through JSON as a peer's does.
    public func send(_ value: Value) throws {
        registry.deliver(InboundNotification(method: method, params: try RawJSON(encoding: value)))
    }

    /// Ends every stream, after what was sent.
    public func finish() { registry.finish(.finished) }
}
