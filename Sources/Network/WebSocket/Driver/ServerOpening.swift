// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The opening handshake of a listener with a client.
final class ServerOpening: Opening {
    private let listener: ListenerDriver
    /// The client's address; `nil` for a client of a Unix domain socket.
    let peer: SocketAddress?

    init(
        _ stream: ByteStream, _ descriptor: LWSDescriptor, _ context: LWSContext, listener: ListenerDriver,
        peer: SocketAddress?
    ) {
        self.listener = listener
        self.peer = peer
        super.init(stream, descriptor, context, head: "", timeout: listener.handshakeTimeout)
    }

    /// Closes the connection, unless it is accepted.
    func abandon() {
        guard !isOver else { return }
        finish()
        listener.openingEnded(self)
        descriptor.close()
    }

    override func timedOut() { abandon() }

    override func failed(_ fault: StreamFault?) { abandon() }

    override func receivedMalformed(_ fault: HTTPHead.Malformed) {
        refuse(WebSocketListener.UpgradeRefusal(400, "The request is not HTTP/1.1: \(fault.reason)."))
    }

    @unsafe override func received(_ head: HTTPHead, rest: UnsafeMutableRawBufferPointer) {
        do throws(WebSocketListener.UpgradeRefusal) {
            let upgrade = try listener.handshake.upgrade(head)
            guard listener.hasRoom(for: self) else {
                throw WebSocketListener.UpgradeRefusal(503, "There are too many connections.")
            }
            switch listener.decide(upgrade, head, peer, serverName: stream.serverName).kind {
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
            isClient: false, subprotocol: upgrade.subprotocol, tlsVersion: stream.tlsVersion)
        let driver = ConnectionDriver(
            connection, after: self, receiver: receiver, hooks: hooks, deflate: upgrade.deflate,
            first: ServerHandshake.answer(to: upgrade), listener: listener, peer: peer)
        listener.connectionBegan(peer)
        unsafe driver.start(rest: rest, opened: {})
    }

    private func refuse(_ refusal: WebSocketListener.UpgradeRefusal) {
        finish()
        listener.openingEnded(self)
        var bytes = ByteQueue()
        bytes.append(ServerHandshake.answer(refusal))
        Farewell.start(
            bytes, on: stream, descriptor, in: context, within: listener.configuration.connection.closeTimeout,
            awaitsPeer: true)
    }
}
