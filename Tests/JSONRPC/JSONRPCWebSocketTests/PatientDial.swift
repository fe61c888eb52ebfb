// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import WebSocket

extension WebSocketConnector {
    /// Connects as a test does that is not about time: a busy machine, or a sanitizer, may take long over it.
    static func patient(to url: String, engine: WebSocketEngine = .builtIn) -> WebSocketConnector {
        var configuration = WebSocketConfiguration()
        configuration.engine = engine
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        return WebSocketConnector(to: url, configuration: configuration)
    }
}
