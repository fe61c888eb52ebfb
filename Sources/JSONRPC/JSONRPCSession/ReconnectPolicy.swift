// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits

/// A policy for a client whose connection is lost.
///
/// ```swift
/// var reconnect = ReconnectPolicy.onLoss
/// reconnect.backoff.maximum = .seconds(10)
/// let client = try await JSONRPCClient.connect(to: url, reconnect: reconnect)
/// ```
public struct ReconnectPolicy: Sendable, Hashable {
    enum Mode: Sendable, Hashable {
        case never
        case onLoss
        case always
    }

    /// The treatment of calls and notifications that begin while the client is not connected.
    public struct DisconnectedCalls: Sendable, Hashable {
        /// The number of calls that may wait; `nil` if none waits.
        let limit: Int?

        /// They fail at once, with the code `notConnected`.
        public static let fail = DisconnectedCalls(limit: nil)

        /// They wait until the client is connected. The time they wait counts for their timeouts.
        ///
        /// - Parameter limit: The number of calls that wait. Further calls fail at once, with the code `notConnected`.
        ///   The default is 1024.
        public static func wait(atMost limit: Int = 1024) -> DisconnectedCalls {
            DisconnectedCalls(limit: max(0, limit))
        }
    }

    let mode: Mode

    /// The client does not reconnect. It ends with its first connection.
    public static let never = ReconnectPolicy(mode: .never)
    /// The client reconnects if the connection is lost. A first attempt that fails is thrown by
    /// ``JSONRPCClient/connect()``.
    ///
    /// The client ends if the peer closes the connection with the code 1000, a normal closure, or 1008, a violation of
    /// its policy (RFC 6455 §7.4.1).
    public static let onLoss = ReconnectPolicy(mode: .onLoss)
    /// The client reconnects however the connection ended, unless the client was closed. It also repeats a first
    /// attempt that fails, if another attempt may succeed.
    public static let always = ReconnectPolicy(mode: .always)

    private init(mode: Mode) { self.mode = mode }

    /// The time between attempts.
    public var backoff = ReconnectPolicy.Backoff()
    /// The time after which a connection counts as stable. The default is 10 seconds.
    ///
    /// A connection that ends earlier counts as a failed attempt. Therefore the client also backs off from a server
    /// that accepts connections and drops them at once. A time below 10 ms counts as 10 ms.
    public var stablePeriod = Duration.seconds(10)
    /// The number of failed attempts in a row after which the client ends; `nil` for no limit. The default is `nil`.
    public var maximumAttempts: Int?
    /// The time without a stable connection after which the client begins no other attempt and ends; `nil` for no
    /// limit. The default is `nil`.
    public var maximumTime: Duration?
    /// The treatment of calls that begin while the client is not connected. The default is to wait, at most 1024 calls
    /// at a time.
    public var disconnectedCalls = DisconnectedCalls.wait()
    /// The number of times that the client repeats one call that may have reached the peer before the connection was
    /// lost. Only calls with ``CallOptions/isIdempotent`` are repeated. ``CallOptions/maximumRepetitions`` overrides it
    /// for a call. The default is 3.
    ///
    /// The limit protects a server that crashes on such a call. Calls that certainly were not sent are repeated
    /// without limit, until their timeout.
    public var maximumRepetitions = 3
}

extension ReconnectPolicy {
    /// The time between attempts to connect: a random part of a limit that grows exponentially ("full jitter").
    ///
    /// After a failed attempt, and after a connection that was not stable, the time is at least 10 ms, whatever the
    /// options say. So a client never reconnects in a loop without a pause.
    public struct Backoff: Sendable, Hashable {
        /// The random part of the time.
        public enum Jitter: Sendable, Hashable {
            /// The time is a random part of the limit, from zero to the whole limit. Use it in production, so that
            /// clients that lost their connections together do not reconnect together.
            case full
            /// The time is the limit. Use it in tests, so that the times between attempts are known.
            case none
        }

        /// The least time after a failed attempt, and the least limit from which the limit grows.
        static let floor = Duration.milliseconds(10)

        /// The limit after a stable connection. With zero, the client connects again at once. The first failed attempt
        /// has already let the limit grow. The default is 500 ms.
        public var initial = Duration.milliseconds(500)
        /// The factor by which the limit grows with each failed attempt. Values below 1 count as 1. The default is 2.
        public var multiplier = 2.0
        /// The maximum of the limit. The default is 30 seconds.
        public var maximum = Duration.seconds(30)
        /// The random part of the time. The default is ``Jitter/full``.
        public var jitter = Jitter.full
        /// The longest time that a server can make the client wait (`Retry-After`, RFC 9110 §10.2.3). The default is 5
        /// minutes.
        public var maximumRetryAfter = Duration.seconds(300)

        /// Makes the default times.
        public init() {}

        /// Makes times with a given beginning and maximum.
        public init(initial: Duration, maximum: Duration) {
            self.initial = initial
            self.maximum = maximum
        }

        /// Returns the time to wait.
        ///
        /// - Parameters:
        ///   - failures: The number of failed attempts in a row.
        ///   - retryAfter: The time that the server asks for.
        ///   - share: A random number from 0 to 1.
        func delay(failures: Int, retryAfter: Duration?, share: Double) -> Duration {
            let least = failures > 0 ? Self.floor : .zero
            let own = Duration.backoff(
                after: failures, initial: max(least, initial), multiplier: multiplier, maximum: max(least, maximum),
                share: jitter == .full ? share : 1)
            return max(own, least, min(retryAfter ?? .zero, maximumRetryAfter))
        }
    }
}

extension JSONRPCClient {
    /// The state of a client.
    public enum State: Sendable, Hashable {
        /// The client has not been connected, or the attempt failed.
        case idle
        /// The client is making its first connection.
        case connecting
        /// The client is connected, and calls are sent.
        case connected
        /// The connection was lost, and the client is about to make another one. The value is the number of the
        /// attempt, from 1; it begins anew after a stable connection. The state does not occur with
        /// ``ReconnectPolicy/never``.
        case reconnecting(attempt: Int)
        /// The client is closing: it accepts no new calls, and calls in flight may end.
        case closing
        /// The client is closed. This state is final.
        case closed
    }
}
