// swift-jsonrpc · SPDX-License-Identifier: MIT

import Logging
import Synchronization

extension WebSocketConnection {
    /// Connects to a WebSocket server.
    ///
    /// The handler gets ``WebSocketHandler/opened(_:)`` before this returns, and no call at all when this throws.
    /// Cancelling the task gives the attempt up.
    ///
    /// - Parameters:
    ///   - url: A `ws:`, `wss:`, `ws+unix:` or `wss+unix:` URL, see ``WebSocketURL``.
    ///   - configuration: How to connect, and how the connection behaves.
    ///   - handler: Gets the events of the connection.
    ///   - loops: One of them serves the connection.
    /// - Returns: The connection, which the handler has too.
    /// - Throws: ``WebSocketError``, `CancellationError`, or what the configuration's
    ///   ``WebSocketConfiguration/dynamicHeaders`` throws.
    @discardableResult
    public static func connect(
        to url: String, configuration: WebSocketConfiguration = WebSocketConfiguration(),
        handler: any WebSocketHandler, on loops: WebSocketEventLoops = .shared
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
            let dialled = try await SocketDialer().dial(plan, until: deadline)
            configuration.logger.trace("websocket socket connected")
            try Task.checkCancellation()
            let connection = WebSocketConnection(
                configuration: configuration, thread: loops.nextThread(), isClient: true)
            try await connection.dial(
                plan, on: dialled, handler: handler, timeout: max(ContinuousClock.now.duration(to: deadline), .zero))
            return connection
        } catch let error as WebSocketError {
            configuration.logger.debug("websocket dial failed", metadata: ["websocket.error": "\(error.code)"])
            throw error
        }
    }

    private func dial(
        _ plan: DialPlan, on dialled: DialledSocket, handler: any WebSocketHandler, timeout: Duration
    ) async throws {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, WebSocketError>, Never>) in
                let request = DialRequest(
                    connection: self, handler: handler, plan: plan, dialled: dialled, timeout: timeout,
                    completion: { continuation.resume(returning: $0) })
                if !thread.post(.dial(request)) { LWSContext.refuse(.dial(request)) }
                // A cancellation that came before the dial was posted found nothing to give up.
                if Task.isCancelled { _ = thread.post(.abandonDial(id)) }
            }
        } onCancel: {
            _ = thread.post(.abandonDial(id))
        }
        switch result {
        case .success: break
        case .failure(let error):
            if error.code == .closing { try Task.checkCancellation() }
            throw error
        }
    }
}
