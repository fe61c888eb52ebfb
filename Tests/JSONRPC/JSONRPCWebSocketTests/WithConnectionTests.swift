// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60)))
struct WithConnectionTests {
    private var patient: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        return configuration
    }

    /// Runs the body against a listener. Returns the client when its connection has ended at the other side, too.
    private func run(_ body: (JSONRPCClient) async throws -> Int) async throws -> (Int, JSONRPCClient?) {
        let sessions = EventLog<DuplexSession>()
        let listener = try await JSONRPCListener.listen { session in
            sessions.record(session)
            session.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
        }
        let clients = EventLog<JSONRPCClient>()
        let outcome: Result<Int, any Error>
        do {
            outcome = .success(
                try await JSONRPCClient.withConnection(to: listener.url, webSocket: patient) { client in
                    clients.record(client)
                    return try await body(client)
                })
        } catch {
            outcome = .failure(error)
        }
        for client in clients.elements { #expect(client.state == .closed) }
        for session in sessions.elements {
            await session.closed()
            #expect(session.closure?.code == 1000)
        }
        await listener.stop()
        return (try outcome.get(), clients.elements.first)
    }

    @Test func theClientIsClosedWhenTheClosureReturns() async throws {
        let (sum, client) = try await run { try await $0.call("add", params: [1, 2], as: Int.self) }
        #expect(sum == 3)
        #expect(client != nil)
    }

    @Test func theClientIsClosedWhenTheClosureThrows() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await run { _ in throw Failure() } }
    }

    @Test func theClientIsClosedWhenTheTaskIsCancelled() async throws {
        let task = Task {
            try await run { client in
                withUnsafeCurrentTask { $0?.cancel() }
                return try await client.call("add", params: [1, 2], as: Int.self)
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func anAttemptThatFailsRunsNothing() async throws {
        let error = await #expect(throws: ClientError.self) {
            try await JSONRPCClient.withConnection(to: "ws://127.0.0.1:1/", webSocket: patient) { _ in
                Issue.record("There is no connection.")
            }
        }
        #expect(error?.code == .connectFailed)
    }
}
