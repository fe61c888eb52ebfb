// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// The times at which a connection began and the peer was last heard.
struct LivenessTimes: Sendable {
    var opened: SessionTime?
    /// The time of the last message, or of the last answer to a probe.
    var latest: SessionTime?

    /// Returns the state of the connection at its end; `nil` if it was never open.
    func lastState(_ end: SessionTime, callsInFlight: Int, queued: Int) -> ClientError.LastState? {
        opened.map {
            ClientError.LastState(
                openFor: end.duration(since: $0), silentFor: latest.map { end.duration(since: $0) },
                callsInFlight: callsInFlight, queuedByteCount: queued)
        }
    }
}
