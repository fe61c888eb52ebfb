// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A client's attempt to connect with an engine. The first result of the engine, time limit or program settles it.
package final class EngineOpening: DialAttempt, TLSOpening {
    private let request: DialRequest
    /// The other end of the engine's connection.
    package let hop: DialRoute.Hop
    private unowned let context: LWSContext
    private var timer: LWSTimer?
    private var handshake: TLSHandshake?
    /// Whether the attempt is settled. Later reports of the engine are ignored.
    package private(set) var isOver = false
    /// The engine's side. The engine sets it before it starts a TLS handshake.
    package weak var socket: (any EngineSocket)?

    package var id: UInt64 { request.id }
    /// The engine sends the plan's header fields, then its origin. A route over a proxy is a tunnel.
    package var plan: DialPlan { request.plan }

    init(_ request: DialRequest, _ hop: DialRoute.Hop, _ context: LWSContext) {
        self.request = request
        self.hop = hop
        self.context = context
    }

    func start(_ engine: any EngineImplementation) {
        context.add(self)
        timer = LWSTimer(context: context) { [unowned self] in
            abandon(because: .handshakeTimedOut(request.configuration))
        }
        timer?.schedule(noLaterThan: MonotonicClock.now + request.timeout.wholeNanoseconds)
        if request.tls != nil { context.tlsOpenings.append(self) }
        engine.dial(self, on: context)
    }

    package func abandon(because error: WebSocketError) {
        guard !isOver else { return }
        let socket = socket
        failed(error)
        socket?.hangUp()
    }

    private func finish() {
        isOver = true
        timer?.cancel()
        context.remove(self)
        if request.tls != nil { context.tlsOpenings.removeAll { $0 === self } }
    }

    // MARK: TLS

    /// The reason why the TLS handshake failed, or `nil` if it did not fail or has not begun.
    package var tlsFailure: WebSocketError? { (handshake?.failure).map { WebSocketError($0) } }

    package var ssl: OpaquePointer? { unsafe socket?.ssl }

    /// Sets up the engine's `SSL` at the beginning of its handshake. If that fails, no certificate is trusted.
    @unsafe package func handshakeBegins(on ssl: OpaquePointer) {
        guard handshake == nil, let tls = request.tls else { return }
        handshake = unsafe TLSClient.begin(tls, on: ssl)
    }

    // MARK: Results

    package func failed(_ error: WebSocketError) {
        guard !isOver else { return }
        finish()
        request.completion(.failure(error))
    }

    /// Reports that the server has answered with a status other than 101.
    package func refused(status: Int, fields: [(name: String, value: String)], bodyStart: [UInt8]) {
        failed(.refused(WebSocketError.Response(status: status, headers: fields, bodyStart: bodyStart)))
    }

    /// Checks the subprotocol that the server has chosen. If it is not acceptable, the attempt has failed.
    package func accepts(subprotocol: String?) -> Bool {
        do throws(WebSocketError) {
            _ = try ClientHandshake.subprotocol(
                subprotocol.map { [$0] } ?? [], offered: plan.subprotocols,
                isRequired: request.configuration.requiresSubprotocol)
            return true
        } catch {
            failed(error)
            return false
        }
    }

    /// Reports that the opening handshake is done. Returns the connection, or `nil` if the attempt was already settled.
    package func opened(
        _ socket: any EngineSocket, subprotocol: String?, tlsVersion: String?
    ) -> EngineConnection? {
        guard !isOver else { return nil }
        finish()
        let connection = WebSocketConnection(
            id: request.id, configuration: request.configuration, thread: context.thread, isMasked: false,
            subprotocol: subprotocol, tlsVersion: tlsVersion)
        let driver = EngineConnection(
            connection, socket: socket, receiver: request.receiver, hooks: request.hooks, context: context)
        let completion = request.completion
        driver.begin { completion(.success(connection)) }
        return driver
    }
}
