// swift-jsonrpc · SPDX-License-Identifier: MIT

import Logging
import Synchronization

extension WebSocketConnection {
    /// Connects to a WebSocket server.
    ///
    /// `MessageReceiver.transportOpened(_:)` is called before this method returns. If this method throws, the receiver
    /// gets no call. Cancelling the task cancels the attempt.
    ///
    /// - Parameters:
    ///   - url: A `ws:`, `wss:`, `ws+unix:` or `wss+unix:` URL: see ``WebSocketURL``.
    ///   - configuration: The options of connecting and of the connection.
    ///   - receiver: The receiver of the connection's messages and events.
    ///   - loops: The event loops, one of which serves the connection.
    /// - Returns: The connection, which the receiver gets too.
    /// - Throws: ``WebSocketError``, `CancellationError`, or the error that ``WebSocketConfiguration/dynamicHeaders``
    ///   threw.
    @discardableResult
    public static func connect(
        to url: String, configuration: WebSocketConfiguration = WebSocketConfiguration(),
        receiver: any MessageReceiver, on loops: WebSocketEventLoops = .shared
    ) async throws -> WebSocketConnection {
        try await connect(
            to: url, configuration: configuration, receiver: receiver, on: loops, hooks: ConnectionHooks())
    }

    package static func connect(
        to url: String, configuration: WebSocketConfiguration, receiver: any MessageReceiver,
        on loops: WebSocketEventLoops, hooks: ConnectionHooks
    ) async throws -> WebSocketConnection {
        let deadline = ContinuousClock.now + configuration.connectTimeout
        let url = try WebSocketURL(url)
        var fields = configuration.headers.map { WebSocketHeaderField($0.name, $0.value) }
        if let dynamicHeaders = configuration.dynamicHeaders {
            fields += try await HeaderFieldsTask.fields(from: dynamicHeaders, until: deadline)
        }
        let plan = try DialPlan(
            url: url, headerFields: fields, origin: configuration.origin, subprotocols: configuration.subprotocols,
            proxy: configuration.proxy, tls: configuration.tls)
        do {
            let dialled = try await SocketDialer().dial(plan.route, tls: plan.tls, until: deadline)
            configuration.logger.trace("websocket socket connected")
            try Task.checkCancellation()
            let connection = WebSocketConnection(
                configuration: configuration, thread: loops.nextThread(), isClient: true)
            try await connection.dial(
                plan, on: dialled, receiver: receiver, hooks: hooks,
                timeout: max(ContinuousClock.now.duration(to: deadline), .zero))
            return connection
        } catch let error as WebSocketError {
            configuration.logger.debug("websocket dial failed", metadata: ["websocket.error": "\(error.code)"])
            throw error
        }
    }

    private func dial(
        _ plan: DialPlan, on dialled: DialledSocket, receiver: any MessageReceiver, hooks: ConnectionHooks,
        timeout: Duration
    ) async throws {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, WebSocketError>, Never>) in
                let request = DialRequest(
                    connection: self, receiver: receiver, hooks: hooks, plan: plan, dialled: dialled, timeout: timeout,
                    completion: { continuation.resume(returning: $0) })
                thread.post(request.command)
                // A cancellation before this point found no dial to cancel.
                if Task.isCancelled { abandonDial() }
            }
        } onCancel: {
            abandonDial()
        }
        switch result {
        case .success: break
        case .failure(let error):
            if error.code == .closing { try Task.checkCancellation() }
            throw error
        }
    }

    private func abandonDial() {
        let id = id
        thread.post(
            LoopCommand { context in
                (context.member(id) as? ClientOpening)?
                    .abandon(because: WebSocketError(.closing, "The attempt to connect was cancelled."))
            })
    }
}
