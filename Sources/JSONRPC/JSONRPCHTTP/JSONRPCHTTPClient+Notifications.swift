// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import JSONRPCSession

/// The server cannot send notifications over HTTP, so every stream of notifications throws an error.
extension JSONRPCHTTPClient: NotificationSubscriber {
    /// Returns a stream that throws a `ClientError` with the cause ``JSONRPCHTTPError/notificationsUnsupported(method:)``
    /// when its first notification is awaited.
    public func notificationStream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value> {
        let router = NotificationRouter(clock: configuration.clock)
        router.finish(.failed(ClientError(.notificationsUnsupported(method: method))))
        return router.stream(of: method, overflow: overflow, decoding: decoding, decode: decode)
    }
}
