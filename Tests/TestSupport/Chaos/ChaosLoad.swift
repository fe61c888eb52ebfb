// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCSession
import JSONRPCCore
import Synchronization
import WireJSON

/// The two sides of a chaos test: callers that make the calls of a plan, and a server that executes them.
package struct ChaosLoad: Sendable {
    package let plan: ChaosPlan
    package let clock: any Clock<Duration>
    package let ledger = ChaosLedger()

    /// - Parameter clock: The clock of pauses, cancellations and delays.
    package init(_ plan: ChaosPlan, clock: any Clock<Duration>) {
        self.plan = plan
        self.clock = clock
    }

    // MARK: Server

    /// Sets the handlers of a new connection: `run` in a task of its own, `runAtOnce` synchronously.
    package func serve(_ session: DuplexSession) {
        let connection = ledger.connects()
        session.handle("run") { [ledger, clock] (params: [Int]) in
            ledger.executes(params[0], connection: connection)
            switch ChaosPlan.Behaviour(rawValue: params[1]) {
            case .answers: break
            case .answersLater: try await clock.sleep(for: .microseconds(params[2]))
            case .refuses: throw ErrorObject(code: 7, message: "refused")
            case .neverAnswers, nil: await untilCancelled()
            }
            return params[0]
        }
        session.handleSynchronously("runAtOnce") { [ledger] (params: [Int]) in
            ledger.executes(params[0], connection: connection)
            return params[0]
        }
    }

    // MARK: Callers

    /// Makes all calls of the plan, and returns when each has an outcome.
    package func run(over client: JSONRPCClient) async {
        await withDiscardingTaskGroup { group in
            for caller in 0..<plan.callers {
                group.addTask {
                    for index in 0..<plan.calls { await make(plan.call(index, of: caller), over: client) }
                }
            }
        }
    }

    private func make(_ call: ChaosPlan.Call, over client: JSONRPCClient) async {
        try? await clock.sleep(for: call.pause)
        ledger.begins(call)
        guard let cancellation = call.cancellation else { return await send(call, over: client) }
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await send(call, over: client)
                return true
            }
            group.addTask {
                try? await clock.sleep(for: cancellation)
                return false
            }
            _ = await group.next()
            group.cancelAll()
        }
    }

    private func send(_ call: ChaosPlan.Call, over client: JSONRPCClient) async {
        let timeout: CallTimeout = call.timeout.map { .after($0) } ?? .none
        if case .batch = call.form { return await sendBatch(call, timeout, over: client) }
        var options = CallOptions()
        if case .idempotent = call.form { options.isIdempotent = true }
        let isQuick = call.behaviour == .answers && call.key.isMultiple(of: 20)
        do {
            let value: Int = try await client.call(
                isQuick ? "runAtOnce" : "run", params: params(call, call.key), timeout: timeout, options: options)
            ledger.ends(call.key, .value(value))
        } catch {
            ledger.ends(call.key, ChaosLedger.Outcome(error))
        }
    }

    private func sendBatch(_ call: ChaosPlan.Call, _ timeout: CallTimeout, over client: JSONRPCClient) async {
        do {
            let entries = try call.keys.map { try BatchEntry.call("run", params: params(call, $0)) }
            let outcomes = try await client.batch(entries, timeout: timeout)
            for (key, outcome) in zip(call.keys, outcomes) {
                guard let outcome else { continue }
                do {
                    ledger.ends(key, .value(try outcome.get().decode(as: Int.self)))
                } catch {
                    ledger.ends(key, ChaosLedger.Outcome(error))
                }
            }
        } catch {
            for key in call.keys { ledger.ends(key, ChaosLedger.Outcome(error)) }
        }
    }

    private func params(_ call: ChaosPlan.Call, _ key: Int) -> [Int] {
        [key, call.behaviour.rawValue, Int(call.delay / .microseconds(1))]
    }
}

/// Waits until the task is cancelled.
package func untilCancelled() async {
    let (stream, end) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    withExtendedLifetime(end) {}
}
