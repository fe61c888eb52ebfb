// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TaskWaits

/// The controls of a proxy. All of them can be used from any thread. A change applies to all bytes that are sent, and all
/// connections that are begun, after it.
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
        set {
            loop.change { settings in
                settings.toUpstream.flow = newValue
                settings.toClient.flow = newValue
            }
        }
    }

    /// The time by which bytes arrive later, in each direction: a round trip takes twice as long. Reading it returns
    /// that of bytes to the server.
    public var latency: Duration {
        get { toUpstream.latency }
        set {
            loop.change { settings in
                settings.toUpstream.latency = newValue
                settings.toClient.latency = newValue
            }
        }
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
        loop.core.withLock { $0.endConnections(by: ending) }.resume(returning: true)
        loop.wake()
    }

    /// The counts so far.
    public var statistics: Statistics { loop.core.withLock { $0.statistics } }

    /// Waits until a condition on the counts holds, or the proxy is closed, or the task is cancelled.
    ///
    /// - Parameter isMet: The condition. It is called while a lock is held, so it must only compare.
    public func wait(until isMet: @escaping @Sendable (Statistics) -> Bool) async {
        guard let wait = loop.core.withLock({ $0.wait(until: isMet) }) else { return }
        defer { loop.core.withLock { $0.remove(wait) } }
        _ = try? await wait.value()
    }
}
