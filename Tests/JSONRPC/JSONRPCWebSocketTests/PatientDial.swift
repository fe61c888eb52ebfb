// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import WebSocket

extension WebSocketConnector {
    /// Connects for a test that is not about time, because a busy machine or a sanitizer may take long.
    static func patient(to url: String, engine: WebSocketEngine = .builtIn) -> WebSocketConnector {
        var configuration = WebSocketConfiguration()
        configuration.engine = engine
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        return WebSocketConnector(to: url, configuration: configuration)
    }
}
