// swift-jsonrpc · SPDX-License-Identifier: MIT

struct ListenRequest: Sendable {
    var id: UInt64
    var address: WebSocketListener.Address
    var configuration: WebSocketListener.Configuration
    var tls: TLSServer?
    var accept: @Sendable (WebSocketListener.Request) -> WebSocketListener.Decision
    /// Called once, on the service thread, when the listener has stopped, but not if it could not be made.
    var stopped: @Sendable () -> Void
}

/// A listener on its service thread.
protocol ListeningMember: LoopMember {
    /// Stops listening, frees the port, and closes the connections whose opening handshake is not done. Other
    /// connections stay open.
    func stop()
}

/// The driver of a listener on its service thread. It accepts connections and counts them.
final class ListenerDriver: DescriptorOwner, ListeningMember {
    private unowned let context: LWSContext
    let request: ListenRequest
    var id: UInt64 { request.id }
    private let descriptor: LoopDescriptor
    private let file: ListeningFile?
    let port: Int
    let handshake: ServerHandshake
    /// The clients whose opening handshake is not done.
    private var openings: [ObjectIdentifier: ServerOpening] = [:]
    let limits: ListenerLimits
    private var isStopped = false
    private var timer: LWSTimer?

    var configuration: WebSocketListener.Configuration { request.configuration }

    /// The number of clients that are accepted before other descriptors are served.
    private static let acceptedPerTurn = 64
    /// The pause in accepting if there are no free descriptors.
    private static let pause: Int64 = 100_000_000

    init(context: LWSContext, request: ListenRequest) throws(WebSocketError) {
        guard !context.isStopping else { throw .loopsStopped() }
        self.context = context
        self.request = request
        limits = ListenerLimits(request.configuration)
        let socket = try request.address.listeningSocket()
        guard let descriptor = context.adopt(socket.descriptor) else {
            socket.file?.remove()
            ConnectedSocket.close(socket.descriptor)
            throw .noRoom(.listenFailed, "Could not listen")
        }
        self.descriptor = descriptor
        file = socket.file
        port = socket.port
        handshake = ServerHandshake(configuration: request.configuration, address: request.address)
        descriptor.setOwner(self)
        timer = LWSTimer(context: context) { [unowned self] in
            if !isStopped { self.descriptor.setReading(limits.mayAccept) }
        }
        limits.roomMade = { [weak self] in
            if let self, !isStopped, limits.mayAccept { self.descriptor.setReading(true) }
        }
        context.add(self)
    }

    func stop() {
        context.assertOnThread()
        guard !isStopped else { return }
        isStopped = true
        context.remove(self)
        timer?.cancel()
        // The file is removed while the socket is open, because only then can it be identified.
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

    private func open(_ socket: Int32, _ peer: SocketAddress?) {
        guard limits.admits(peer), let descriptor = context.adopt(socket) else {
            return ConnectedSocket.close(socket)
        }
        var stream = ByteStream.plain(socket)
        if let tls = request.tls {
            guard let secure = tls.stream(on: socket) else { return descriptor.close() }
            stream = .tls(secure)
        }
        let opening = ServerOpening(stream, descriptor, context, listener: self, peer: peer)
        openings[ObjectIdentifier(opening)] = opening
        limits.openingBegan(peer)
        if !limits.mayAccept { self.descriptor.setReading(false) }
        opening.advance()
    }

    func openingEnded(_ opening: ServerOpening) {
        guard openings.removeValue(forKey: ObjectIdentifier(opening)) != nil else { return }
        limits.openingEnded(opening.peer)
    }
}
