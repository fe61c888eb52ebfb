// swift-jsonrpc · SPDX-License-Identifier: MIT

extension ClientError {
    /// The state of a connection when it ended.
    public struct LastState: Sendable, Hashable {
        /// The time for which the connection was open.
        public var openFor: Duration
        /// The time from the peer's last message, or its last answer to a liveness probe, to the end. `nil` if neither
        /// arrived.
        public var silentFor: Duration?
        /// The number of calls in flight.
        public var callsInFlight: Int
        /// The number of bytes that this side had queued and not written to the socket, without their framing. It is an
        /// estimate that can be a few bytes too small for each message.
        public var queuedByteCount: Int

        /// Makes a state.
        public init(openFor: Duration, silentFor: Duration?, callsInFlight: Int, queuedByteCount: Int) {
            self.openFor = openFor
            self.silentFor = silentFor
            self.callsInFlight = callsInFlight
            self.queuedByteCount = queuedByteCount
        }
    }
}

extension ClientError.LastState: CustomStringConvertible {
    /// The state on one line, with times in seconds.
    public var description: String {
        let silence = silentFor.map { "silent for \(Self.seconds($0))" } ?? "without a message from the peer"
        return "open for \(Self.seconds(openFor)), \(silence), calls in flight: \(callsInFlight), "
            + "queued bytes: \(queuedByteCount)"
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = (duration / .milliseconds(1)).rounded()
        return "\(milliseconds / 1000) s"
    }
}
