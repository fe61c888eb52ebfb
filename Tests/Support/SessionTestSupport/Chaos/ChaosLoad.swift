// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
package import JSONRPCSession
import Synchronization
package import TestSupport
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

    /// Makes all single calls of the plan with one consumer for each caller, and returns when each has an outcome.
    /// Every other caller has a timeout for its calls; every third one leaves its loop early.
    package func runTogether(over client: JSONRPCClient) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<plan.callers { group.addTask { try await makeTogether(caller, over: client) } }
            try await group.waitForAll()
        }
    }

    private func makeTogether(_ caller: Int, over client: JSONRPCClient) async throws {
        let timeout: Duration? = caller.isMultiple(of: 2) ? .milliseconds(100) : nil
        let leavesAfter = caller.isMultiple(of: 3) ? plan.calls / 2 : nil
        let begun = EventLog<ChaosPlan.Call>()
        let requests = (0..<plan.calls).lazy.map { index in
            var call = plan.call(index, of: caller)
            if case .batch = call.form { call.form = .single }
            call.timeout = timeout
            call.cancellation = leavesAfter.map { _ in .zero }
            ledger.begins(call)
            begun.record(call)
            return ChaosRequest(call: call, params: params(call, call.key))
        }
        var ended: Set<Int> = []
        try? await clock.sleep(for: plan.call(0, of: caller).pause)
        let results = client.results(of: requests, inFlight: 8, timeout: timeout.map { .after($0) } ?? .none)
        for try await (index, result) in results {
            let key = begun.elements[index].key
            ended.insert(index)
            switch result {
            case .success(let value): ledger.ends(key, .value(value))
            case .failure(let error): ledger.ends(key, ChaosLedger.Outcome(error))
            }
            if ended.count == leavesAfter { break }
            // Without pauses, all calls would end during the first connection.
            try? await clock.sleep(for: begun.elements[index].pause / 4)
        }
        // The iterator has been released, so the rest has been cancelled.
        for (index, call) in begun.elements.enumerated() where !ended.contains(index) {
            ledger.ends(call.key, .cancelled)
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

/// A call of a chaos test as a request.
private struct ChaosRequest: JSONRPCRequest {
    typealias Response = Int
    var call: ChaosPlan.Call
    var params: [Int]
    var method: String { call.behaviour == .answers && call.key.isMultiple(of: 20) ? "runAtOnce" : "run" }
    var isIdempotent: Bool { if case .idempotent = call.form { true } else { false } }
}
