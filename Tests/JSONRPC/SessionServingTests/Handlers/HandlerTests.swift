// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct HandlerTests {
    @Test func handlersThatReturnNothingAnswerNull() async throws {
        let wire = await Wire()
        let log = EventLog<String>()
        let session = wire.session
        session.handle("params") { (params: [String]) in log.record(params[0]) }
        session.handle("call") { (params: [String], call: InboundCall) in log.record(params[0] + call.method) }
        session.handle("none") { log.record("none") }
        session.handle("waits") { (params: [String]) in
            await Task.yield()
            log.record(params[0])
        }
        session.handleSynchronously("params, in order") { (params: [String]) in log.record(params[0]) }
        session.handleSynchronously("call, in order") { (params: [String], call: InboundCall) in
            log.record(params[0] + call.method)
        }
        session.handleSynchronously("none, in order") { log.record("none") }
        let methods = ["params", "call", "none", "waits", "params, in order", "call, in order", "none, in order"]
        for (index, method) in methods.enumerated() {
            let id = JSONValue.number(JSONNumber(Int64(index)))
            try wire.peer.request(method, params: ["x"], id: id)
            #expect(try await wire.peer.expectResponse(to: id).outcome == .success(.null))
        }
        #expect(log.elements == ["x", "xcall", "none", "x", "x", "xcall, in order", "none"])
        await session.close()
    }

    @Test func handlersWithAResultAnswerIt() async throws {
        let wire = await Wire()
        let session = wire.session
        session.handle("params") { (params: [Int]) in params.count }
        session.handle("call") { (params: [Int], call: InboundCall) in params.count + call.method.count }
        session.handle("none") { 1 }
        session.handleSynchronously("params, in order") { (params: [Int]) in params.count }
        session.handleSynchronously("call, in order") { (params: [Int], call: InboundCall) in params.count }
        session.handleSynchronously("none, in order") { 1 }
        for (method, result) in [
            ("params", 1), ("call", 5), ("none", 1), ("params, in order", 1), ("call, in order", 1),
            ("none, in order", 1),
        ] as [(String, JSONValue)] {
            try wire.peer.request(method, params: [3], id: "i")
            #expect(try await wire.peer.expectResponse(to: "i").outcome == .success(result))
        }
        await session.close()
    }

    @Test func aHandlerMayTakeTheCallAlone() async throws {
        let wire = await Wire()
        let log = EventLog<String>()
        let session = wire.session
        session.handle("result") { (call: InboundCall) in call.params?.text ?? "none" }
        session.handle("nothing") { (call: InboundCall) in log.record(call.method) }
        session.handle("inferred") { call in
            await Task.yield()
            return call.method
        }
        session.handleSynchronously("result, in order") { (call: InboundCall) in call.params?.text ?? "none" }
        session.handleSynchronously("nothing, in order") { (call: InboundCall) in log.record(call.method) }
        for (method, result) in [
            ("result", "[3]"), ("nothing", .null), ("inferred", "inferred"), ("result, in order", "[3]"),
            ("nothing, in order", .null),
        ] as [(String, JSONValue)] {
            try wire.peer.request(method, params: [3], id: "i")
            #expect(try await wire.peer.expectResponse(to: "i").outcome == .success(result))
        }
        #expect(log.elements == ["nothing", "nothing, in order"])
        await session.close()
    }

    @Test func aHandlerOfNotificationsReachesTheSession() async throws {
        let wire = await Wire()
        let session = wire.session
        session.handleNotification("both") { (params: [Int], call: InboundCall) in
            try await call.session.notify("both came", params: params)
        }
        session.handleNotification("call") { (call: InboundCall) in
            try await call.session.notify("call came", params: [call.method])
        }
        try wire.peer.notify("both", params: [3])
        #expect(try await wire.peer.expectNotification("both came").params == [3])
        try wire.peer.notify("call")
        #expect(try await wire.peer.expectNotification("call came").params == ["call"])
        await session.close()
    }

    /// Neither closure contains `await`. The next call sees the cancellation of a task only if it is in that task.
    @Test(arguments: [false, true]) func onlyTheNameSaysWhetherCallsShareATask(isSynchronous: Bool) async throws {
        let wire = await Wire()
        let log = EventLog<Bool>()
        let session = wire.session
        @Sendable func deliverCall(id: Int) {
            let call = Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"m"}"#.utf8)
            session.receiver.messageReceived(InboundMessage(content: .owned(call), isBinary: false))
        }
        // A transport delivers one message after the other.
        let isFirstDelivered = DispatchSemaphore(value: 0)
        let handler: @Sendable () -> Int = {
            log.record(Task.isCancelled)
            withUnsafeCurrentTask { $0?.cancel() }
            // The next call arrives while this task still runs.
            if log.elements.count == 1 {
                isFirstDelivered.wait()
                deliverCall(id: 2)
            }
            return 1
        }
        if isSynchronous {
            session.handleSynchronously("m", handler)
        } else {
            session.handle("m", handler)
        }
        deliverCall(id: 1)
        isFirstDelivered.signal()
        _ = try await wire.peer.expectMessage()
        _ = try await wire.peer.expectMessage()
        #expect(log.elements == [false, isSynchronous])
        await wire.session.close()
    }

    @Test func handlersCanBeRemoved() async throws {
        let wire = await Wire()
        let session = wire.session
        session.handle("m") { "own" }
        session.setFallbackHandler { _ in try RawJSON(encoding: "fallback") }
        func ask(_ expected: Result<JSONValue, ErrorObject>) async throws {
            try wire.peer.request("m", id: 1)
            #expect(try await wire.peer.expectResponse(to: 1).outcome == expected)
        }
        try await ask(.success("own"))
        session.removeHandler(for: "m")
        try await ask(.success("fallback"))
        session.removeFallbackHandler()
        try await ask(.failure(ErrorObject(.methodNotFound)))
        await session.close()
    }

    @Test func notificationHandlersCanBeRemoved() async throws {
        let wire = await Wire()
        let session = wire.session
        let log = EventLog<String>()
        session.handleNotification("n") { log.record("own") }
        session.setFallbackNotificationHandler { _ in log.record("fallback") }
        try wire.peer.notify("n")
        await log.wait(count: 1)
        session.removeNotificationHandler(for: "n")
        try wire.peer.notify("n")
        await log.wait(count: 2)
        session.removeFallbackNotificationHandler()
        let events = session.events
        try wire.peer.notify("n")
        var unhandled = false
        for await case .unhandledNotification("n", nil) in events {
            unhandled = true
            break
        }
        #expect(unhandled)
        #expect(log.elements == ["own", "fallback"])
        await session.close()
    }

    @Test func requestsWithoutAHandlerAreEvents() async throws {
        let wire = await Wire()
        let events = wire.session.events
        try wire.peer.request("nobody's", id: 1)
        try wire.peer.send(#"[{"jsonrpc":"2.0","id":"s","method":"either"}]"#)
        try await wire.peer.expectResponse(to: 1)
        try await wire.peer.expectBatch(count: 1)
        await wire.session.close()
        var methods: [String] = []
        for await event in events {
            if case .unhandledRequest(let method) = event { methods.append(method) }
        }
        #expect(methods == ["nobody's", "either"])
    }
}
