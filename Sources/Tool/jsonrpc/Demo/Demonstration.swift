// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCWebSocket
import WebSocket

/// Runs a duplex session with the embedded server over loopback, and prints each step.
struct Demonstration: Sendable {
    var tell: @Sendable (String) throws -> Void
    /// The engine of the client and of the servers.
    var engine = WebSocketEngine.builtIn

    let clock = ContinuousClock()

    func run() async throws {
        let eventLoops = WebSocketEventLoops()
        let listener = try await serve(at: .loopback, on: eventLoops)
        let client = JSONRPCClient(connector: connector(to: listener.url, on: eventLoops))
        do {
            try await client.connect()
            try tell("Started a server on \(listener.url) and connected a client. All messages use this one WebSocket.")
            try tell("--> is a message from the client to the server, <-- from the server to the client.")
            try await concurrentCalls(client)
            try await notifications(client)
            try await callFromTheServer(client)
            try await errorObject(client)
            try await cancelledCall(client)
            try await timedOutCall(client)
            try await goodbye(client)
            try await restart(on: eventLoops)
        } catch {
            await client.close()
            await eventLoops.shutDown()
            throw error
        }
        await eventLoops.shutDown()
    }

    func serve(
        at address: WebSocketListener.Address, on eventLoops: WebSocketEventLoops
    ) async throws -> JSONRPCListener {
        var configuration = JSONRPCListener.Configuration()
        configuration.webSocket.connection.engine = engine
        return try await JSONRPCListener.listen(at: address, configuration: configuration, on: eventLoops) {
            EmbeddedServer.serve($0)
        }
    }

    func connector(to url: String, on eventLoops: WebSocketEventLoops) -> WebSocketConnector {
        var configuration = WebSocketConfiguration()
        configuration.engine = engine
        return WebSocketConnector(to: url, configuration: configuration, on: eventLoops)
    }

    struct Surprise: Error, CustomStringConvertible {
        var description: String
    }

    func title(_ text: String) throws {
        try tell("")
        try tell("## \(text)")
    }

    private func milliseconds(since start: ContinuousClock.Instant) -> String {
        let (seconds, attoseconds) = (clock.now - start).components
        return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms"
    }

    // MARK: Steps

    private func concurrentCalls(_ client: JSONRPCClient) async throws {
        try title("Concurrent calls: responses arrive out of order")
        let start = clock.now
        let requests: [(method: String, params: String)] = [
            ("sleep", "[0.3]"), ("sleep", "[0.1]"), ("sleep", "[0.2]"), ("subtract", "[42,23]"), ("add", "[1,2,3]"),
        ]
        for (index, request) in requests.enumerated() {
            try tell("  --> \(index + 1). \(request.method)\(request.params)")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, request) in requests.enumerated() {
                let params = try RawJSON(validating: request.params)
                group.addTask {
                    let result = try await client.callRaw(request.method, params: params)
                    let time = milliseconds(since: start)
                    try tell("  <-- \(index + 1). \(request.method)\(request.params) = \(result.text), after \(time)")
                }
            }
            try await group.waitForAll()
        }
    }

    private func notifications(_ client: JSONRPCClient) async throws {
        try title("Notifications as an AsyncSequence")
        let ticks = client.notifications("tick", as: Tick.self)
        let start = clock.now
        try tell("  --> tick.subscribe(interval: 0.05, count: 5)")
        let params: JSONValue = ["interval": 0.05, "count": 5]
        let subscription: Int = try await client.call("tick.subscribe", params: params)
        try tell("  <-- tick.subscribe = \(subscription): 5 ticks, one every 50 ms")
        for try await element in ticks {
            switch element {
            case .value(let tick):
                let time = milliseconds(since: start)
                try tell("  <-- tick \(tick.tick) of subscription \(tick.subscription), after \(time)")
                if tick.tick == 5 { return }
            case .gap(let gap): try tell("  Notifications were dropped: \(gap.reason)")
            }
        }
    }

    private func callFromTheServer(_ client: JSONRPCClient) async throws {
        try title("The server calls the client while the client waits for the server")
        client.handle("greet") { (params: Greeting) async throws -> String in
            let greeting = "Hello, \(params.name)!"
            try tell("  <-- greet(name: \"\(params.name)\")")
            try tell("  --> greet = \"\(greeting)\"")
            return greeting
        }
        try tell("  --> callback(method: \"greet\")")
        let answer: String = try await client.call(
            "callback", params: ["method": "greet", "params": ["name": "server"]])
        try tell("  <-- callback = \"\(answer)\"")
    }

    private func errorObject(_ client: JSONRPCClient) async throws {
        try title("The server answers with an error object")
        do {
            _ = try await client.callRaw("no.such.method")
            throw Surprise(description: "The call of no.such.method returned a result. Expected error -32601.")
        } catch let error as ErrorObject {
            try tell("  no.such.method threw ErrorObject: \(error)")
        }
    }

    private func cancelledCall(_ client: JSONRPCClient) async throws {
        try title("A cancelled call")
        let start = clock.now
        let call = Task { try await client.callRaw("sleep", params: RawJSON(validating: "[30]")) }
        // Once a later call is answered, the first one has been sent.
        _ = try await client.callRaw("echo")
        call.cancel()
        do {
            _ = try await call.value
            throw Surprise(description: "The cancelled call returned a result. Expected CancellationError.")
        } catch is CancellationError {
            try tell("  sleep[30] was cancelled and threw CancellationError after \(milliseconds(since: start))")
        }
    }

    private func timedOutCall(_ client: JSONRPCClient) async throws {
        try title("A call with a timeout")
        let start = clock.now
        do {
            _ = try await client.callRaw("sleep", params: RawJSON(validating: "[30]"), timeout: .milliseconds(150))
            throw Surprise(description: "The call with a timeout of 150 ms returned a result. Expected a timeout.")
        } catch let error as ClientError where error.code == .timedOut {
            try tell("  sleep[30] with a timeout of 150 ms failed after \(milliseconds(since: start)):")
            try tell("  \(error)")
        }
        let sum = try await client.callRaw("add", params: RawJSON(validating: "[20,22]"))
        try tell("  The connection is still open: add[20,22] = \(sum.text)")
    }

    private func goodbye(_ client: JSONRPCClient) async throws {
        try title("Closing the connection")
        let session = client.session
        await client.close()
        guard let session, let closure = session.closure else {
            throw Surprise(description: "The session did not end when the client was closed.")
        }
        let counts = session.callCounts
        try tell("  Closed with code \(closure.code). Calls made: \(counts.issued), completed: \(counts.settled).")
    }
}

