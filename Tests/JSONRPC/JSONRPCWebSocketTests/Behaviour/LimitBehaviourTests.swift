// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// Limits, interceptors, and many concurrent operations, over every transport.
@Suite(.inTurn(within: .seconds(60))) struct LimitBehaviourTests {
    // MARK: Calls in flight

    @Test(arguments: Engine.allCases)
    func callsBeyondTheLimitWait(engine: Engine) async throws {
        var configuration = SessionConfiguration()
        configuration.calls.maximumInFlight = 2
        try await Pair.with(engine, configuration: configuration) { pair in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<6 {
                    group.addTask { try await pair.client.call("m", params: [number], as: Int.self) }
                }
                var open = [try await pair.peer.expectRequest("m"), try await pair.peer.expectRequest("m")]
                for _ in 0..<4 {
                    // A third request would arrive in place of the expected response.
                    try pair.peer.request("probe", id: "p")
                    try await pair.peer.expectResponse(to: "p")
                    let first = open.removeFirst()
                    try pair.peer.reply(to: first, result: first.params?[0] ?? .null)
                    open.append(try await pair.peer.expectRequest("m"))
                }
                for request in open { try pair.peer.reply(to: request, result: request.params?[0] ?? .null) }
                var results: [Int] = []
                for try await result in group { results.append(result) }
                #expect(results.sorted() == Array(0..<6))
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func waitingCallEndsUnsent(engine: Engine) async throws {
        let clock = ManualClock()
        var configuration = SessionConfiguration()
        configuration.calls.maximumInFlight = 1
        configuration.clock = clock
        try await Pair.with(engine, configuration: configuration) { pair in
            async let first: Int = pair.client.call("first", timeout: nil)
            let request = try await pair.peer.expectRequest("first")
            async let late = clientError { try await pair.client.call("late", as: Int.self, timeout: .seconds(5)) }
            await clock.waitForSleepers(1)
            let cancelled = Task { try await pair.client.call("cancelled", as: Int.self, timeout: nil) }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            clock.advance(by: .seconds(5))
            let error = try await late
            #expect(error?.code == .timedOut && error?.delivery == .notSent)
            try pair.peer.reply(to: request, result: 1)
            #expect(try await first == 1)
            try await pair.client.notify("after")
            try await pair.peer.expectNotification("after")
            #expect(pair.peer.received.count == 2)
        }
    }

    // MARK: Interceptors

    private struct Tracing: CallInterceptor {
        let name: String
        let log: EventLog<String>

        func intercept(
            call: OutboundCall, next: NextInterceptor<RawJSON>
        ) async throws -> RawJSON {
            log.record("\(name) begins \(call.method)")
            defer { log.record("\(name) ends") }
            if call.method == "cached", name == "inner" { return try RawJSON(encoding: 9) }
            var call = call
            call.method += name == "inner" ? "!" : ""
            return try await next(call)
        }
    }

    @Test(arguments: Engine.allCases)
    func interceptorsStandAroundCallsTheFirstOutermost(engine: Engine) async throws {
        let log = EventLog<String>()
        var configuration = SessionConfiguration()
        configuration.calls.interceptors = [Tracing(name: "outer", log: log), Tracing(name: "inner", log: log)]
        try await Pair.with(engine, configuration: configuration) { pair in
            #expect(try await pair.client.call("cached", as: Int.self) == 9)
            async let result: Int = pair.client.call("m")
            let request = try await pair.peer.expectRequest("m!")
            try pair.peer.reply(to: request, result: 1)
            #expect(try await result == 1)
        }
        #expect(
            log.elements == [
                "outer begins cached", "inner begins cached", "inner ends", "outer ends",
                "outer begins m", "inner begins m", "inner ends", "outer ends",
            ])
    }

    // MARK: Slow consumers

    @Test(arguments: Engine.allCases)
    func suspendedStreamLosesNothing(engine: Engine) async throws {
        let count = 20_000
        try await Pair.with(engine) { pair in
            let stream = pair.client.notifications(
                "tick", as: [Int].self, overflow: .suspend(capacity: 16, limit: .seconds(50)))
            for number in 0..<count {
                try pair.peer.send(#"{"jsonrpc":"2.0","method":"tick","params":[\#(number)]}"#)
            }
            var iterator = stream.makeAsyncIterator()
            for number in 0..<count {
                let element = try await iterator.next()
                guard element == .value([number]) else {
                    Issue.record("\(String(describing: element)) in place of \(number)")
                    return
                }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func slowStreamThatDropsSaysHowMany(engine: Engine) async throws {
        let count = 1000
        try await Pair.with(engine) { pair in
            let stream = pair.client.notifications("tick", as: [Int].self, overflow: .dropOldest(capacity: 10))
            let log = EventLog<Int>()
            pair.client.handleNotification("tick") { (numbers: [Int]) in log.record(numbers.first ?? -1) }
            for number in 0..<count { try pair.peer.notify("tick", params: [.number(JSONNumber(Int64(number)))]) }
            // The handler's last call shows that all were delivered.
            await log.wait(count: count)
            var iterator = stream.makeAsyncIterator()
            #expect(try await iterator.next() == .gap(NotificationGap(reason: .overflow, count: count - 10)))
            for number in (count - 10)..<count { #expect(try await iterator.next() == .value([number])) }
        }
    }

    // MARK: Everything at once

    /// Calls of many tasks, answered in random order, cancelled, or left unanswered. Each ends once, and each result is
    /// that of its own call.
    @Test(arguments: Engine.allCases, 0..<3 as Range<UInt64>)
    func everyCallEndsOnce(engine: Engine, seed: UInt64) async throws {
        let count = 400
        var random = SeededGenerator(seed: seed)
        let cancelled = (0..<count).map { _ in random.oneIn(4) }
        try await Pair.with(engine, matching: .anyOrder) { pair in
            let settled = EventLog<Int>()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    let isCancelled = cancelled[number]
                    group.addTask {
                        let call = Task { try await pair.client.call("echo", params: [number], as: Int.self) }
                        if isCancelled { call.cancel() }
                        switch await call.result {
                        case .success(let result): #expect(result == number)
                        case .failure(let error as ClientError): #expect(error.code == .closed)
                        case .failure(let error): #expect(isCancelled && error is CancellationError)
                        }
                        settled.record(number)
                    }
                }
                group.addTask {
                    var open: [ReceivedCall] = []
                    // Calls that were cancelled in time do not arrive, but three quarters do.
                    while open.count < count / 2, let request = try? await pair.peer.expectRequest("echo") {
                        open.append(request)
                    }
                    var order = SeededGenerator(seed: seed)
                    open.shuffle(using: &order)
                    for request in open.dropLast(10) {
                        try? pair.peer.reply(to: request, result: request.params?[0] ?? .null)
                    }
                    await settled.wait(count: count / 4)
                    await pair.client.close()
                }
            }
            #expect(settled.elements.sorted() == Array(0..<count))
            #expect(pair.session.callCounts.issued == pair.session.callCounts.settled)
        }
    }
}
