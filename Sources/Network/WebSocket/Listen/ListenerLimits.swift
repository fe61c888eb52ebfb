// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The clients of a listener, counted against its limits.
final class ListenerLimits {
    private let configuration: WebSocketListener.Configuration
    private var total = Count()
    /// The counts for each ``SocketAddress/network``.
    private var peers: [[UInt8]: Count] = [:]
    /// The number of bytes of unfinished messages of all connections.
    private var unfinishedBytes = 0

    /// Called when an opening handshake or a connection has ended.
    var roomMade: () -> Void = {}

    private struct Count {
        /// The clients whose opening handshake is not done.
        var openings = 0
        var connections = 0
    }

    /// The number of clients beyond a limit that may connect, in order to be answered with 503.
    private static let refusedOpenings = 16

    init(_ configuration: WebSocketListener.Configuration) { self.configuration = configuration }

    /// The time limit for an unfinished message, in nanoseconds.
    var messageTimeout: Int64 { configuration.unfinishedMessageTimeout.wholeNanoseconds }

    var mayAccept: Bool {
        total.openings + total.connections - Self.refusedOpenings < configuration.maximumConnections
    }

    /// Returns whether an address may begin another opening handshake.
    func admits(_ peer: SocketAddress?) -> Bool {
        let count = count(of: peer)
        return count.openings + count.connections - Self.refusedOpenings < configuration.maximumConnectionsPerPeer
    }

    func hasRoom(for peer: SocketAddress?) -> Bool {
        total.connections < configuration.maximumConnections
            && count(of: peer).connections < configuration.maximumConnectionsPerPeer
    }

    func openingBegan(_ peer: SocketAddress?) { update(peer) { $0.openings += 1 } }

    func openingEnded(_ peer: SocketAddress?) {
        update(peer) { $0.openings -= 1 }
        roomMade()
    }

    func connectionBegan(_ peer: SocketAddress?) { update(peer) { $0.connections += 1 } }

    /// Records the end of a connection that stored `bytes` of an unfinished message.
    func connectionEnded(_ peer: SocketAddress?, unfinished bytes: Int) {
        update(peer) { $0.connections -= 1 }
        unfinishedBytes -= bytes
        roomMade()
    }

    /// Counts the bytes of an unfinished message that a connection stores. Returns `false` if all connections together
    /// exceed the limit.
    func count(unfinished bytes: Int) -> Bool {
        unfinishedBytes += bytes
        return unfinishedBytes <= configuration.unfinishedMessageBytes
    }

    /// Returns the count of a peer. It is zero for clients of a Unix domain socket, which have no address.
    private func count(of peer: SocketAddress?) -> Count { peer?.network.flatMap { peers[$0] } ?? Count() }

    private func update(_ peer: SocketAddress?, _ change: (inout Count) -> Void) {
        change(&total)
        guard let network = peer?.network else { return }
        var count = count(of: peer)
        change(&count)
        peers[network] = count.openings + count.connections > 0 ? count : nil
    }
}
