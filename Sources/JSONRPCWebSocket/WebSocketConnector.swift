// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WebSocket

/// Makes WebSocket connections for a `JSONRPCClient`.
public struct WebSocketConnector: MessageConnector {
    /// The server: a `ws:`, `wss:`, `ws+unix:` or `wss+unix:` URL.
    public let url: String
    /// Options of the connections, with two exceptions.
    ///
    /// `validatesText` is not used: the session checks every message, and `SessionConfiguration.strictness` decides about
    /// messages that are not UTF-8 (`Irregularity.invalidUTF8`). `lowWaterBytes` counts as at most half of
    /// `SessionConfiguration.minimumQueuedBytes`, so that a session whose queue is full always hears when there is room.
    public let configuration: WebSocketConfiguration
    /// Event loops; one of them serves each connection.
    public let eventLoops: WebSocketEventLoops
    /// Called with each open connection before its session hears of it, for example to read
    /// `WebSocketConnection.subprotocol`. It runs on the service thread and must not block. The default is `nil`.
    public var connectionOpened: (@Sendable (WebSocketConnection) -> Void)?
    /// What the sessions may queue, as far as it is known.
    private let maximumQueuedBytes: Int

    /// Makes a connector, which does not connect yet. ``connect(receiver:)`` also checks the URL and the configuration.
    public init(
        to url: String, configuration: WebSocketConfiguration = WebSocketConfiguration(),
        on eventLoops: WebSocketEventLoops = .shared
    ) {
        self.init(to: url, configuration: configuration, maximumQueuedBytes: 0, on: eventLoops)
    }

    /// - Parameter maximumQueuedBytes: That of the sessions which the connections are for.
    init(
        to url: String, configuration: WebSocketConfiguration, maximumQueuedBytes: Int,
        on eventLoops: WebSocketEventLoops
    ) {
        self.url = url
        self.configuration = configuration
        self.maximumQueuedBytes = maximumQueuedBytes
        self.eventLoops = eventLoops
    }

    /// Connects.
    /// - Throws: `WebSocketError`, or `CancellationError`.
    public func connect(receiver: any MessageReceiver) async throws {
        _ = try await WebSocketConnection.connect(
            to: url, configuration: configuration.forSessions(queuingAtMost: maximumQueuedBytes),
            handler: WebSocketReceiver(receiver, opened: connectionOpened), on: eventLoops)
    }
}

extension WebSocketConfiguration {
    /// As sessions need it: they check the text by themselves, and are to hear that the outbox has drained whenever
    /// they have filled it.
    func forSessions(queuingAtMost maximumQueuedBytes: Int) -> WebSocketConfiguration {
        var configuration = self
        configuration.validatesText = false
        let limit = max(maximumQueuedBytes, SessionConfiguration.minimumQueuedBytes)
        configuration.lowWaterBytes = min(configuration.lowWaterBytes, limit / 2)
        return configuration
    }
}
