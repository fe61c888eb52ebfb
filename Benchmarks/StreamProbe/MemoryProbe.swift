// swift-jsonrpc · SPDX-License-Identifier: MIT

import AllocationCounter
import JSONRPCWebSocket

/// Measures the memory of idle things: the heap in use, before and after.
struct MemoryProbe {
    let url: String
    let number: Int

    func run(_ kind: String) async throws {
        switch kind {
        case "session": try await sessions()
        case "call": try await calls()
        case "subscription": try await subscriptions()
        default: throw ProbeFailure("\(kind) is neither session, call nor subscription.")
        }
    }

    /// Connected clients without calls, on one event loop.
    private func sessions() async throws {
        var clients: [JSONRPCClient] = []
        clients.reserveCapacity(number + 8)
        // The first make the event loop, and what is made once.
        for _ in 0..<8 { clients.append(try await JSONRPCClient.connect(to: url)) }
        let before = Self.heap()
        for _ in 0..<number { clients.append(try await JSONRPCClient.connect(to: url)) }
        let after = Self.heap()
        report(before, after)
        for client in clients { client.closeNow() }
    }

    /// Calls in flight, each in a task of its own that waits for it. The task is part of the figure.
    private func calls() async throws {
        var configuration = SessionConfiguration()
        configuration.calls.maximumInFlight = number + 8
        let client = try await JSONRPCClient.connect(to: url, configuration: configuration)
        guard let session = client.session else { throw ProbeFailure("The client is not connected.") }
        var tasks: [Task<RawJSON, any Error>] = []
        tasks.reserveCapacity(number)
        _ = try await client.callRaw("echo", params: RawJSON(encoding: [1]))
        let before = Self.heap()
        for _ in 0..<number { tasks.append(Task { try await client.callRaw("never") }) }
        while session.callsInFlight < number { await Task.yield() }
        // The requests have left the outbox when an answer to a later one comes.
        _ = try await client.callRaw("echo", params: RawJSON(encoding: [1]))
        report(before, Self.heap())
        client.closeNow()
        for task in tasks { _ = await task.result }
    }

    /// Subscriptions without notifications.
    private func subscriptions() async throws {
        let client = try await JSONRPCClient.connect(to: url)
        var subscriptions: [Subscription<Int>] = []
        subscriptions.reserveCapacity(number + 8)
        var before = 0
        for index in 0..<(number + 8) {
            if index == 8 { before = Self.heap() }
            subscriptions.append(try await client.subscribe("subscribe", unsubscribe: "unsubscribe"))
        }
        report(before, Self.heap())
        client.closeNow()
        withExtendedLifetime(subscriptions) {}
    }

    private func report(_ before: Int, _ after: Int) {
        print("{\"number\":\(number),\"bytes_each\":\((after - before) / number)}")
    }

    private static func heap() -> Int { Int(allocation_counter_bytes_in_use()) }
}
