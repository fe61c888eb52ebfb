// swift-jsonrpc · SPDX-License-Identifier: MIT

extension DuplexSession {
    /// The gaps in the streams of the session, since it was made. The session of a client counts those of the client.
    public var gapCounts: NotificationGap.Counts { driver.endpoint.streams.counts }
}

extension JSONRPCClient {
    /// The gaps in the streams of the client, since it was made.
    public var gapCounts: NotificationGap.Counts { endpoint.streams.counts }

    /// The counter of the gaps. It does not keep the client alive.
    package var streamLedger: StreamLedger { endpoint.streams }
}
