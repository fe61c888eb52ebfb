// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
import WireJSON

/// Makes notification streams of values of this program, for mocks of a proxy and for objects behind a service: both
/// need a value for a property marked ``RPCNotificationStream(_:overflow:decoding:coder:)``.
///
/// ```swift
/// struct Tick: Codable, Sendable {
///     var count: Int
/// }
///
/// @JSONRPCProxy
/// protocol Clock {
///     @RPCNotificationStream var ticks: NotificationStream<Tick> { get }
/// }
///
/// struct MockClock: Clock {
///     let source = NotificationSource<Tick>()
///     var ticks: NotificationStream<Tick> { source.stream }
/// }
///
/// let mock = MockClock()
/// try mock.source.send(Tick(count: 1))
/// ```
public final class NotificationSource<Value: Codable & Sendable>: Sendable {
    private let registry = NotificationRegistry(clock: ContinuousClock())
    private let method = "notification"

    public init() {}

    deinit { finish() }

    /// A new stream of the values that are sent from now on. Each stream gets all of them.
    public var stream: NotificationStream<Value> { stream(overflow: .standard) }

    /// Returns a new stream of the values that are sent from now on.
    ///
    /// - Parameter overflow: What happens when values are sent faster than they are consumed.
    public func stream(overflow: NotificationOverflow) -> NotificationStream<Value> {
        registry.stream(of: method, as: Value.self, overflow: overflow)
    }

    /// Sends a value to every stream. The value is encoded and decoded, as a peer's is.
    ///
    /// - Throws: An `EncodingError` if the value cannot be encoded.
    public func send(_ value: Value) throws {
        registry.deliver(InboundNotification(method: method, params: try RawJSON(encoding: value)))
    }

    /// Ends every stream after the values that were sent.
    public func finish() { registry.finish(.finished) }
}
