// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// The behaviour of a client's own calls, over every transport.
@Suite(.inTurn(within: .seconds(60))) struct CallBehaviourTests {
    @Test(arguments: Engine.allCases)
    func resultIsDecoded(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            async let difference: Int = pair.client.call("subtract", params: [42, 23])
            try await pair.peer.play(
                """
                --> {"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}
                <-- {"jsonrpc":"2.0","id":1,"result":19}
                """)
            #expect(try await difference == 19)
        }
    }

    @Test(arguments: Engine.allCases)
    func paramsAreAbsentOrByNameOrByPosition(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            let params: ByName = ["a": 1, "b": "x"]
            async let all = (
                pair.client.call("none", as: JSONValue.self),
                pair.client.call("named", params: params, as: JSONValue.self),
                pair.client.call("placed", params: ByPosition(1, "x", nil as Int?), as: JSONValue.self)
            )
            try await pair.peer.play(
                """
                --> {"jsonrpc":"2.0","id":1,"method":"none"}
                <-- {"jsonrpc":"2.0","id":1,"result":null}
                --> {"jsonrpc":"2.0","id":2,"method":"named","params":{"a":1,"b":"x"}}
                <-- {"jsonrpc":"2.0","id":2,"result":[true]}
                --> {"jsonrpc":"2.0","id":3,"method":"placed","params":[1,"x",null]}
                <-- {"jsonrpc":"2.0","id":3,"result":{"k":1.5}}
                """)
            let results = try await all
            #expect(results.0 == .null && results.1 == [true] && results.2 == ["k": 1.5])
        }
    }

    @Test(arguments: Engine.allCases)
    func errorObjectIsThrownAsItCame(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            async let error = thrown(ErrorObject.self) { try await pair.client.call("m", as: Int.self) }
            try await pair.peer.play(
                """
                --> {"jsonrpc":"2.0","id":"$id","method":"m"}
                <-- {"jsonrpc":"2.0","id":"$id","error":{"code":-32050,"message":"é","data":[1, {}]}}
                """)
            let data = RawJSON(unchecked: Array("[1, {}]".utf8))
            #expect(try await error == ErrorObject(code: -32050, message: "é", data: data))
        }
    }

    @Test(arguments: Engine.allCases)
    func resultOfAnotherTypeFailsItsCallOnly(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            async let first = clientError { try await pair.client.call("a", as: Int.self) }
            let a = try await pair.peer.expectRequest("a")
            async let second: Int = pair.client.call("b")
            let b = try await pair.peer.expectRequest("b")
            try pair.peer.reply(to: a, result: "text")
            try pair.peer.reply(to: b, result: 2)
            let error = try await first
            #expect(error?.code == .decodingFailed && error?.delivery == .answered && error?.method == "a")
            #expect(try await second == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func answersInAnyOrderFindTheirCalls(engine: Engine) async throws {
        let count = 200
        try await Pair.with(engine) { pair in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<count {
                    group.addTask {
                        try await pair.client.call("double", params: [number], as: Int.self) == 2 * number
                    }
                }
                var requests: [ReceivedCall] = []
                for _ in 0..<count { requests.append(try await pair.peer.expectRequest("double")) }
                #expect(requests.map(\.id) == (1...count).map { .number(JSONNumber(Int64($0))) })
                for request in requests.shuffled() {
                    let number = try #require(request.params?[0]?.intValue)
                    try pair.peer.reply(to: request, result: .number(JSONNumber(Int64(2 * number))))
                }
                for try await isRight in group { #expect(isRight) }
            }
            #expect(pair.session.callCounts.issued == UInt64(count))
        }
    }

    @Test(arguments: Engine.allCases, [IDSourceCase.strings, .uuids, .custom])
    func idsAreThoseOfTheGenerator(engine: Engine, ids: IDSourceCase) async throws {
        var configuration = SessionConfiguration()
        configuration.calls.idGenerator = ids.generator
        try await Pair.with(engine, configuration: configuration) { pair in
            async let result: Int = pair.client.call("m")
            let request = try await pair.peer.expectRequest("m")
            switch ids {
            case .strings: #expect(request.id == "s-1")
            case .uuids: #expect(request.id?.stringValue?.count == 36)
            case .custom: #expect(request.id == "a\"\u{1}b")
            }
            try pair.peer.reply(to: request, result: 1)
            #expect(try await result == 1)
        }
    }

    enum IDSourceCase: Sendable {
        case strings, uuids, custom

        var generator: any IDGenerator {
            switch self {
            case .strings: .strings(prefix: "s-")
            case .uuids: .uuids
            case .custom: CustomIDGenerator { .string("a\"\u{1}b") }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func versionCanBeLeftOutAndMembersAdded(engine: Engine) async throws {
        var configuration = SessionConfiguration()
        configuration.version = .omitted
        try configuration.calls.extraMembers.set("sessionId", to: RawJSON(encoding: "s"))
        try await Pair.with(engine, configuration: configuration) { pair in
            let events = pair.client.events
            var options = CallOptions()
            try options.extraMembers.set("auth", to: RawJSON(encoding: "t"))
            async let result: Int = pair.client.call("m", options: options)
            try await pair.peer.play(
                """
                --> {"id":1,"method":"m","sessionId":"s","auth":"t"}
                <-- {"id":1,"result":1,"sessionId":"s"}
                <-- {"method":"end"}
                """)
            #expect(try await result == 1)
            #expect(await events.irregularitiesByMessage().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func largeMessagesPassBothWays(engine: Engine) async throws {
        let text = String(repeating: "0123456789abcdef", count: 1 << 16)
        try await Pair.with(engine) { pair in
            async let result: String = pair.client.call("echo", params: [text])
            let request = try await pair.peer.expectRequest("echo")
            #expect(request.params?[0]?.stringValue == text)
            try pair.peer.reply(to: request, result: .string(text))
            #expect(try await result == text)
        }
    }

    // MARK: Notifications

    @Test(arguments: Engine.allCases)
    func notificationsGoOutInOrderAndWithoutID(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            try await pair.client.notify("initialized")
            try await pair.client.notify("log", params: ["x"])
            try await pair.peer.play(
                """
                --> {"jsonrpc":"2.0","method":"initialized"}
                --> {"jsonrpc":"2.0","method":"log","params":["x"]}
                """)
        }
    }

    @Test(arguments: Engine.allCases)
    func notificationsReachStreamsAndHandlersInOrder(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            let stream = pair.client.notifications("tick", as: [Int].self)
            let all = pair.client.notifications()
            let log = EventLog<Int>()
            pair.client.handleNotification("tick") { (numbers: [Int]) in log.record(numbers.first ?? -1) }
            let events = pair.client.events
            for number in 0..<100 { try pair.peer.notify("tick", params: [.number(JSONNumber(Int64(number)))]) }
            try pair.peer.notify("other")
            var ticks = stream.makeAsyncIterator()
            var everything = all.makeAsyncIterator()
            for number in 0..<100 {
                #expect(try await ticks.next() == .value([number]))
                #expect(try await everything.next()?.value?.method == "tick")
            }
            #expect(try await everything.next() == .value(InboundNotification(method: "other", params: nil)))
            #expect(await log.wait(count: 100) == Array(0..<100))
            try pair.peer.notify("end")
            withExtendedLifetime(events) {}
        }
    }

    @Test(arguments: Engine.allCases)
    func streamFinishesWithALocalCloseAndThrowsOnLoss(engine: Engine) async throws {
        for isLocal in [true, false] {
            try await Pair.with(engine) { pair in
                let stream = pair.client.notifications("tick", as: [Int].self)
                try pair.peer.notify("tick", params: [1])
                var iterator = stream.makeAsyncIterator()
                #expect(try await iterator.next() == .value([1]))
                if isLocal {
                    await pair.client.close()
                    #expect(try await iterator.next() == nil)
                } else {
                    pair.peer.close(code: 1001, reason: "going away")
                    do {
                        let element = try await iterator.next()
                        Issue.record("\(String(describing: element)) in place of an error")
                    } catch let error as ClientError {
                        #expect(error.code == .connectionLost && error.closeCode == 1001)
                    }
                }
            }
        }
    }

    // MARK: Batches

    @Test(arguments: Engine.allCases, [true, false])
    func batchIsOneArrayAndItsAnswersComeInAnyForm(engine: Engine, asOneArray: Bool) async throws {
        try await Pair.with(engine) { pair in
            async let outcomes = pair.client.batch([
                .call("a"), .notification("n"), try .call("b", params: [1]), .call("c"),
            ])
            let members = try await pair.peer.expectBatch(count: 4)
            #expect(members.map { $0["method"]?.stringValue } == ["a", "n", "b", "c"])
            #expect(members.map { $0["id"] } == [1, nil, 2, 3])
            let answers = [
                #"{"jsonrpc":"2.0","id":3,"result":"c"}"#,
                #"{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"no"}}"#,
                #"{"jsonrpc":"2.0","id":1,"result":"a"}"#,
            ]
            if asOneArray {
                try pair.peer.send("[" + answers.joined(separator: ",") + "]")
            } else {
                for answer in answers { try pair.peer.send(answer) }
            }
            let settled = try await outcomes
            #expect(settled.count == 4)
            #expect(try settled[0]?.get().text == #""a""#)
            #expect(settled[1] == nil)
            #expect(throws: CallError.answered(ErrorObject(code: 5, message: "no"))) { try settled[2]?.get() }
            #expect(try settled[3]?.get().text == #""c""#)
        }
    }

    @Test(arguments: Engine.allCases)
    func oneErrorForABatchAnswersAllOfIt(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            async let outcomes = pair.client.batch([.call("a"), .call("b")])
            try await pair.peer.expectBatch(count: 2)
            try pair.peer.send(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}"#)
            for outcome in try await outcomes {
                #expect(throws: CallError.answered(ErrorObject(code: -32600, message: "no batches"))) {
                    try outcome?.get()
                }
            }
        }
    }

    @Test(arguments: Engine.allCases, 0..<3)
    func memberThatTheAnswerLeavesOutFailsAlone(engine: Engine, missing: Int) async throws {
        let clock = ManualClock()
        var configuration = SessionConfiguration()
        configuration.clock = clock
        try await Pair.with(engine, configuration: configuration) { pair in
            async let outcomes = pair.client.batch([.call("a"), .call("b"), .call("c")], timeout: .seconds(5))
            try await pair.peer.expectBatch(count: 3)
            async let other: Int = pair.client.call("other", timeout: nil)
            let request = try await pair.peer.expectRequest("other")
            let answers = (0..<3).filter { $0 != missing }.map { #"{"jsonrpc":"2.0","id":\#($0 + 1),"result":\#($0)}"# }
            try pair.peer.send("[" + answers.joined(separator: ",") + "]")
            // This answer follows the array, so the array has been read.
            try pair.peer.reply(to: request, result: 7)
            #expect(try await other == 7)
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(5))
            let settled = try await outcomes
            for (index, outcome) in settled.enumerated() where index != missing {
                #expect(try outcome?.get().text == "\(index)")
            }
            var error: ClientError?
            if case .failure(let failure)? = settled[missing] { error = failure.clientError }
            #expect(error?.code == .timedOut && error?.delivery == .outcomeUnknown)
        }
    }
}
