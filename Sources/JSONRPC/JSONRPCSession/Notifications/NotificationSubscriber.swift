// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

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
