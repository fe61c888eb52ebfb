// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A client's opening handshake, on a connected socket.
final class ClientOpening: Opening, LoopMember {
    /// The number of the connection.
    var id: UInt64 { request.connection.id }
    private let request: DialRequest
    private var handshake: ClientHandshake

    static func start(_ request: DialRequest, in context: LWSContext) {
        let opening: ClientOpening
        do {
            opening = try ClientOpening(request, context)
        } catch {
            return request.completion(.failure(error))
        }
        context.add(opening)
        opening.send(opening.handshake.request)
        opening.advance()
    }

    private init(_ request: DialRequest, _ context: LWSContext) throws(WebSocketError) {
        self.request = request
        let configuration = request.connection.configuration
        handshake = ClientHandshake(
            request.plan, requiresSubprotocol: configuration.requiresSubprotocol,
            offersDeflate: configuration.compression)
        let socket = request.dialled.socket.take()
        guard socket >= 0 else { throw WebSocketError(.connectFailed, "Could not connect: the socket was closed.") }
        // From here on, the descriptor closes the socket. Its owner is set below.
        guard let descriptor = context.adopt(socket) else {
            ConnectedSocket.close(socket)
            throw WebSocketError(
                .connectFailed,
                "Could not connect: the event loop has no room for another descriptor. Raise the limit of open files "
                    + "before the first connection.")
        }
        var stream = ByteStream.plain(socket)
        if let handshake = request.dialled.handshake {
            guard let tls = TLSClient.stream(for: handshake, on: socket) else {
                descriptor.close()
                throw WebSocketError(
                    .tlsFailed, "Could not set up the TLS handshake: OpenSSL has no memory, or rejects an option.")
            }
            stream = .tls(tls)
        }
        super.init(stream, descriptor, context, head: "HTTP/1.", timeout: request.timeout)
    }

    func loopStops(deadline: Duration) { abandon(because: .loopsStopped()) }

    func loopEnded() { abandon(because: .loopsStopped()) }

    /// Ends the attempt, unless it has ended before.
    func abandon(because error: WebSocketError) {
        guard !isOver else { return }
        finish()
        context.remove(self)
        descriptor.close()
        request.completion(.failure(error))
    }

    override func timedOut() {
        let limit = request.connection.configuration.connectTimeout
        abandon(
            because: WebSocketError(
                .connectTimeout, "The server did not complete the handshake within \(limit).",
                advice: "Raise connectTimeout to wait longer."))
    }

    override func failed(_ fault: StreamFault?) {
        // A server may refuse the client's certificate after its own part of the handshake is done.
        if var error = request.dialled.handshake?.failure {
            error.systemError = error.systemError ?? fault?.systemError
            return abandon(because: error)
        }
        var error = WebSocketError(.connectionLost, "The connection ended before the server answered.")
        if let fault {
            error.message = "The connection ended before the server answered: \(fault.reason)."
            error.systemError = fault.systemError
        }
        abandon(because: error)
    }

    override func receivedMalformed(_ fault: HTTPHead.Malformed) {
        abandon(
            because: WebSocketError(
                .invalidHandshake,
                "The server's answer is not an HTTP response: \(fault.reason). Check that it is a WebSocket server."))
    }

    @unsafe override func received(_ head: HTTPHead, rest: UnsafeMutableRawBufferPointer) {
        do {
            switch try handshake.answer(head) {
            case .interim: break
            case .agreed(let agreement): unsafe open(agreement, rest: rest)
            case .refused(let response): unsafe refused(response, rest: rest)
            }
        } catch {
            abandon(because: error)
        }
    }

    @unsafe private func open(_ agreement: ClientHandshake.Agreement, rest: UnsafeMutableRawBufferPointer) {
        guard unwritten.isEmpty else {
            let text = "The server accepted the request before it had received the whole request."
            return abandon(because: WebSocketError(.invalidHandshake, text))
        }
        finish()
        context.remove(self)
        let driver = ConnectionDriver(
            ConnectionDriver.Opened(
                connection: request.connection, receiver: request.receiver, hooks: request.hooks,
                descriptor: descriptor,
                stream: stream, subprotocol: agreement.subprotocol, deflate: agreement.deflate),
            context: context)
        let completion = request.completion
        unsafe driver.start(rest: rest, opened: { completion(.success(())) })
    }

    /// The maximum number of bytes of the body that are kept.
    private static let maximumBodyBytes = 4096

    @unsafe private func refused(_ response: WebSocketError.Response, rest: UnsafeMutableRawBufferPointer) {
        var response = response
        response.bodyStart = unsafe Array(rest.prefix(Self.maximumBodyBytes))
        // Only bytes that have arrived are read. The rest of the body is not waited for.
        let room = Self.maximumBodyBytes - response.bodyStart.count
        if room > 0, case .bytes(let count) = unsafe stream.read(into: context.readBuffer) {
            unsafe response.bodyStart.append(contentsOf: context.readBuffer.prefix(min(count, room)))
        }
        abandon(because: .refused(response))
    }
}