private struct Greeting: Decodable, Sendable {
    var name: String
}

/// The last step: a server that restarts.
extension Demonstration {
    struct Tick: Decodable, Sendable {
        var subscription: Int
        var tick: Int
    }

    func restart(on eventLoops: WebSocketEventLoops) async throws {
        try title("The server restarts: the client connects again")
        // A port that was just freed could belong to another program, so the servers share a socket in a folder, if the
        // engine can listen at one.
        let socket = (Environment.value("TMPDIR") ?? "/tmp") + "/jsonrpc-demo-\(getpid()).socket"
        var address = engine == .builtIn ? WebSocketListener.Address.unixSocket(socket) : .loopback
        let server = try await serve(at: address, on: eventLoops)
        if engine != .builtIn { address = .host("127.0.0.1", port: server.port) }
        var reconnect = ReconnectPolicy.onLoss
        reconnect.backoff.initial = .milliseconds(100)
        var configuration = SessionConfiguration()
        configuration.onConnect = { session in
            let params: JSONValue = ["interval": 0.02, "count": 1000]
            let subscription: Int = try await session.call("tick.subscribe", params: params)
            try tell("  Connected. tick.subscribe = \(subscription)")
        }
        let client = JSONRPCClient(
            connector: connector(to: server.url, on: eventLoops), configuration: configuration,
            reconnect: reconnect)
        let ticks = client.notifications("tick", as: Tick.self)
        let restarted: JSONRPCListener
        do {
            try await client.connect()
            restarted = try await follow(ticks, client, server, address, eventLoops)
        } catch {
            client.closeNow()
            throw error
        }
        await client.close()
        await restarted.shutDown(within: .zero)
    }

    /// Prints ticks, and restarts the server after the second tick. Returns after the second tick of the new server.
    private func follow(
        _ ticks: NotificationStream<Tick>, _ client: JSONRPCClient, _ server: JSONRPCListener,
        _ address: WebSocketListener.Address, _ eventLoops: WebSocketEventLoops
    ) async throws -> JSONRPCListener {
        var restarted: JSONRPCListener?
        var gaps = 0
        for try await element in ticks {
            switch element {
            case .value(let tick) where tick.tick <= 2:
                try tell("  <-- tick \(tick.tick)")
                guard tick.tick == 2 else { continue }
                if let restarted, gaps == 1 { return restarted }
                await server.shutDown(within: .zero)
                try tell("  The server has stopped. A new one starts.")
                restarted = try await serve(at: address, on: eventLoops)
                let options = CallOptions(isIdempotent: true)
                let sum: Int = try await client.call("add", params: [20, 22], options: options)
                try tell("  A call made meanwhile waited for the connection: add[20,22] = \(sum)")
            case .value: continue
            case .gap(let gap):
                gaps += 1
                try tell("  The stream tells that ticks may be missing: .gap(\(gap.reason))")
            }
        }
        throw Surprise(description: "The ticks ended. Expected a new connection.")
    }
}
