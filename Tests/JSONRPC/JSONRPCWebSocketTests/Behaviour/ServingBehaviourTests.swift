// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// Serving of the peer's calls, over every transport.
@Suite(.inTurn(within: .seconds(60))) struct ServingBehaviourTests {
    private struct Secret: Error {}

    @Test(arguments: Engine.allCases)
    func handlersAnswerTheirMethods(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            pair.client.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
            pair.client.handle("now") { "noon" }
            try await pair.peer.play(
                #"""
                <-- {"jsonrpc":"2.0","id":"x\u0041","method":"add","params":[1,2,3]}
                --> {"jsonrpc":"2.0","id":"xA","result":6}
                <-- {"jsonrpc":"2.0","id":1.50,"method":"now"}
                --> {"jsonrpc":"2.0","id":1.50,"result":"noon"}
                <-- {"jsonrpc":"2.0","id":null,"method":"now","params":null}
                --> {"jsonrpc":"2.0","id":null,"result":"noon"}
                """#)
            // The id is equal byte by byte, not only as a value.
            #expect(pair.peer.received[0].text.contains(#""id":"x\u0041""#))
            #expect(pair.peer.received[1].text.contains(#""id":1.50"#))
        }
    }

    @Test(arguments: Engine.allCases)
    func unknownMethodsAndBadParamsAndErrorsAreAnswered(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            let events = pair.client.events
            pair.client.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
            pair.client.handle("own") { () async throws -> Int in
                throw ErrorObject(code: 7, message: "own", data: try RawJSON(encoding: [1]))
            }
            pair.client.handle("secret") { () async throws -> Int in throw Secret() }
            try await pair.peer.play(
                """
                <-- {"jsonrpc":"2.0","id":1,"method":"nothing"}
                --> {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}
                <-- {"jsonrpc":"2.0","id":2,"method":"add","params":["x"]}
                --> {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid params"}}
                <-- {"jsonrpc":"2.0","id":3,"method":"own"}
                --> {"jsonrpc":"2.0","id":3,"error":{"code":7,"message":"own","data":[1]}}
                <-- {"jsonrpc":"2.0","id":4,"method":"secret"}
                --> {"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"Internal error"}}
                """)
            var failed: [String] = []
            for await event in events {
                guard case .handlerFailed(let method, let error) = event else { continue }
                #expect(method == "add" ? error is DecodingError : error is Secret)
                failed.append(method)
                if failed.count == 2 { break }
            }
            #expect(failed == ["add", "secret"])
        }
    }

    @Test(arguments: Engine.allCases)
    func errorTextIsRevealedWhenAllowed(engine: Engine) async throws {
        var configuration = SessionConfiguration()
        configuration.inbound.revealsHandlerErrors = true
        try await Pair.with(engine, configuration: configuration) { pair in
            pair.client.handle("secret") { () async throws -> Int in throw Secret() }
            try await pair.peer.play(
                """
                <-- {"jsonrpc":"2.0","id":4,"method":"secret"}
                --> {"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"Secret()"}}
                """)
        }
    }

    @Test(arguments: Engine.allCases)
    func handlerMayCallBackWhileItServes(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            pair.client.handle("outer") { (numbers: [Int], call: InboundCall) async throws -> Int in
                try await call.session.call("inner", params: numbers, as: Int.self) + 1
            }
            try await pair.peer.play(
                """
                <-- {"jsonrpc":"2.0","id":1,"method":"outer","params":[4]}
                --> {"jsonrpc":"2.0","id":1,"method":"inner","params":[4]}
                <-- {"jsonrpc":"2.0","id":1,"result":40}
                --> {"jsonrpc":"2.0","id":1,"result":41}
                """)
        }
    }

    @Test(arguments: Engine.allCases)
    func idsOfThePeerAndOursLiveApart(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            pair.client.handle("ask") { "answer" }
            async let result: String = pair.client.call("m")
            let request = try await pair.peer.expectRequest("m")
            try await pair.peer.play(
                """
                <-- {"jsonrpc":"2.0","id":1,"method":"ask"}
                --> {"jsonrpc":"2.0","id":1,"result":"answer"}
                """)
            try pair.peer.reply(to: request, result: "mine")
            #expect(try await result == "mine")
        }
    }

    @Test(arguments: Engine.allCases)
    func requestsAreServedSideBySide(engine: Engine) async throws {
        try await Pair.with(engine, matching: .anyOrder) { pair in
            let gate = EventLog<Int>()
            pair.client.handle("slow") { () async -> String in
                await gate.wait(count: 1)
                return "slow"
            }
            pair.client.handle("quick") { "quick" }
            try pair.peer.request("slow", id: 1)
            try pair.peer.request("quick", id: 2)
            #expect(try await pair.peer.expectResponse(to: 2).outcome == .success("quick"))
            gate.record(1)
            #expect(try await pair.peer.expectResponse(to: 1).outcome == .success("slow"))
        }
    }

    @Test(arguments: Engine.allCases)
    func arrayOfThePeersIsServedAndAnsweredAsOneArray(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            pair.client.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
            let ticks = pair.client.notifications("tick", as: [Int].self)
            try pair.peer.send(
                """
                [{"jsonrpc":"2.0","id":"a","method":"add","params":[1,2]},
                 {"jsonrpc":"2.0","method":"tick","params":[5]},
                 {"jsonrpc":"2.0","id":"b","method":"nothing"}]
                """)
            let answers = try await pair.peer.expectBatch(count: 2)
            #expect(answers.first { $0["id"] == "a" }?["result"] == 3)
            #expect(answers.first { $0["id"] == "b" }?["error"]?["code"] == -32601)
            var iterator = ticks.makeAsyncIterator()
            #expect(try await iterator.next() == .value([5]))
        }
    }

    @Test(arguments: Engine.allCases)
    func arrayOfNotificationsIsNotAnswered(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            let ticks = pair.client.notifications("tick", as: [Int].self)
            try pair.peer.send(
                #"[{"jsonrpc":"2.0","method":"tick","params":[1]},{"jsonrpc":"2.0","method":"tick","params":[2]}]"#)
            var iterator = ticks.makeAsyncIterator()
            #expect(try await iterator.next() == .value([1]))
            #expect(try await iterator.next() == .value([2]))
            try await pair.client.notify("after")
            try await pair.peer.expectNotification("after")
        }
    }

    @Test(arguments: Engine.allCases)
    func peerCanGiveUpItsCalls(engine: Engine) async throws {
        var configuration = SessionConfiguration()
        configuration.calls.cancellationNotice = .cancelRequest
        try await Pair.with(engine, configuration: configuration) { pair in
            let began = EventLog<Int>()
            pair.client.handle("wait") { () async throws -> Int in
                began.record(1)
                try await ManualClock().sleep(for: .seconds(1))
                return 1
            }
            try pair.peer.request("wait", id: 9)
            await began.wait(count: 1)
            try pair.peer.notify("$/cancelRequest", params: ["id": 9])
            let response = try await pair.peer.expectResponse(to: 9)
            guard case .failure = response.outcome else {
                Issue.record("a cancelled call was answered with a result")
                return
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func tooManyCallsAtOnceAreTurnedAway(engine: Engine) async throws {
        var configuration = SessionConfiguration()
        configuration.inbound.maximumCalls = 1
        try await Pair.with(engine, matching: .anyOrder, configuration: configuration) { pair in
            let gate = EventLog<Int>()
            pair.client.handle("slow") { () async -> Int in
                await gate.wait(count: 1)
                return 1
            }
            try pair.peer.request("slow", id: 1)
            try pair.peer.request("slow", id: 2)
            guard case .failure(let error) = try await pair.peer.expectResponse(to: 2).outcome else {
                Issue.record("the second call was served")
                return
            }
            #expect(error.code == SessionConfiguration.Inbound.serverBusy)
            gate.record(1)
            #expect(try await pair.peer.expectResponse(to: 1).outcome == .success(1))
        }
    }
}
