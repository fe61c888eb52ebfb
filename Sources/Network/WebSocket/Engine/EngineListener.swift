// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A listener whose sockets belong to an engine of another module. It decides about requests, and counts connections.
package final class EngineListener: ListeningMember {
    let request: ListenRequest
    private unowned let context: LWSContext
    let limits: ListenerLimits
    fileprivate let handshake: ServerHandshake
    fileprivate var openings: [ObjectIdentifier: EngineServerOpening] = [:]
    private var isStopped = false
    /// The engine's side, which the engine sets.
    package var driver: (any EngineListening)?
    /// The port that the engine listens on. The engine sets it.
    package var port = 0

    package var id: UInt64 { request.id }
    package var configuration: WebSocketListener.Configuration { request.configuration }
    package var address: WebSocketListener.Address { request.address }
    package var usesTLS: Bool { request.tls != nil }

    init(
        context: LWSContext, request: ListenRequest, engine: any EngineImplementation
    ) throws(WebSocketError) {
        guard !context.isStopping else { throw .loopsStopped() }
        self.context = context
        self.request = request
        limits = ListenerLimits(request.configuration)
        handshake = ServerHandshake(configuration: request.configuration, address: request.address)
        try engine.listen(self, on: context)
        context.add(self)
    }

    func stop() {
        context.assertOnThread()
        guard !isStopped else { return }
        isStopped = true
        context.remove(self)
        driver?.stop()
        driver = nil
        for opening in Array(openings.values) { opening.abandon() }
        request.stopped()
    }

    package func loopStops(deadline: Duration) { stop() }

    package func loopEnded() { stop() }

    /// Sets the certificates and all other options on the engine's `SSL_CTX`. Returns `false` if one cannot be set.
    @unsafe package func setUpTLS(_ context: OpaquePointer) -> Bool {
        guard let tls = request.tls else { return false }
        return unsafe tls.setUp(context)
    }

    /// Makes the error for a failure to listen. `code` is the `errno`, or 0 if it is unknown.
    package func failure(_ code: Int32) -> WebSocketError {
        guard code == 0 else { return request.address.failure(SocketFault(systemError: code)) }
        return WebSocketError(.listenFailed, "Could not listen at \(address), and libwebsockets does not say why.")
    }

    /// Returns whether a client may begin its opening handshake. If not, the engine closes the accepted socket.
    package func admits(_ descriptor: Int32) -> Bool {
        !isStopped && limits.mayAccept && limits.admits(SocketAddress(peerOf: descriptor))
    }

    /// Begins the opening handshake of a client.
    package func open(_ socket: any EngineSocket) -> EngineServerOpening {
        let peer = SocketAddress(peerOf: socket.descriptor)
        let opening = EngineServerOpening(self, socket, peer: peer, context)
        openings[ObjectIdentifier(opening)] = opening
        limits.openingBegan(peer)
        return opening
    }
}

/// The opening handshake of a listener with a client, over a socket of an engine.
package final class EngineServerOpening {
    private let listener: EngineListener
    private unowned let context: LWSContext
    private weak var socket: (any EngineSocket)?
    /// The client's address, or `nil` for a client of a Unix domain socket.
    private let peer: SocketAddress?
    private var timer: LWSTimer?
    private var isOver = false
    private var accepted: (receiver: any MessageReceiver, hooks: ConnectionHooks, subprotocol: String?)?

    fileprivate init(
        _ listener: EngineListener, _ socket: any EngineSocket, peer: SocketAddress?, _ context: LWSContext
    ) {
        self.listener = listener
        self.context = context
        self.socket = socket
        self.peer = peer
        timer = LWSTimer(context: context) { [unowned self] in abandon() }
        let limit = listener.configuration.handshakeTimeout.wholeNanoseconds
        timer?.schedule(noLaterThan: MonotonicClock.now + limit)
    }

    func abandon() {
        let socket = socket
        ended()
        socket?.hangUp()
    }

    /// Records that the handshake has ended, if it has not ended before.
    package func ended() {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        accepted = nil
        listener.openings[ObjectIdentifier(self)] = nil
        listener.limits.openingEnded(peer)
    }

    /// Decides about a request. Returns the bytes of an answer that refuses it, or `nil` if the engine should accept
    /// it. Names of fields are in lower case.
    package func answer(
        to startLine: String, _ fields: [(name: String, value: String)], serverName: String?
    ) -> [UInt8]? {
        guard !isOver else { return [] }
        do throws(ServerHandshake.Refusal) {
            let upgrade = try listener.handshake.upgrade(HTTPHead(startLine: startLine, fields: fields))
            guard listener.limits.hasRoom(for: peer) else {
                throw ServerHandshake.Refusal(503, "There are too many connections.")
            }
            let request = WebSocketListener.Request(
                target: upgrade.target, subprotocols: upgrade.subprotocols, subprotocol: upgrade.subprotocol,
                peerAddress: peer.map { "\($0)" }, serverName: serverName, fields: fields)
            switch listener.request.accept(request).kind {
            case .refuse(let refusal): throw refusal.checked
            case .accept(let receiver, let hooks):
                accepted = (receiver, hooks, upgrade.subprotocol)
                return nil
            }
        } catch {
            return ServerHandshake.answer(error)
        }
    }

    /// Opens the connection of an accepted request. Returns `nil` after the time limit or the listener's stop.
    package func opened(_ socket: any EngineSocket, tlsVersion: String?) -> EngineConnection? {
        guard let (receiver, hooks, subprotocol) = accepted else { return nil }
        ended()
        let connection = WebSocketConnection(
            id: LoopMemberID.next(), configuration: listener.configuration.connection, thread: context.thread,
            isMasked: false, subprotocol: subprotocol, tlsVersion: tlsVersion)
        let driver = EngineConnection(
            connection, socket: socket, receiver: receiver, hooks: hooks, context: context, limits: listener.limits,
            peer: peer)
        listener.limits.connectionBegan(peer)
        driver.begin {}
        return driver
    }
}
