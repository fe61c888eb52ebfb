// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// Many calls with one consumer, `results(of:inFlight:)`, over WebSocket.
@Suite(.inTurn(within: .seconds(120)))
struct ManyCallsTests {
    private struct Echo: JSONRPCRequest {
        typealias Response = [Int]
        var number: Int
        var method: String { "echo" }
        var params: [Int] { [number] }
    }

    private static var webSocket: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        return configuration
    }

    private static func echo() async throws -> JSONRPCListener {
        var configuration = JSONRPCListener.Configuration()
        configuration.session.inbound.maximumCalls = 100_000
        return try await JSONRPCListener.listen(configuration: configuration) { session in
            session.handleSynchronously("echo") { (params: [Int]) in params }
            session.handle("never") { () async throws -> Int in
                await untilCancelled()
                return 0
            }
        }
    }

    @Test(arguments: [1, 256, 10_000], [true, false])
    func eachCallHasItsResult(inFlight: Int, isOnEventLoop: Bool) async throws {
        let listener = try await Self.echo()
        let loops = WebSocketEventLoops()
        let client = try await JSONRPCClient.connect(to: listener.url, webSocket: Self.webSocket, on: loops)
        let count = inFlight == 1 ? 500 : 20_000
        func run() async throws {
            var seen = [Bool](repeating: false, count: count)
            let requests = (0..<count).lazy.map { Echo(number: $0) }
            for try await (index, result) in client.results(of: requests, inFlight: inFlight) {
                #expect(!seen[index])
                seen[index] = true
                if try result.get() != [index] { Issue.record("\(index) was answered with \(result)") }
            }
            #expect(!seen.contains(false))
        }
        if isOnEventLoop {
            try await withTaskExecutorPreference(loops.executors[0]) { try await run() }
        } else {
            try await run()
        }
        #expect(client.session?.callsInFlight == 0)
        await client.close()
        await listener.stop()
        await loops.shutDown()
    }

    @Test func timeoutsConcernSingleCalls() async throws {
        let listener = try await Self.echo()
        let client = try await JSONRPCClient.connect(to: listener.url, webSocket: Self.webSocket)
        let calls = [MethodCall("never", as: [Int].self)]
        for try await (_, result) in client.results(of: calls + calls, timeout: .milliseconds(20)) {
            guard case .failure(.failed(let error)) = result else { throw CancellationError() }
            #expect(error.code == .timedOut && error.method == "never")
        }
        for try await (_, result) in client.results(of: [Echo(number: 1)]) { #expect(try result.get() == [1]) }
        await client.close()
        await listener.stop()
    }

    @Test func leavingTheLoopGivesUpTheRest() async throws {
        let listener = try await Self.echo()
        let client = try await JSONRPCClient.connect(to: listener.url, webSocket: Self.webSocket)
        for try await (index, result) in client.results(of: (0...).lazy.map { Echo(number: $0) }, inFlight: 1000) {
            #expect(try result.get() == [index])
            if index > 5000 { break }
        }
        #expect(client.session?.callsInFlight == 0)
        #expect(try await client.call(Echo(number: 7)) == [7])
        await client.close()
        await listener.stop()
    }

    /// If a peer reads nothing, sending stops when the outbox is full. Nothing is lost when the peer continues.
    @Test func aPeerThatDoesNotReadStopsTheSending() async throws {
        let listener = try await Self.echo()
        let proxy = try TCPFaultProxy(upstreamPort: listener.port)
        var configuration = SessionConfiguration()
        configuration.calls.maximumQueuedBytes = 1 << 20
        let client = try await JSONRPCClient.connect(
            to: "ws://127.0.0.1:\(proxy.port)", webSocket: Self.webSocket, configuration: configuration)
        // The calls in flight are larger than the kernel's buffer for a receiver that does not read: 32 MiB and more.
        let text = String(repeating: "x", count: 100_000)
        let listenerEcho = MethodCall("echo", params: [1], as: [Int].self)
        #expect(try await client.call(listenerEcho) == [1])
        proxy.flow = .stall
        let session = try #require(client.session)
        let task = Task {
            // The server refuses these params, so the outcome of each call is its error.
            var errors = 0
            for try await (_, result) in client.results(
                of: (0..<500).lazy.map { _ in MethodCall("echo", params: [text], as: [Int].self) }, inFlight: 450)
            {
                if case .failure(.answered) = result { errors += 1 }
            }
            return errors
        }
        try await yieldUntil("the outbox is full") {
            session.callsInFlight > 0 && session.queuedByteCount >= 1 << 20
        }
        #expect(session.queuedByteCount < 2 << 20)
        proxy.flow = .forward
        #expect(try await task.value == 500)
        await client.close()
        proxy.close()
        await listener.stop()
    }
}
