// swift-jsonrpc · SPDX-License-Identifier: MIT

import WebSocket

/// Connects for a test that is not about time, because a busy machine or a sanitizer may take long.
@discardableResult
func connect(
    to url: String, configuration: WebSocketConfiguration = WebSocketConfiguration(), handler: any MessageReceiver,
    on loops: WebSocketEventLoops
) async throws -> WebSocketConnection {
    var configuration = configuration
    configuration.connectTimeout = max(configuration.connectTimeout, .seconds(50))
    return try await WebSocketConnection.connect(to: url, configuration: configuration, receiver: handler, on: loops)
}
