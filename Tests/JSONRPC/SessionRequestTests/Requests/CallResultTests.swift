// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

/// Every kind of call has a form that returns its outcome.
@Suite(.inTurn(within: .seconds(60)))
struct CallResultTests {
    @Test func callsByName() async throws {
        let wire = await Wire()
        async let sum = wire.session.result(of: "add", params: [1, 2], as: Int.self)
        try wire.peer.reply(to: try await wire.peer.expectRequest("add", params: [1, 2]), result: 3)
        #expect(await sum == .success(3))
        async let mixed = wire.session.result(of: "add", params: [1, "x"], as: Int.self)
        try wire.peer.reply(to: try await wire.peer.expectRequest("add", params: [1, "x"]), result: "no")
        let undecodable = await mixed.callError?.clientError
        #expect(undecodable?.code == .decodingFailed)
        #expect(undecodable?.message.hasPrefix("Could not decode the result of `add` as `Int`: ") == true)
        #expect(undecodable?.received == Array(#""no""#.utf8))
        async let unknown = wire.session.result(of: "none", as: Int.self)
        try wire.peer.reply(to: try await wire.peer.expectRequest("none"), error: ErrorObject(.methodNotFound))
        let answered = await unknown.callError
        #expect(answered == .answered(ErrorObject(.methodNotFound)))
        #expect(answered?.errorObject?.method == "none")
        await wire.session.close()
        let closed = await wire.session.result(of: "add", params: [1], as: Int.self)
        #expect(closed.callError?.clientError?.code == .closed)
        #expect(closed.callError?.clientError?.method == "add")
    }

    @Test func rawCalls() async throws {
        let wire = await Wire()
        async let raw = wire.session.callRaw("add", params: RawJSON([1]))
        try wire.peer.reply(to: try await wire.peer.expectRequest("add", params: [1]), result: 3)
        #expect(try await raw == RawJSON(3))
        let unstructured = await #expect(throws: ClientError.self) {
            try await wire.session.callRaw("add", params: RawJSON(7))
        }
        #expect(unstructured?.code == .encodingFailed)
        let task = Task { try await wire.session.callRaw("slow") }
        _ = try await wire.peer.expectRequest("slow")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await wire.session.close()
    }

    @Test func notifications() async throws {
        let wire = await Wire()
        let sent = await wire.session.result(of: Log("x"))
        #expect(sent.callError == nil)
        try await wire.peer.expectNotification("log", params: ["x"])
        await wire.session.close()
        let late = await wire.session.result(of: MethodNotification("log", params: ["x", 1]))
        #expect(late.callError?.clientError?.method == "log")
        #expect(late.callError?.delivery == .notSent)
    }

    @Test func membersOfABatchOfEntries() async throws {
        let wire = await Wire()
        async let batch = wire.session.batch([.call("a"), .notification("n"), .call("b")])
        try await wire.peer.expectBatch(count: 3)
        try wire.peer.send(
            #"[{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"m"}},{"jsonrpc":"2.0","id":1,"result":1}]"#)
        let outcomes = try await batch
        #expect(outcomes[0] == .success(RawJSON(1)))
        #expect(outcomes[1] == nil)
        guard case .failure(.answered(let error)) = outcomes[2] else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(error == ErrorObject(code: 5, message: "m"))
        #expect(error.method == "b")
        await wire.session.close()
    }

    @Test func thrownErrorsKnowTheirMethod() async throws {
        let wire = await Wire()
        for call in [
            { try await wire.session.callRaw("add") }, { try await wire.session.call("add", as: RawJSON.self) },
            { try await wire.session.call(MethodCall("add", as: RawJSON.self)) },
        ] as [@Sendable () async throws -> RawJSON] {
            let task = Task { try await call() }
            try wire.peer.reply(to: try await wire.peer.expectRequest("add"), error: ErrorObject(.invalidParams))
            let error = await #expect(throws: ErrorObject.self) { try await task.value }
            #expect(error?.method == "add")
            #expect(error.map { "\($0)" } == "error -32602 for `add`: Invalid params")
        }
        await wire.session.close()
    }

    @Test func aViolationKeepsTheResponseAndTheVersionFound() async throws {
        let wire = await Wire(.with { $0.strictness[.wrongVersion] = .failCall })
        let subtract = Subtract(minuend: 1, subtrahend: 1)
        async let batch = wire.session.results(subtract, subtract)
        try await wire.peer.expectBatch(count: 2)
        let wrong = #"{"jsonrpc":"1.0","id":1,"result":19}"#
        try wire.peer.send(#"[{"jsonrpc":"2.0","id":2,"result":2},\#(wrong)]"#)
        let (first, second) = try await batch
        #expect(second == .success(2))
        let failure = first.callError?.clientError
        #expect(failure?.irregularity == .wrongVersion)
        #expect(failure?.received == Array(wrong.utf8))
        #expect(failure?.receivedVersion?.text == #""1.0""#)
        await wire.session.close()
    }

    @Test("JP: two calls get one id: calls made at once over a session have ids of their own")
    func idsOfCallsMadeAtOnce() async throws {
        let server = DuplexSession()
        server.setHandler("id") { (call: InboundCall) async throws in RawJSON(.string("\(call.id as Any)")) }
        let client = DuplexSession()
        try await InMemoryConnector { server.receiver }.connect(receiver: client.receiver)
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<200 {
                group.addTask { try await client.call("id") }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 200)
        await client.close()
    }
}
