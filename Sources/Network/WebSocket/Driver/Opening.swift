// swift-jsonrpc · SPDX-License-Identifier: MIT

/// An opening handshake in progress: TLS, then HTTP. Subclasses write and read the HTTP messages.
class Opening: StreamReader {
    unowned let context: LWSContext
    let stream: ByteStream
    let descriptor: LoopDescriptor
    private var isInTLS: Bool
    /// The bytes for the peer. They are written once TLS is done.
    final var outgoing = ByteQueue()
    private var head: HTTPHeadReader
    private var timer: LWSTimer?
    private(set) var isOver = false

    /// Makes an opening. The peer's head must begin with the text `start`. ``timedOut()`` is called after `timeout`.
    init(
        _ stream: ByteStream, _ descriptor: LoopDescriptor, _ context: LWSContext, head start: String, timeout: Duration
    ) {
        self.context = context
        self.stream = stream
        self.descriptor = descriptor
        head = HTTPHeadReader(start: Array(start.utf8))
        isInTLS = stream.tls != nil
        descriptor.setOwner(self)
        timer = LWSTimer(context: context) { [unowned self] in timerFired() }
        timer?.schedule(noLaterThan: MonotonicClock.now + timeout.wholeNanoseconds)
    }

    // MARK: For subclasses

    /// Continues the handshake until it must wait for the peer.
    func advance() {
        guard !isOver else { return }
        if isInTLS, let tls = stream.tls {
            switch tls.handshake() {
            case .awaitsBytes: return
            case .awaitsRoom: return descriptor.awaitRoom()
            case .failed(let fault): return failed(fault)
            case .done:
                isInTLS = false
                if stream.hasHiddenBytes { context.readAgain(self) }
            }
        }
        write()
    }

    /// Ends the handshake. No other event follows. The caller must transfer or close the descriptor.
    final func finish() {
        isOver = true
        timer?.cancel()
    }

    func timedOut() {}
    /// Handles the failure of the stream. `fault` is `nil` if the peer has ended the connection.
    func failed(_ fault: SocketFault?) {}
    /// Handles the peer's head. `rest` are the bytes that were received after the head.
    @unsafe func received(_ head: HTTPHead, rest: UnsafeMutableRawBufferPointer) {}
    func receivedMalformed(_ fault: SocketFault) {}

    private func write() {
        switch outgoing.write(to: stream) {
        case .bytes: break
        case .blocked: descriptor.awaitRoom()
        // Bytes that the peer sent before it closed are more informative than this fault.
        case .failed(let fault): readToEnd(because: fault)
        }
    }

    private func timerFired() {
        // The rest of the peer's head may be unread, because this thread was busy or the process was suspended.
        if isInTLS { advance() }
        while wantsBytes, readOnce() > 0 {}
        if !isOver { timedOut() }
    }

    func writable() { advance() }

    func closing() {
        readToEnd(because: nil)
        if !isOver { failed(nil) }
    }

    func readable() {
        guard !isOver else { return }
        if isInTLS { return advance() }
        readOnce()
        if !isOver, stream.hasHiddenBytes { context.readAgain(self) }
    }

    /// Whether bytes of the peer's head are expected. TLS reads the bytes of its own handshake.
    final var wantsBytes: Bool { !isOver && !isInTLS }

    final func streamEnded(_ fault: SocketFault?) { failed(fault) }

    @unsafe final func received(_ bytes: UnsafeMutableRawBufferPointer) {
        var rest = unsafe bytes
        while !isOver, unsafe !rest.isEmpty {
            do {
                guard let (head, consumed) = unsafe try head.take(UnsafeRawBufferPointer(rest)) else { return }
                unsafe rest = UnsafeMutableRawBufferPointer(rebasing: rest[consumed...])
                unsafe received(head, rest: rest)
            } catch {
                receivedMalformed(error)
                return
            }
        }
    }
}

/// The opening handshake of a listener with a client.
final class ServerOpening: Opening {
    private let listener: ListenerDriver
    /// The client's address, or `nil` for a client of a Unix domain socket.
    let peer: SocketAddress?

    init(
        _ stream: ByteStream, _ descriptor: LoopDescriptor, _ context: LWSContext, listener: ListenerDriver,
        peer: SocketAddress?
    ) {
        self.listener = listener
        self.peer = peer
        super.init(stream, descriptor, context, head: "", timeout: listener.configuration.handshakeTimeout)
    }

    func abandon() {
        guard !isOver else { return }
        finish()
        listener.openingEnded(self)
        descriptor.close()
    }

    override func timedOut() { abandon() }

    override func failed(_ fault: SocketFault?) { abandon() }

    override func receivedMalformed(_ fault: SocketFault) {
        refuse(ServerHandshake.Refusal(400, "The request is not HTTP/1.1: \(fault.reason)."))
    }

    @unsafe override func received(_ head: HTTPHead, rest: UnsafeMutableRawBufferPointer) {
        do throws(ServerHandshake.Refusal) {
            let upgrade = try listener.handshake.upgrade(head)
            guard listener.limits.hasRoom(for: peer) else {
                throw ServerHandshake.Refusal(503, "There are too many connections.")
            }
            let request = WebSocketListener.Request(
                target: upgrade.target, subprotocols: upgrade.subprotocols, subprotocol: upgrade.subprotocol,
                peerAddress: peer.map { "\($0)" }, serverName: stream.tls?.serverName, fields: head.fields)
            switch listener.request.accept(request).kind {
            case .refuse(let refusal): refuse(refusal.checked)
            case .accept(let receiver, let hooks): unsafe open(upgrade, receiver, hooks, rest: rest)
            }
        } catch {
            refuse(error)
        }
    }

    @unsafe private func open(
        _ upgrade: ServerHandshake.Upgrade, _ receiver: any MessageReceiver, _ hooks: ConnectionHooks,
        rest: UnsafeMutableRawBufferPointer
    ) {
        finish()
        listener.openingEnded(self)
        let connection = WebSocketConnection(
            id: LoopMemberID.next(), configuration: listener.configuration.connection, thread: context.thread,
            isMasked: false, subprotocol: upgrade.subprotocol, tlsVersion: stream.tls?.version)
        let driver = ConnectionDriver(
            connection, after: self, receiver: receiver, hooks: hooks, deflate: upgrade.deflate,
            first: ServerHandshake.answer(to: upgrade), limits: listener.limits, peer: peer)
        listener.limits.connectionBegan(peer)
        unsafe driver.start(rest: rest, opened: {})
    }

    private func refuse(_ refusal: ServerHandshake.Refusal) {
        finish()
        listener.openingEnded(self)
        var bytes = ByteQueue()
        bytes.append(ServerHandshake.answer(refusal))
        LingeringClose(
            bytes, on: stream, descriptor, in: context, within: listener.configuration.connection.closeTimeout,
            awaitsPeer: true)
    }
}
