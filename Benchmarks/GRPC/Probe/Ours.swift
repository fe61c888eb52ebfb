// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The server made with this package.
enum OurServer {
    static func run() async throws {
        let listener = try await JSONRPCListener.listen { session in
            session.handle("echo") { (params: [String]) -> [String] in params }
            session.setHandler("stream") { call in
                let counts: [Int] = try call.decodeParams()
                for _ in 0..<(counts.first ?? 0) { try await call.session.notify("tick", params: [Payload.small]) }
                return .null
            }
        }
        try await keepServing(listener.port, listener)
    }
}

/// The client made with this package, with typed params and results.
enum OurProbe {
    static func run(_ mode: String, _ load: Load, _ options: Options) async throws -> String {
        let client = try await JSONRPCClient.connect(to: "ws://127.0.0.1:\(options.number("port") ?? 0)/")
        let line = try await load.measure { load in
            switch mode {
            case "calls", "large": try await calls(client, load, [Payload.of(mode)])
            case "results": try await results(client, load)
            case "stream": try await stream(client, load)
            default: throw ProbeFailure("\(mode) is no mode: see main.swift.")
            }
        }
        await client.close()
        return line
    }

    private static func calls(_ client: JSONRPCClient, _ load: Load, _ params: [String]) async throws -> [Duration] {
        try await load.calls {
            let result: [String] = try await client.call("echo", params: params)
            guard result == params else { throw ProbeFailure("A call was answered wrongly.") }
        }
    }

    private static func results(_ client: JSONRPCClient, _ load: Load) async throws -> [Duration] {
        let clock = ContinuousClock()
        let params = [Payload.small]
        let sent = SendTimes(count: load.count)
        let requests = (0..<load.count).lazy.map { _ in
            sent.note(clock.now)
            return MethodCall("echo", params: params, as: [String].self)
        }
        var latencies: [Duration] = []
        latencies.reserveCapacity(load.count)
        for try await (index, result) in client.results(of: requests, inFlight: load.width) {
            guard try result.get() == params else { throw ProbeFailure("Call \(index) was answered wrongly.") }
            latencies.append(clock.now - sent.times[index])
        }
        return latencies
    }

    private static func stream(_ client: JSONRPCClient, _ load: Load) async throws -> [Duration] {
        // Nothing is lost: where the consumer is slower, the connection is not read.
        let ticks = client.notifications(
            "tick", as: [String].self, overflow: .suspend(capacity: 4096, limit: .seconds(60)))
        async let sent = client.callRaw("stream", params: RawJSON(encoding: [load.count]), timeout: nil)
        let expected = [Payload.small]
        var received = 0
        for try await tick in ticks {
            guard tick.value == expected else { throw ProbeFailure("\(tick) came in place of a message.") }
            received += 1
            if received == load.count { break }
        }
        _ = try await sent
        guard received == load.count else { throw ProbeFailure("\(received) of \(load.count) messages came.") }
        return []
    }
}

/// The times at which one consumer took its requests.
private final class SendTimes {
    private(set) var times: [ContinuousClock.Instant] = []

    init(count: Int) { times.reserveCapacity(count) }

    func note(_ time: ContinuousClock.Instant) { times.append(time) }
}
