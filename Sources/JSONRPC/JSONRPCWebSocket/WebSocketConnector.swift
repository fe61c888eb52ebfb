// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WebSocket

/// A connector that makes WebSocket connections for a `JSONRPCClient`.
public struct WebSocketConnector: MessageConnector, CustomStringConvertible {
    /// The URL of the server: `ws:`, `wss:`, `ws+unix:` or `wss+unix:`.
    public let url: String
    /// The options of the connections, with two exceptions.
    ///
    /// `validatesText` is ignored: the session checks every message, and `SessionConfiguration.strictness` sets the
    /// reaction to messages that are not UTF-8 (`Irregularity.invalidUTF8`). `lowWaterBytes` is lowered to half of
    /// `SessionConfiguration.Calls.minimumQueuedBytes` if it exceeds that, so that a session with a full queue is
    /// always notified when there is room.
    public let configuration: WebSocketConfiguration
    /// The event loops, one of which serves each connection.
    public let eventLoops: WebSocketEventLoops
    /// A closure that gets each connection before its session starts, for example to read
    /// `WebSocketConnection.subprotocol`. It runs on the service thread and must not block. The default is `nil`.
    public var connectionOpened: (@Sendable (WebSocketConnection) -> Void)?
    /// The sessions' `SessionConfiguration.calls.maximumQueuedBytes`; 0 if it is not known.
    private var maximumQueuedBytes = 0

    /// Makes a connector. The URL and the configuration are checked by ``connect(receiver:)``, not before.
    ///
    /// - Parameters:
    ///   - url: A `ws:`, `wss:`, `ws+unix:` or `wss+unix:` URL.
    ///   - configuration: The options of the connections.
    ///   - eventLoops: The event loops, one of which serves each connection.
    public init(
        to url: String, configuration: WebSocketConfiguration = WebSocketConfiguration(),
        on eventLoops: WebSocketEventLoops = .shared
    ) {
        self.url = url
        self.configuration = configuration
        self.eventLoops = eventLoops
    }

    /// Returns the connector for sessions with this `SessionConfiguration.calls.maximumQueuedBytes`.
    func queuing(atMost bytes: Int) -> WebSocketConnector {
        var connector = self
        connector.maximumQueuedBytes = bytes
        return connector
    }

    /// Makes a connection and gives its messages to a receiver. A client calls this method.
    ///
    /// - Throws: `WebSocketError`, `CancellationError`, or the error that `WebSocketConfiguration.dynamicHeaders`
    ///   threw.
    public func connect(receiver: any MessageReceiver) async throws {
        _ = try await WebSocketConnection.connect(
            to: url, configuration: configuration.forSessions(queuingAtMost: maximumQueuedBytes),
            receiver: receiver, on: eventLoops, hooks: ConnectionHooks(opened: connectionOpened))
    }

    /// The scheme, the host and the port of the URL, or the path of its Unix domain socket. It is safe in a log: it has
    /// neither the credentials nor the path and the query of the URL.
    public var description: String {
        guard let url = try? WebSocketURL(url) else { return "a URL that is not valid" }
        return switch url.location {
        case .network: "\(url.isSecure ? "wss" : "ws")://\(url.hostField)"
        case .unixSocket(let path): "\(url.isSecure ? "wss" : "ws")+unix:\(path)"
        }
    }
}

extension WebSocketConfiguration {
    /// Returns the configuration as sessions need it. Sessions check text themselves. They also need to be told that
    /// the outbox has drained whenever they have filled it, so the low-water mark must be below their limit.
    func forSessions(queuingAtMost maximumQueuedBytes: Int) -> WebSocketConfiguration {
        var configuration = self
        configuration.validatesText = false
        let limit = max(maximumQueuedBytes, SessionConfiguration.Calls.minimumQueuedBytes)
        configuration.lowWaterBytes = min(configuration.lowWaterBytes, limit / 2)
        return configuration
    }
}
