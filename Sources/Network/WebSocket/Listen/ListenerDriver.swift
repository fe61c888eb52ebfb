// swift-jsonrpc · SPDX-License-Identifier: MIT

/// What a listener is made of.
struct ListenRequest: Sendable {
    var id: UInt64
    var address: WebSocketListener.Address
    var configuration: WebSocketListener.Configuration
    var tls: TLSServer?
    var accept: @Sendable (WebSocketListener.Request) -> WebSocketListener.Decision
    /// A closure that is called once, on the service thread, when the listener has stopped. It is not called if the
    /// listener could not be made.
    var stopped: @Sendable () -> Void
}

/// The driver of a listener on its service thread. It accepts connections and counts them.
final class ListenerDriver: DescriptorOwner, LoopMember {
    private unowned let context: LWSContext
    let request: ListenRequest
    var id: UInt64 { request.id }
    private let descriptor: LoopDescriptor
    private let file: ListeningFile?
    let port: Int
    let handshake: ServerHandshake
    /// The clients whose opening handshake is not done.
    private var openings: [ObjectIdentifier: ServerOpening] = [:]
    private var connections = 0
    /// The counts of openings and connections for each ``SocketAddress/network``.
    private var peers: [[UInt8]: PeerCount] = [:]

    private struct PeerCount {
        var openings = 0
        var connections = 0
    }
    /// The number of bytes of unfinished messages of all connections.
    private var unfinishedBytes = 0
    private var isStopped = false
    private var timer: LWSTimer?

    var configuration: WebSocketListener.Configuration { request.configuration }

    /// The number of clients beyond a limit that may connect, to be answered with 503.
    private static let refusedOpenings = 16
    /// The number of clients that are accepted before other descriptors get their turn.
    private static let acceptedPerTurn = 64
    /// The time for which accepting pauses without free descriptors.
    private static let pause: Int64 = 100_000_000

    init(context: LWSContext, request: ListenRequest) throws(WebSocketError) {
        guard !context.isStopping else { throw .loopsStopped() }
        self.context = context
        self.request = request
        let socket = try ListeningSocket(at: request.address)
        guard let descriptor = context.adopt(socket.descriptor) else {
            socket.file?.remove()
            ConnectedSocket.close(socket.descriptor)
            throw .noRoom(.listenFailed, "Could not listen")
        }
        self.descriptor = descriptor
        file = socket.file
        port = socket.port
        handshake = ServerHandshake(configuration: request.configuration, address: request.address)
        descriptor.owner = self
        timer = LWSTimer(context: context) { [unowned self] in
            if !isStopped { self.descriptor.setReading(mayAccept) }
        }
        context.add(self)
    }

    /// Stops listening, frees the port, and closes the connections whose opening handshake is not done. Other
    /// connections stay open.
    func stop() {
        context.assertOnThread()
        guard !isStopped else { return }
        isStopped = true
        context.remove(self)
        timer?.cancel()
        // The file is removed while the socket is open, because only then it can be identified as the listener's own.
        file?.remove()
        descriptor.close()
        for opening in openings.values { opening.abandon() }
        request.stopped()
    }

    func loopStops(deadline: Duration) { stop() }

    func loopEnded() { stop() }

    // MARK: Accepting

    func readable() {
        for _ in 0..<Self.acceptedPerTurn {
            guard !isStopped, descriptor.isReading else { return }
            switch ListeningSocket.accept(on: descriptor.number) {
            case .nobody:
                return
            case .exhausted:
                // The socket stays readable, so without a pause the loop would do nothing else.
                descriptor.setReading(false)
                timer?.schedule(noLaterThan: MonotonicClock.now + Self.pause)
            case .socket(let socket, let peer):
                open(socket, peer)
            }
        }
    }

    func writable() {}

    func closing() { stop() }

    /// Whether another client can be accepted. Otherwise clients wait in the kernel's queue.
    private var mayAccept: Bool {
        openings.count + connections < configuration.maximumConnections + Self.refusedOpenings
    }

    private func open(_ socket: Int32, _ peer: SocketAddress?) {
        let count = count(of: peer)
        guard count.openings + count.connections < configuration.maximumConnectionsPerPeer + Self.refusedOpenings,
            let descriptor = context.adopt(socket)
        else { return ConnectedSocket.close(socket) }
        var stream = ByteStream.plain(socket)
        if let tls = request.tls {
            guard let secure = tls.stream(on: socket) else { return descriptor.close() }
            stream = .tls(secure)
        }
        let opening = ServerOpening(stream, descriptor, context, listener: self, peer: peer)
        openings[ObjectIdentifier(opening)] = opening
        update(peer) { $0.openings += 1 }
        if !mayAccept { self.descriptor.setReading(false) }
        opening.advance()
    }

    // MARK: Counting

    /// Returns the count of a peer. It is zero for clients of a Unix domain socket, who have no address.
    private func count(of peer: SocketAddress?) -> PeerCount {
        peer?.network.flatMap { peers[$0] } ?? PeerCount()
    }

    private func update(_ peer: SocketAddress?, _ change: (inout PeerCount) -> Void) {
        guard let network = peer?.network else { return }
        var count = count(of: peer)
        change(&count)
        peers[network] = count.openings + count.connections > 0 ? count : nil
    }

    /// Returns whether another connection of the peer is allowed.
    func hasRoom(for opening: ServerOpening) -> Bool {
        connections < configuration.maximumConnections
            && count(of: opening.peer).connections < configuration.maximumConnectionsPerPeer
    }

    func openingEnded(_ opening: ServerOpening) {
        guard openings.removeValue(forKey: ObjectIdentifier(opening)) != nil else { return }
        update(opening.peer) { $0.openings -= 1 }
        roomMade()
    }

    func connectionBegan(_ peer: SocketAddress?) {
        connections += 1
        update(peer) { $0.connections += 1 }
    }

    func connectionEnded(_ connection: ConnectionDriver) {
        connections -= 1
        update(connection.peer) { $0.connections -= 1 }
        unfinishedBytes -= connection.countedBytes
        roomMade()
    }

    private func roomMade() {
        if !isStopped, mayAccept { descriptor.setReading(true) }
    }

    /// Counts the bytes that a connection keeps of an unfinished message. Returns `false` if all connections together
    /// exceed the limit.
    func count(unfinished bytes: Int) -> Bool {
        unfinishedBytes += bytes
        return unfinishedBytes <= configuration.unfinishedMessageBytes
    }
}
