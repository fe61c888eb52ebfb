// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A request to a service thread to do the opening handshake of a client. An engine also connects.
struct DialRequest: Sendable {
    enum Means: Sendable {
        case socket(ConnectedSocket)
        /// An engine that makes the TCP connection itself, to the server or the proxy.
        case engine(any EngineImplementation, DialRoute.Hop)
    }

    var id: UInt64
    var configuration: WebSocketConfiguration
    var receiver: any MessageReceiver
    var hooks: ConnectionHooks
    var plan: DialPlan
    var means: Means
    /// The plan of the TLS handshake, or `nil` for a connection without TLS.
    var tls: LoadedTLSPlan?
    /// The remaining connect timeout.
    var timeout: Duration
    /// Called once with the result, on the service thread, after the receiver was notified of the connection.
    var completion: @Sendable (Result<WebSocketConnection, WebSocketError>) -> Void

    var command: LoopCommand {
        LoopCommand { context in
            guard !context.isStopping else { return completion(.failure(.loopsStopped())) }
            do throws(WebSocketError) {
                switch means {
                case .socket(let socket): try ClientOpening(self, socket, context).start()
                case .engine(let engine, let hop): EngineOpening(self, hop, context).start(engine)
                }
            } catch {
                completion(.failure(error))
            }
        } refuse: {
            completion(.failure(.loopsStopped($0)))
        }
    }
}

/// An attempt to connect.
package protocol DialAttempt: LoopMember {
    /// Ends the attempt, unless it has already ended.
    func abandon(because error: WebSocketError)
}

extension DialAttempt {
    package func loopStops(deadline: Duration) { abandon(because: .loopsStopped()) }
    package func loopEnded() { abandon(because: .loopsStopped()) }
}

/// A client's opening handshake, on a connected socket.
final class ClientOpening: Opening, DialAttempt {
    var id: UInt64 { request.id }
    private let request: DialRequest
    private var handshake: ClientHandshake

    init(_ request: DialRequest, _ connected: ConnectedSocket, _ context: LWSContext) throws(WebSocketError) {
        self.request = request
        handshake = ClientHandshake(
            plan: request.plan, requiresSubprotocol: request.configuration.requiresSubprotocol,
            offersDeflate: request.configuration.compression)
        let socket = connected.take()
        guard socket >= 0 else { throw WebSocketError(.connectFailed, "Could not connect: the socket was closed.") }
        // From here on, the descriptor closes the socket. Its owner is set below.
        guard let descriptor = context.adopt(socket) else {
            ConnectedSocket.close(socket)
            throw .noRoom(.connectFailed, "Could not connect")
        }
        var stream = ByteStream.plain(socket)
        if let plan = request.tls {
            guard let tls = TLSClient.stream(for: plan, on: socket) else {
                descriptor.close()
                throw WebSocketError(
                    .tlsFailed, "Could not set up the TLS handshake: OpenSSL has no memory, or rejects an option.")
            }
            stream = .tls(tls)
        }
        super.init(stream, descriptor, context, head: "HTTP/1.", timeout: request.timeout)
    }

    fileprivate func start() {
        context.add(self)
        outgoing.append(handshake.request)
        advance()
    }

    func abandon(because error: WebSocketError) {
        guard !isOver else { return }
        finish()
        context.remove(self)
        descriptor.close()
        request.completion(.failure(error))
    }

    override func timedOut() {
        abandon(because: .handshakeTimedOut(request.configuration))
    }

    override func failed(_ fault: SocketFault?) {
        // A server may reject the client's certificate after its own part of the handshake is done.
        if var error = stream.tls?.clientHandshake?.failure {
            error.systemError = error.systemError ?? fault?.systemError
            return abandon(because: WebSocketError(error))
        }
        abandon(because: .lost("The connection ended before the server answered", fault))
    }

    override func receivedMalformed(_ fault: SocketFault) {
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
        guard outgoing.isEmpty else {
            let text = "The server accepted the request before it had received the whole request."
            return abandon(because: WebSocketError(.invalidHandshake, text))
        }
        finish()
        context.remove(self)
        let connection = WebSocketConnection(
            id: id, configuration: request.configuration, thread: context.thread, isMasked: true,
            subprotocol: agreement.subprotocol, tlsVersion: stream.tls?.version)
        let driver = ConnectionDriver(
            connection, after: self, receiver: request.receiver, hooks: request.hooks, deflate: agreement.deflate)
        let completion = request.completion
        unsafe driver.start(rest: rest, opened: { completion(.success(connection)) })
    }

    /// The maximum number of body bytes that are kept.
    private static let maximumBodyBytes = 4096

    @unsafe private func refused(_ response: WebSocketError.Response, rest: UnsafeMutableRawBufferPointer) {
        var response = response
        response.bodyStart = unsafe Array(rest.prefix(Self.maximumBodyBytes))
        // Only bytes that have already arrived are read.
        let room = Self.maximumBodyBytes - response.bodyStart.count
        if room > 0, case .bytes(let count) = unsafe stream.read(into: context.readBuffer) {
            unsafe response.bodyStart.append(contentsOf: context.readBuffer.prefix(min(count, room)))
        }
        abandon(because: .refused(response))
    }
}
