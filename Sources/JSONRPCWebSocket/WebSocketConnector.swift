// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WebSocket

/// Makes WebSocket connections for a `JSONRPCClient`: the object-level transport, which matches
/// responses to calls by their ids.
public struct WebSocketConnector: MessageConnector {
    /// Where to connect to: a `ws:`, `wss:` or `ws+unix:` URL.
    public let url: String
    /// How to connect. `validatesText` is not used: the session's scan checks every message. What happens to one that is
    /// not UTF-8 is up to `SessionConfiguration.strictness`: see `Irregularity.invalidUTF8`. `lowWaterBytes` counts as at most half of
    /// `SessionConfiguration.maximumQueuedBytes`, or of `SessionConfiguration.minimumQueuedBytes` where the session's
    /// configuration is not known: a session that has queued all it may is to hear when there is room again.
    public let configuration: WebSocketConfiguration
    /// The event loops, one of which serves each connection.
    public let eventLoops: WebSocketEventLoops
    /// Called with each connection when it is open, on its service thread and before its session hears of it: to read
    /// what the opening handshake agreed on, such as `WebSocketConnection.subprotocol`. It must not block.
    public var connectionOpened: (@Sendable (WebSocketConnection) -> Void)?
    /// What the sessions may queue, as far as it is known.
    private let maximumQueuedBytes: Int

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
