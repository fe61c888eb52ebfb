// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization
import TestSupport
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(120)))
struct ReconnectTests {
    /// A server that is restarted at the same path, and counts its executions.
    private final class Server: Sendable {
        let path: String
        /// The number of each execution of "pay".
        let payments = EventLog<Int>()
        let executions = EventLog<Void>()
        private let listener = Mutex<JSONRPCListener?>(nil)

        init(in folder: String) { path = "\(folder)/server" }

        var url: String { "ws+unix:\(path):/" }

        func start() async throws {
            let started = try await JSONRPCListener.listen(at: .unixSocket(path)) { [self] session in
                session.handle("pay") { [self] (number: [Int]) in
                    payments.record(number[0])
                    executions.record(())
                    return number[0]
                }
                session.handle("read") { [self] (number: [Int]) in
                    executions.record(())
                    return number[0]
                }
            }
            listener.withLock { $0 = started }
        }

        func stop() async {
            let running = listener.withLock { $0.take() }
            for session in running?.openSessions ?? [] { session.closeNow(code: 1012, reason: "restart") }
            await running?.shutDown(within: .zero)
        }
    }

    private var patient: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        return configuration
    }

    @Test func callsSurviveRestartsAndRunAtMostOnce() async throws {
        try await withTemporaryDirectory { folder in
            let server = Server(in: folder)
            try await server.start()
            var reconnect = ReconnectPolicy.onLoss
            reconnect.backoff = ReconnectPolicy.Backoff(initial: .milliseconds(2), maximum: .milliseconds(20))
            reconnect.maximumRepetitions = .max
            let client = try await JSONRPCClient.connect(to: server.url, webSocket: patient, reconnect: reconnect)
            let stream = client.notifications("never", as: [Int].self)

            let restarts = 10
            async let restarting: Void = {
                for restart in 1...restarts {
                    await server.executions.wait(count: restart * 60)
                    await server.stop()
                    try await server.start()
                }
            }()
            let paid = try await withThrowingTaskGroup(of: [Int].self) { group in
                for caller in 0..<20 {
                    group.addTask { try await calls(of: caller, over: client) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            try await restarting
            // The last restart may be after the last call.
            #expect(try await client.call("read", params: [-1], options: idempotent) == -1)
            await client.close()
            await server.stop()

            let executed = Dictionary(grouping: server.payments.elements) { $0 }
            #expect(executed.allSatisfy { $0.value.count == 1 })
            #expect(paid.allSatisfy { executed[$0] != nil })
            var gaps = 0
            for try await element in stream where element.value == nil { gaps += 1 }
            // Gaps without values between them are one gap.
            #expect(gaps == 1)
        }
    }

    private var idempotent: CallOptions { CallOptions(extraMembers: ExtraMembers(), isIdempotent: true) }

    /// Makes 50 calls. Returns the numbers of the payments that succeeded.
    private func calls(of caller: Int, over client: JSONRPCClient) async throws -> [Int] {
        var paid: [Int] = []
        for index in 0..<50 {
            let number = caller * 50 + index
            if index.isMultiple(of: 2) {
                #expect(try await client.call("read", params: [number], options: idempotent) == number)
                continue
            }
            do {
                #expect(try await client.call("pay", params: [number]) == number)
                paid.append(number)
            } catch let error as ClientError {
                #expect(error.code == .connectionLost && error.delivery == .outcomeUnknown, "\(error)")
            }
        }
        return paid
    }

    @Test func theSampleConnects() async throws {
        let listener = try await JSONRPCListener.listen { session in
            session.handle("login") { [session] in
                try await session.notify("tick", params: [7])
                return true
            }
        }
        let url = listener.url
        var reconnect = ReconnectPolicy.onLoss
        reconnect.backoff.maximum = .seconds(10)
        let client = try await JSONRPCClient.connect(to: url, reconnect: reconnect)
        #expect(try await client.callRaw("login").text == "true")
        await client.close()
        await listener.stop()
    }

    @Test func aURLThatCannotWorkIsNotDialledAgain() async throws {
        for url in ["ws://h:99999/", "ws+unix:relative"] {
            let client = JSONRPCClient(connector: WebSocketConnector(to: url), reconnect: .always)
            let error = await #expect(throws: ClientError.self) { try await client.connect() }
            #expect(error?.code == .connectFailed && error?.isRetryable == false)
            await client.close()
        }
    }
}
