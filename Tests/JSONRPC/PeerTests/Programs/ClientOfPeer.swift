// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Testing
import WebSocket

/// Connects to a peer, runs `body`, closes, and checks that every call has ended.
///
/// - Parameter setUp: Sets handlers and streams before the client connects.
func withClient<Result>(
    to url: String, webSocket: WebSocketConfiguration = .tested,
    configuration: SessionConfiguration = SessionConfiguration(), setUp: (JSONRPCClient) -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation,
    _ body: (JSONRPCClient) async throws -> sending Result
) async throws -> sending Result {
    let connector = WebSocketConnector(to: url, configuration: webSocket)
    let client = JSONRPCClient(connector: connector, configuration: configuration)
    setUp(client)
    try await client.connect()
    let session = try #require(client.session)
    do {
        let result = try await body(client)
        await client.close()
        #expect(session.callCounts.issued == session.callCounts.settled)
        return result
    } catch {
        await client.close()
        throw error
    }
}

extension SessionEvent.Stream {
    /// Waits for an irregular message with all of `irregularities`.
    func firstIrregular(_ irregularity: Irregularity) async throws -> SessionEvent.IrregularMessage {
        for await event in self {
            if case .irregularMessage(let message) = event, message.irregularities.contains(irregularity) {
                return message
            }
        }
        throw CancellationError()
    }
}
