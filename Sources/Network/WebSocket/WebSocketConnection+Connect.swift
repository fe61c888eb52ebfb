// swift-jsonrpc · SPDX-License-Identifier: MIT

import Logging
import TaskWaits

extension WebSocketConnection {
    /// Connects to a WebSocket server.
    ///
    /// `MessageReceiver.transportOpened(_:)` is called before this method returns. If this method throws, the receiver
    /// is not called. Cancelling the task cancels the attempt.
    ///
    /// - Parameters:
    ///   - url: A `ws:`, `wss:`, `ws+unix:` or `wss+unix:` URL: see ``WebSocketURL``.
    ///   - configuration: The options of connecting and of the connection.
    ///   - receiver: The receiver of the connection's messages and events.
    ///   - loops: The event loops, one of which serves the connection.
    /// - Returns: The connection, which is also passed to the receiver.
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
            fields += try await self.fields(from: dynamicHeaders, until: deadline)
        }
        let plan = try DialPlan(
            url: url, headerFields: fields, origin: configuration.origin, subprotocols: configuration.subprotocols,
            proxy: configuration.proxy, tls: configuration.tls)
        do {
            let (means, tls) = try await self.means(of: plan, configuration, until: deadline)
            try Task.checkCancellation()
            let id = LoopMemberID.next()
            let timeout = max(ContinuousClock.now.duration(to: deadline), .zero)
            do {
                return try await open(id, on: loops.nextThread()) { completion in
                    DialRequest(
                        id: id, configuration: configuration, receiver: receiver, hooks: hooks, plan: plan,
                        means: means, tls: tls, timeout: timeout, completion: completion
                    ).command
                }
            } catch let error as WebSocketError where error.code == .connectFailed {
                // An engine does not know the reason.
                if case .engine = means { try await SocketDialer().explain(plan.route, until: deadline) }
                throw error
            }
        } catch {
            let error: any Error = (error as? SocketError).map { WebSocketError($0) } ?? error
            if let code = (error as? WebSocketError)?.code {
                configuration.logger.debug("websocket dial failed", metadata: ["websocket.error": "\(code)"])
            }
            throw error
        }
    }

    /// Connects a socket, or finds the address that an engine connects to.
    private static func means(
        of plan: DialPlan, _ configuration: WebSocketConfiguration, until deadline: ContinuousClock.Instant
    ) async throws -> (DialRequest.Means, LoadedTLSPlan?) {
        guard let engine = configuration.engine.implementation else {
            let (socket, tls) = try await SocketDialer().dial(plan.route, tls: plan.tls, until: deadline)
            configuration.logger.trace("websocket socket connected")
            return (.socket(socket), tls)
        }
        try engine.check(configuration)
        let (hop, tls) = try await SocketDialer().locate(plan.route, tls: plan.tls, until: deadline)
        return (.engine(engine, hop), tls)
    }

    /// Runs ``WebSocketConfiguration/dynamicHeaders`` in a task and waits for it until the deadline passes or the dial
    /// is cancelled. In these cases, the task is cancelled, and its result is discarded.
    private static func fields(
        from make: @escaping @Sendable () async throws -> [(name: String, value: String)],
        until deadline: ContinuousClock.Instant
    ) async throws -> [WebSocketHeaderField] {
        let wait = CancellableWait<[WebSocketHeaderField]>()
        let task = Task {
            do {
                wait.resume(returning: try await make().map { WebSocketHeaderField($0.name, $0.value) })
            } catch {
                wait.resume(throwing: error)
            }
        }
        defer { task.cancel() }
        return try await wait.value(
            until: deadline,
            or: WebSocketError(
                .connectTimeout,
                "Could not connect: dynamicHeaders did not return within the time limit (connectTimeout)."))
    }

    /// Does the opening handshake on a service thread. If the task is cancelled, the attempt is abandoned there, and
    /// the receiver is not called after that.
    private static func open(
        _ id: UInt64, on thread: LWSServiceThread,
        _ command: (@escaping @Sendable (Result<WebSocketConnection, WebSocketError>) -> Void) -> LoopCommand
    ) async throws -> WebSocketConnection {
        let abandonment = LoopCommand { context in
            (context.member(id) as? any DialAttempt)?
                .abandon(because: WebSocketError(.closing, "The attempt to connect was cancelled."))
        }
        let wait = CancellableWait<WebSocketConnection>()
        thread.post(command { wait.resume(with: $0.mapError { $0 }) })
        do {
            return try await wait.value(onCancel: { thread.post(abandonment) })
        } catch let error as WebSocketError where error.code == .closing {
            try Task.checkCancellation()
            throw error
        }
    }
}
