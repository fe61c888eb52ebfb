// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
import WireJSON

/// A source of notification streams with values of this program. Mocks of a proxy, and objects behind a service, need
/// it for properties marked ``RPCNotificationStream(_:overflow:decoding:coder:)``.
///
/// ```swift
/// @JSONRPCProxy
/// protocol Ticker {
///     @RPCNotificationStream var ticks: NotificationStream<Tick> { get }
/// }
///
/// struct MockTicker: Ticker {
///     let source = NotificationSource<Tick>()
///     var ticks: NotificationStream<Tick> { source.stream }
/// }
/// ```
///
/// Send values to the streams of the mock:
///
/// ```swift
/// let mock = MockTicker()
/// try mock.source.send(Tick(count: 1))
/// ```
public final class NotificationSource<Value: Codable & Sendable>: Sendable {
    private let router = NotificationRouter(clock: ContinuousClock())
    private let method = "notification"

    /// Makes a source without streams.
    public init() {}

    deinit { finish() }

    /// A new stream of the values that are sent from now on. Each stream gets all of them.
    public var stream: NotificationStream<Value> { stream(overflow: .standard) }

    /// Returns a new stream of the values that are sent from now on.
    ///
    /// - Parameter overflow: The policy for values that are sent faster than they are consumed.
    public func stream(overflow: NotificationOverflow) -> NotificationStream<Value> {
        router.stream(of: method, as: Value.self, overflow: overflow)
    }

    /// Sends a value to every stream. The value is encoded and decoded, like a value from a peer.
    ///
    /// - Throws: An `EncodingError` if the value cannot be encoded.
    public func send(_ value: Value) throws {
        router.deliver(InboundNotification(method: method, params: try RawJSON(encoding: value)))
    }

    /// Ends every stream after the values that were sent.
    public func finish() { router.finish(.finished) }
}
