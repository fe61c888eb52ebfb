// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct CallTests {
    @Test func aCallIsOnePost() async throws {
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient.over(server)
        #expect(try await rpc.call(Subtract(42, 23)) == 19)
        let arrival = try #require(server.arrivals.elements.first)
        #expect(arrival.text == #"{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}"#)
        #expect(arrival.request.method == .post)
        #expect(arrival.request.scheme == "http")
        #expect(arrival.request.authority == "example.test:8080")
        #expect(arrival.request.path == "/rpc")
        #expect(arrival.request.headerFields[.contentType] == "application/json")
        #expect(arrival.request.headerFields[.accept] == "application/json, application/json-rpc")
        #expect(arrival.context.timeouts.connect == .seconds(10))
        #expect(arrival.context.timeouts.firstByte == nil)
        #expect(server.arrivals.elements.count == 1)
    }

    @Test func headerFieldsComeFromTheOptionsTheViewAndTheClosure() async throws {
        let server = FakeServer.arithmetic()
        let tokens = EventLog<String>()
        let rpc = JSONRPCHTTPClient.over(server) {
            $0.contentType = "application/json-rpc"
            $0.headerFields = [.userAgent: "a", .authorization: "constant", .accept: "application/json"]
            $0.prepare = { request in
                tokens.record("asked")
                request.headerFields[.cookie] = "token \(tokens.elements.count)"
            }
        }
        _ = try await rpc.call(Subtract(1))
        _ = try await rpc.adding(headerFields: [.authorization: "mine"]).call(Subtract(2))
        let fields = server.arrivals.elements.map(\.request.headerFields)
        #expect(fields.map { $0[.contentType] } == ["application/json-rpc", "application/json-rpc"])
        #expect(fields.map { $0[.accept] } == ["application/json", "application/json"])
        #expect(fields.map { $0[.userAgent] } == ["a", "a"])
        #expect(fields.map { $0[.authorization] } == ["constant", "mine"])
        #expect(fields.map { $0[.cookie] } == ["token 1", "token 2"])
        #expect(server.arrivals.elements.map(\.ids) == [[1], [2]])
    }

    @Test func aPreparationThatThrowsSendsNothing() async throws {
        struct NoToken: Error {}
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient.over(server) { $0.prepare = { _ in throw NoToken() } }
        let failure = try #require(await error { try await rpc.call(Subtract(1)) } as? ClientError)
        #expect(failure.code == .transportFailed)
        #expect(failure.delivery == .notSent)
        #expect(failure.cause is NoToken)
        #expect(server.arrivals.elements.isEmpty)
    }

    @Test(arguments: [HTTPResponse.Status.ok, .accepted, .noContent])
    func anEmptyAnswerToANotificationIsSuccess(status: HTTPResponse.Status) async throws {
        let server = FakeServer { _ in .text("", status, fields: [:]) }
        let rpc = JSONRPCHTTPClient.over(server)
        try await rpc.notify("log", params: ["x"])
        _ = try await rpc.batch([.notification("a"), .notification("b")])
        #expect(server.arrivals.elements.map(\.isArray) == [false, true])
        #expect(server.arrivals.elements.allSatisfy { $0.ids.isEmpty })
    }

    @Test(arguments: ["[]", "null", "OK", #"[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}]"#])
    func aBodyThatAnswersNotificationsIsIgnored(body: String) async throws {
        let rpc = JSONRPCHTTPClient.over(FakeServer { _ in .text(body) })
        try await rpc.notify("log")
        _ = try await rpc.batch([.notification("a"), .notification("b")])
    }

    @Test func oneErrorForNotificationsIsThrown() async throws {
        let server = FakeServer { _ in
            .text(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}"#, .badRequest)
        }
        let rpc = JSONRPCHTTPClient.over(server)
        let single = try #require(await error { try await rpc.notify("log") } as? ErrorObject)
        #expect(single.code == .invalidRequest)
        #expect(single.httpAnswer?.status == .badRequest)
        let several = await error { try await rpc.batch([.notification("a"), .notification("b")]) }
        #expect((several as? ErrorObject)?.code == .invalidRequest)
    }

    @Test func anEmptyBatchIsNotSent() async throws {
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient.over(server)
        #expect(try await rpc.batch([]).isEmpty)
        #expect(try await rpc.batch([Subtract]()).isEmpty)
        #expect(server.arrivals.elements.isEmpty)
    }

    @Test func paramsThatAreNoArrayOrObjectAreNotSent() async throws {
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient.over(server)
        let failures = [
            await error { try await rpc.callRaw("m", params: RawJSON(7)) },
            await error { try await rpc.notifyRaw("m", params: RawJSON(7), options: CallOptions()) },
            await error { try await rpc.batch([BatchEntry(method: "m", params: RawJSON(7))]) },
        ]
        for failure in failures { #expect((failure as? ClientError)?.code == .encodingFailed) }
        #expect(server.arrivals.elements.isEmpty)
    }

    @Test(arguments: ["", "ws://a/", "http:", "http://", "/rpc", "http://u@a/", "http://a b/", "http://a:99999/"])
    func aBadURLFailsEachCall(url: String) async throws {
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient(url: url, over: server)
        let failure = try #require(await error { try await rpc.call(Subtract(1)) } as? ClientError)
        #expect(failure.code == .connectFailed)
        #expect(failure.delivery == .notSent)
        #expect(!failure.isRetryable)
        #expect(failure.message.contains("`\(url)`"))
        #expect(server.arrivals.elements.isEmpty)
    }

    @Test func aTimeoutEndsTheCallAndThePost() async throws {
        let (clock, door) = (ManualClock(), Door())
        let server = FakeServer { _ in
            try await door.pass()
            return .text("")
        }
        let rpc = JSONRPCHTTPClient.over(server, configuration: .with { $0.clock = clock })
        async let failing = error { try await rpc.call(Subtract(1), timeout: .seconds(3)) }
        await server.arrivals.wait(count: 1)
        await clock.waitForSleeper(dueIn: .seconds(3))
        clock.advance(by: .seconds(3))
        let failure = try #require(await failing as? ClientError)
        #expect(failure.code == .timedOut)
        #expect(failure.delivery == .outcomeUnknown)
        #expect(failure.method == "subtract")
        #expect(failure.requestID == .number(1))
        #expect(await server.cancellations.wait(count: 1) == [0])
    }

    /// If a batch has several POSTs, the calls of the first keep their results.
    @Test func aTimeoutOfABatchIsTheLimitForAllItsPosts() async throws {
        let (clock, door) = (ManualClock(), Door())
        let server = FakeServer { arrival in
            if arrival.number == 1 { try await door.pass() }
            return .each(arrival) { #""result":\#(FakeServer.difference($0))"# }
        }
        let rpc = JSONRPCHTTPClient.over(
            server,
            configuration: .with {
                $0.clock = clock
                $0.calls.batchLimits.maximumMembers = 2
            })
        async let results = rpc.batch((0..<6).map { Subtract($0) }, timeout: .seconds(3))
        await server.arrivals.wait(count: 2)
        await clock.waitForSleeper(dueIn: .seconds(3))
        clock.advance(by: .seconds(3))
        let outcomes = try await results
        #expect(outcomes[..<2] == [.success(0), .success(1)])
        #expect(outcomes[2...].map { $0.callError?.clientError?.code } == Array(repeating: .timedOut, count: 4))
        #expect(
            outcomes[2...].map { $0.callError?.delivery } == [.outcomeUnknown, .outcomeUnknown, .notSent, .notSent])
        #expect(server.arrivals.elements.count == 2)
    }

    @Test func aCancelledBatchCancelsItsPost() async throws {
        let door = Door()
        let server = FakeServer { _ in
            try await door.pass()
            return .text("")
        }
        let rpc = JSONRPCHTTPClient.over(server)
        let task = Task { try await rpc.batch([.call("a"), .call("b")]) }
        await server.arrivals.wait(count: 1)
        task.cancel()
        #expect(await error { try await task.value } is CancellationError)
        #expect(await server.cancellations.wait(count: 1) == [0])
    }

    @Test func manyMembersAreSentInOnePost() async throws {
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient.over(server, configuration: .with { $0.calls.batchLimits = .none })
        let outcomes = try await rpc.batch((0..<10_000).map { Subtract($0) })
        #expect(outcomes == (0..<10_000).map { .success($0) })
        #expect(server.arrivals.elements.map(\.members.count) == [10_000])
    }

    @Test func aCancelledCallEndsAndThePostWithIt() async throws {
        let door = Door()
        let server = FakeServer { _ in
            try await door.pass()
            return .text("")
        }
        let rpc = JSONRPCHTTPClient.over(server)
        let task = Task { try await rpc.call(Subtract(1)) }
        await server.arrivals.wait(count: 1)
        task.cancel()
        #expect(await error { try await task.value } is CancellationError)
        #expect(await server.cancellations.wait(count: 1) == [0])
    }

    @Test func interceptorsSeeCallsNotificationsAndMembers() async throws {
        struct Naming: CallInterceptor {
            let seen: EventLog<String>

            func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
                seen.record(call.method)
                var call = call
                try call.options.extraMembers.set("auth", to: RawJSON(validating: "7"))
                return try await next(call)
            }
        }
        let seen = EventLog<String>()
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient.over(server, configuration: .with { $0.calls.interceptors = [Naming(seen: seen)] })
        #expect(try await rpc.call(Subtract(1)) == 1)
        let (two, _) = try await rpc.batch(Subtract(2), Log("x"))
        #expect(two == 2)
        #expect(seen.elements == ["subtract", "subtract"])
        #expect(server.arrivals.elements.map(\.isArray) == [false, true])
        #expect(server.arrivals.elements.flatMap(\.calls).map { $0["auth"] } == [7, 7])
    }

    @Test func batchesGiveTuplesAndArrays() async throws {
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient.over(server)
        let (first, _, second) = try await rpc.batch(Subtract(42, 23), Log("x"), Subtract(23, 42))
        #expect((first, second) == (19, -19))
        #expect(try await rpc.batch([Subtract(1), Subtract(2)]) == [.success(1), .success(2)])
        let mixed = try await rpc.batch(mixed: [Subtract(3), Log("y")])
        #expect(try mixed[0].get() as? Int == 3)
        #expect(server.arrivals.elements.count == 3)
    }

    @Test func limitsDivideABatchAndALongMemberGoesAlone() async throws {
        let server = FakeServer { .each($0) { #""result":\#($0["params"]?[0] ?? .null)"# } }
        let rpc = JSONRPCHTTPClient.over(
            server,
            configuration: .with {
                $0.calls.batchLimits = SessionConfiguration.BatchLimits(maximumMembers: 3, maximumBytes: 200)
            })
        let long = String(repeating: "x", count: 500)
        let texts = ["a", "b", long, "c", "d", "e", "f"]
        let outcomes = try await rpc.batch(texts.map { MethodCall("echo", params: [$0], as: String.self) })
        #expect(try outcomes.map { try $0.get() } == texts)
        #expect(server.arrivals.elements.map(\.members.count) == [2, 1, 3, 1])
        #expect(server.arrivals.elements.map(\.isArray) == [true, false, true, false])
    }

    @Test func aBatchOfOneIsAnArrayIfTheOptionSaysSo() async throws {
        let server = FakeServer.arithmetic()
        let rpc = JSONRPCHTTPClient.over(server) { $0.sendsSingleAsObject = false }
        #expect(try await rpc.call(Subtract(1)) == 1)
        #expect(try await rpc.batch([Subtract(2)]) == [.success(2)])
        #expect(server.arrivals.elements.map(\.isArray) == [true, true])
    }
}
