// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization
import TestSupport

/// A server that can be restarted at its address. Its calls make it send notifications.
///
/// - `run` executes the call with a number, and causes a notification of each method `tick0`, `tick1` and so on. The
///   params are the number of the restart, and the number of the notification on its connection, without gaps.
/// - `stall` is never answered.
final class RestartingServer: Sendable {
    /// The number of methods of notifications.
    static let tickers = 4

    struct WeakSession: Sendable {
        weak let session: DuplexSession?
    }

    private struct State {
        var listener: JSONRPCListener?
        var generation = 0
        /// The sessions that may still exist.
        var sessions: [WeakSession] = []
        /// The number of executions of each call.
        var executions: [UInt8]
    }

    private let engine: Engine
    private let address: WebSocketListener.Address
    private let url: String
    private let loops: WebSocketEventLoops
    private let state: Mutex<State>

    /// - Parameter remembered: The number of calls whose executions are counted, from the number 0. Their memory is
    ///   allocated at once, so that it does not look like a leak.
    init(_ engine: Engine, in folder: String, on loops: WebSocketEventLoops, remembered: Int = 0) throws {
        self.engine = engine
        self.loops = loops
        if engine.listener == .builtIn {
            address = .unixSocket("\(folder)/server")
            url = "ws+unix:\(folder)/server:/"
        } else {
            // libwebsockets does not listen on Unix domain sockets.
            let port = try LoopbackPort.reserve()
            address = .host("127.0.0.1", port: port)
            url = "ws://127.0.0.1:\(port)/"
        }
        state = Mutex(State(executions: [UInt8](repeating: 0, count: remembered)))
    }

    /// The number of restarts.
    var generation: Int { state.withLock { $0.generation } }

    /// The number of executions of each call.
    var executions: [UInt8] { state.withLock { $0.executions } }

    /// The number of sessions that are still referenced.
    var sessionsAlive: Int {
        state.withLock { state in
            state.sessions.removeAll { $0.session == nil }
            return state.sessions.count
        }
    }

    /// Makes a client that always reconnects, with short pauses.
    func client(
        _ change: (inout ReconnectPolicy) -> Void = { _ in }, opened: @escaping @Sendable (DuplexSession) -> Void
    )
        -> JSONRPCClient
    {
        var webSocket = WebSocketConfiguration()
        webSocket.engine = engine.client
        webSocket.proxy = .none
        webSocket.connectTimeout = .seconds(50)
        var configuration = SessionConfiguration()
        configuration.onConnect = { opened($0) }
        var reconnect = ReconnectPolicy.always
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .milliseconds(1), maximum: .milliseconds(5))
        change(&reconnect)
        return JSONRPCClient(
            connector: WebSocketConnector(to: url, configuration: webSocket, on: loops),
            configuration: configuration, reconnect: reconnect)
    }

    func start() async throws {
        var options = JSONRPCListener.Configuration()
        options.webSocket.connection.engine = engine.listener
        let listener = try await JSONRPCListener.listen(at: address, configuration: options, on: loops) { [self] in
            accept($0)
        }
        state.withLock { $0.listener = listener }
    }

    /// Stops listening, and then closes the connections. So the client cannot connect to this server again.
    func stop() async {
        let listener = state.withLock { $0.listener.take() }
        await listener?.stop()
        for session in listener?.openSessions ?? [] { session.closeNow(code: 1012, reason: "restart") }
        await listener?.shutDown(within: .zero)
    }

    func restart() async throws {
        await stop()
        state.withLock { $0.generation += 1 }
        try await start()
    }

    /// Closes the connections, as a restart does, but keeps listening.
    func closeConnections() {
        let listener = state.withLock { state in
            state.generation += 1
            return state.listener
        }
        for session in listener?.openSessions ?? [] {
            session.closeNow(code: 1012, reason: "restart")
        }
    }

    private func accept(_ session: DuplexSession) {
        let generation = state.withLock { state in
            state.sessions.removeAll { $0.session == nil }
            state.sessions.append(WeakSession(session: session))
            return state.generation
        }
        let ticker = Ticker(generation: generation)
        session.handle("run") { [self] (numbers: [Int], call: InboundCall) in
            state.withLock { state in
                if state.executions.indices.contains(numbers[0]) { state.executions[numbers[0]] += 1 }
            }
            await ticker.tick(call.session)
            return numbers[0]
        }
        session.handle("stall") { (_: [Int]) in await untilCancelled() }
    }

    /// Sends the notifications of one connection in sequence.
    private actor Ticker {
        private let generation: Int
        private var demand = 0
        private var isSending = false
        private var count = 0

        init(generation: Int) { self.generation = generation }

        func tick(_ session: DuplexSession) async {
            demand += 1
            guard !isSending else { return }
            isSending = true
            while demand > 0 {
                demand -= 1
                for ticker in 0..<RestartingServer.tickers {
                    try? await session.notify("tick\(ticker)", params: [generation, count])
                }
                count += 1
            }
            isSending = false
        }
    }
}
