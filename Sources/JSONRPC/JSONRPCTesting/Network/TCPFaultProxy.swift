// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits

/// A TCP proxy on loopback that injects the faults of a network between a client and a server.
///
/// ```swift
/// let proxy = try TCPFaultProxy(upstreamPort: listener.port)
/// let client = try await JSONRPCClient.connect(to: "ws://127.0.0.1:\(proxy.port)", webSocket: configuration)
/// proxy.flow = .discard   // no byte arrives any more, and no connection ends
/// ```
///
/// The proxy listens on 127.0.0.1 at a port that the system chooses, and forwards each connection to a port of
/// 127.0.0.1. It does not know the protocol. Controls apply to open connections at once, and can be used from any
/// thread. The work is done by one thread. A direction of a connection buffers at most 256 KiB, and the proxy serves at
/// most 1024 connections; others wait in the backlog of the socket.
///
/// ``close()``, or the release of the proxy, ends the thread and closes all sockets.
public final class TCPFaultProxy: Sendable {
    /// The treatment of bytes.
    public enum Flow: Sendable, Hashable {
        /// Bytes are forwarded.
        case forward
        /// Bytes are not read, so the sender's buffers fill up. Nothing is lost: ``forward`` resumes.
        case stall
        /// Bytes are read and lost, and the ends of connections are not forwarded: the connection is half-open. A
        /// connection that lost bytes, or an end, is reset when its bytes are forwarded again.
        case discard
    }

    /// The treatment of new connections.
    public enum Acceptance: Sendable, Hashable {
        /// Connections are forwarded.
        case forward
        /// Connections are accepted and reset at once.
        case reset
        /// Connections are accepted and get no answer.
        case hold
        /// The proxy does not listen, so connections are refused.
        case refuse
    }

    /// The way in which a connection ends.
    public enum Ending: Sendable, Hashable {
        /// Both sides get a reset (RST). Bytes that are still under way can be lost with it.
        case reset
        /// Both sides get an end of the stream (FIN), after all bytes that were forwarded.
        case finish
    }

    /// The conditions of one direction.
    public struct Conditions: Sendable, Hashable {
        /// The treatment of bytes. The default is ``Flow/forward``.
        public var flow = Flow.forward
        /// The delay of bytes. The default is zero.
        public var latency = Duration.zero
        /// The number of bytes per second that pass on each connection, at least 1. The default is `nil`: no limit.
        public var bytesPerSecond: Int?
        /// The number of bytes after which each connection ends, counted from its beginning. The default is `nil`: no
        /// cut. A connection on which more bytes have passed is cut at once.
        public var cutAfterBytes: Int?
        /// The way in which a cut connection ends. The default is ``Ending/reset``.
        public var cutEnding = Ending.reset

        /// Makes the conditions of a perfect network.
        public init() {}
    }

    /// The counts of a proxy.
    public struct Statistics: Sendable, Hashable {
        /// The number of connections that were accepted, including those that were reset at once.
        public var accepted = 0
        /// The number of connections that are open.
        public var open = 0
        /// The number of connections that ended because the server refused them.
        public var refusedByUpstream = 0
        /// The number of bytes that were passed to servers.
        public var bytesToUpstream = 0
        /// The number of bytes that were passed to clients.
        public var bytesToClient = 0
        /// The number of bytes that were read and lost.
        public var discardedBytes = 0
        /// The times at which connections were accepted, in order; the latest 10 000.
        public var dialTimes: [ContinuousClock.Instant] = []
    }

    /// The port of 127.0.0.1 at which the proxy listens.
    public var port: UInt16 { loop.port }
    let loop: ProxyLoop

    /// Makes a proxy and starts it.
    ///
    /// - Parameter upstreamPort: The port of 127.0.0.1 to which connections are forwarded.
    /// - Throws: ``TCPFaultProxyError`` if the system has no port or no descriptors.
    public init(upstreamPort: Int) throws { loop = try ProxyLoop(upstreamPort: upstreamPort) }

    deinit { loop.stop() }

    /// Ends all connections with a reset, stops listening, and returns when the thread has ended and all sockets are
    /// closed. A second call does nothing.
    public func close() { loop.stop() }
}

/// The controls of a proxy. All of them can be used from any thread. A change applies to all bytes that are sent, and
/// all connections that are begun, after it.
extension TCPFaultProxy {
    /// The conditions of bytes from clients to the server.
    public var toUpstream: Conditions {
        get { loop.core.withLock { $0.settings.toUpstream } }
        set { loop.change { $0.toUpstream = newValue } }
    }

    /// The conditions of bytes from the server to clients.
    public var toClient: Conditions {
        get { loop.core.withLock { $0.settings.toClient } }
        set { loop.change { $0.toClient = newValue } }
    }

    /// The treatment of bytes in both directions. Reading it returns that of bytes to the server.
    public var flow: Flow {
        get { toUpstream.flow }
        set { loop.change { ($0.toUpstream.flow, $0.toClient.flow) = (newValue, newValue) } }
    }

    /// The delay of bytes in each direction, so a round trip is delayed twice. Reading it returns the delay of bytes to
    /// the server.
    public var latency: Duration {
        get { toUpstream.latency }
        set { loop.change { ($0.toUpstream.latency, $0.toClient.latency) = (newValue, newValue) } }
    }

    /// The treatment of new connections. The default is ``Acceptance/forward``.
    public var acceptance: Acceptance {
        get { loop.core.withLock { $0.settings.acceptance } }
        set { loop.change { $0.acceptance = newValue } }
    }

    /// The port of 127.0.0.1 to which new connections are forwarded. Change it when the server has restarted at another
    /// port. Open connections stay where they are.
    public var upstreamPort: Int {
        get { loop.core.withLock { $0.settings.upstreamPort } }
        set { loop.change { $0.upstreamPort = newValue } }
    }

    /// Ends all open connections.
    ///
    /// - Parameter ending: The way in which they end. The default is ``Ending/reset``.
    public func endConnections(by ending: Ending = .reset) {
        loop.core.update { $0.endConnections(by: ending) }
        loop.wake()
    }

    /// The counts so far.
    public var statistics: Statistics { loop.core.withLock { $0.statistics } }

    /// Waits until a condition on the counts holds, or the proxy is closed.
    ///
    /// - Parameter isMet: The condition. It is called while a lock is held, so it must only compare.
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func wait(until isMet: @escaping @Sendable (Statistics) -> Bool) async throws {
        try await loop.core.wait { $0.hasEnded || isMet($0.statistics) }
    }
}

/// The error of a ``TCPFaultProxy`` that could not start.
public struct TCPFaultProxyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call of the system that failed.
    public var call: String
    /// The error number (`errno`).
    public var errorNumber: Int32

    /// The call and the reason.
    public var description: String {
        "Could not start the TCP fault proxy: `\(call)` failed with error number \(errorNumber)."
    }
}
