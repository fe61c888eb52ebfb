// swift-jsonrpc · SPDX-License-Identifier: MIT

import LWSWebSocket
import WebSocket

/// The engines at both ends of a connection.
enum EnginePair: CaseIterable, Sendable {
    case builtIn, libwebsockets, libwebsocketsClient, libwebsocketsListener

    var client: WebSocketEngine {
        switch self {
        case .builtIn, .libwebsocketsListener: .builtIn
        case .libwebsockets, .libwebsocketsClient: .libwebsockets
        }
    }

    var listener: WebSocketEngine {
        switch self {
        case .builtIn, .libwebsocketsClient: .builtIn
        case .libwebsockets, .libwebsocketsListener: .libwebsockets
        }
    }

    /// A listener with this pair's engine.
    func listen(
        on loops: WebSocketEventLoops, _ set: (inout WebSocketListener.Configuration) -> Void = { _ in },
        accept: @escaping @Sendable (WebSocketListener.Request) -> WebSocketListener.Decision = { _ in
            .accept(RecordingHandler.echo())
        }
    ) async throws -> WebSocketListener {
        var configuration = WebSocketListener.Configuration()
        configuration.connection.engine = listener
        set(&configuration)
        return try await WebSocketListener.listen(configuration: configuration, on: loops, accept: accept)
    }

    /// Connects with this pair's engine.
    @discardableResult
    func dial(
        _ url: String, handler: RecordingHandler = RecordingHandler(), on loops: WebSocketEventLoops,
        _ set: (inout WebSocketConfiguration) -> Void = { _ in }
    ) async throws -> WebSocketConnection {
        var configuration = WebSocketConfiguration()
        configuration.engine = client
        configuration.proxy = .none
        set(&configuration)
        return try await connect(to: url, configuration: configuration, handler: handler, on: loops)
    }
}

extension WebSocketEngine {
    static let both = [WebSocketEngine.builtIn, .libwebsockets]
}
