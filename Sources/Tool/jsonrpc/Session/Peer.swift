// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCHTTP

/// The peer of a command, over WebSocket or HTTP as its URL says.
enum Peer {
    /// Connects, runs `body`, and ends the connection, also if `body` throws.
    ///
    /// - Parameters:
    ///   - budget: The time that `--timeout` leaves for the whole command; `nil` if `--timeout` limits each call.
    ///   - closeTimeout: The limit for the closing handshake of a WebSocket.
    ///   - posts: The largest number of POSTs in flight, for HTTP.
    static func with<T: Sendable>(
        _ url: String, _ options: ConnectionOptions, budget: TimeBudget? = nil,
        closeTimeout: Duration = LibrarySession.closeTimeout, posts: Int = 1,
        body: @Sendable (any PeerSession) async throws -> T
    ) async throws -> T {
        guard TargetURL.isHTTP(url) else {
            return try await LibrarySession.with(url, options, budget: budget, closeTimeout: closeTimeout, body: body)
        }
        let session = try HTTPPeerSession(url, options, budget: budget, posts: posts)
        defer { session.close() }
        return try await body(session)
    }
}
