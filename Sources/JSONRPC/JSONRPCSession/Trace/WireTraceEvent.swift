// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// A message on the wire, for ``SessionConfiguration/trace``.
public struct WireTraceEvent: Sendable, Hashable {
    /// The direction of a message.
    public enum Direction: Sendable, Hashable {
        /// The session put the message into the transport's outbox.
        case sent
        /// The session received the message from the peer.
        case received
        /// The session removed the message from the outbox before it was sent, because its call was cancelled or timed
        /// out. ``WireTraceEvent/bytes`` holds the id of the request as JSON. There is an event for each member of a
        /// batch.
        case withdrawn
    }

    /// The direction of the message.
    public var direction: Direction
    /// The whole message, or the id of a withdrawn request.
    public var bytes: [UInt8]
    /// Whether the message is a binary message from the peer.
    public var isBinary: Bool
    /// The time since the session was made, measured by the continuous clock.
    public var time: Duration

    /// Makes an event.
    public init(direction: Direction, bytes: [UInt8], isBinary: Bool = false, time: Duration) {
        self.direction = direction
        self.bytes = bytes
        self.isBinary = isBinary
        self.time = time
    }

    /// The bytes as text; invalid UTF-8 is replaced.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension WireTraceEvent: CustomStringConvertible {
    /// The time, the direction and the message on one line, such as `0.125 s --> {"jsonrpc":"2.0",…}`. Control
    /// characters are escaped.
    public var description: String {
        let milliseconds = SessionTime.nanoseconds(in: time) / 1_000_000
        let fraction = String(milliseconds % 1000 + 1000).dropFirst()
        let mark =
            switch direction {
            case .sent: "-->"
            case .received: isBinary ? "<-- (binary)" : "<--"
            case .withdrawn: "--> withdrawn:"
            }
        return "\(milliseconds / 1000).\(fraction) s \(mark) \(text.escapingControls)"
    }
}
