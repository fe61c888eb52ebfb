// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization

/// The server of `jsonrpc serve` and `jsonrpc demo`.
enum EmbeddedServer {
    static func serve(_ session: some JSONRPCEndpoint) {
        session.setHandler("echo", SynchronousHandler { ServerMethods.echo($0.params) })
        session.setHandler("add", SynchronousHandler { try ServerMethods.add($0.params) })
        session.setHandler("subtract", SynchronousHandler { try ServerMethods.subtract($0.params) })
        session.setHandler("sleep") { try await ServerMethods.sleep($0.params) }
        session.setHandler("fail", SynchronousHandler { try ServerMethods.fail($0.params) })
        session.setHandler("callback", callback)
        session.setHandler("rpc.discover", SynchronousHandler { _ in try RawJSON(validating: description) })

        let ticks = TickSubscriptions()
        session.setHandler("tick.subscribe", SynchronousHandler { try ticks.subscribe($0) })
        session.setHandler("tick.unsubscribe", SynchronousHandler { try ticks.unsubscribe($0.params) })
    }

    private static func callback(_ call: InboundCall) async throws -> RawJSON {
        let params = try ServerParams(call.params)
        guard let method = params.value(0, "method"), method.bytes.first == UInt8(ascii: "\"") else {
            throw ServerParams.invalid("'method' must be a string")
        }
        guard let name = try? method.decode(as: String.self) else {
            throw ServerParams.invalid("'method' must be valid Unicode")
        }
        let given = params.value(1, "params")
        guard given.map({ [UInt8(ascii: "["), UInt8(ascii: "{")].contains($0.bytes.first) }) ?? true else {
            throw ServerParams.invalid("'params' must be an array or an object")
        }
        return try await call.session.callRaw(name, params: given)
    }
}

/// The tick subscriptions of one connection.
///
/// A subscription sends the notification `tick` with its id and a running number every `interval` seconds, `count`
/// times or until it is cancelled.
private final class TickSubscriptions: Sendable {
    private struct State {
        var lastID: Int64 = 0
        var running: [Int64: Task<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    func subscribe(_ call: InboundCall) throws -> RawJSON {
        let params = try ServerParams(call.params)
        let interval = try params.value(0, "interval").map { try ServerNumber($0, "interval").real } ?? 1
        let count = try params.value(1, "count").map { try ServerNumber($0, "count").real } ?? .infinity
        guard (0...3600).contains(interval) else {
            throw ServerParams.invalid("'interval' must be from 0 to 3600 seconds")
        }
        let session = call.session
        let id = state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            state.running[id] = Task { [weak self] in
                await Self.tick(id, on: session, every: .seconds(interval), count: count)
                self?.ended(id)
            }
            return id
        }
        return try RawJSON(validating: String(id))
    }

    /// Ends a subscription. Returns `true` if it existed, else `false`.
    func unsubscribe(_ params: RawJSON?) throws -> RawJSON {
        guard let id = try ServerParams(params).number(0, "subscription").integer else {
            throw ServerParams.invalid("'subscription' must be an integer")
        }
        let task = ended(id)
        task?.cancel()
        return try RawJSON(validating: task == nil ? "false" : "true")
    }

    @discardableResult
    private func ended(_ id: Int64) -> Task<Void, Never>? {
        state.withLock { $0.running.removeValue(forKey: id) }
    }

    private static func tick(_ id: Int64, on session: DuplexSession, every interval: Duration, count: Double) async {
        var number = 0
        while Double(number) < count {
            do {
                try await ServerMethods.pause(for: interval)
                number += 1
                let params = try RawJSON(validating: "{\"subscription\":\(id),\"tick\":\(number)}")
                try await session.notifyRaw("tick", params: params, options: CallOptions())
            } catch {
                // The client has unsubscribed or disconnected, so there is no receiver for an error.
                return
            }
        }
    }

    deinit {
        for task in state.withLock({ $0.running }).values { task.cancel() }
    }
}
