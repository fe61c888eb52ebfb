// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Records calls, passes them on, and refuses calls without a token.
private struct Guard: InboundCallInterceptor {
    let name: String
    let log: EventLog<String>

    func intercept(call: InboundCall, next: NextInboundInterceptor<RawJSON>) async throws -> RawJSON {
        log.record("\(name) \(call.method)")
        await Task.yield()
        guard call.method != "secret" || call.member("auth") != nil else {
            throw ErrorObject(code: 401, message: "unauthorized")
        }
        let result = try await next(call)
        return try RawJSON(encoding: "\(name)(\(result.text))")
    }

    func intercept(notification: InboundCall, next: NextInboundInterceptor<Void>) async throws {
        log.record("\(name) \(notification.method)")
        if notification.method != "dropped" { try await next(notification) }
    }
}

@Suite(.inTurn(within: .seconds(60)))
struct InboundInterceptorTests {
    private let log = EventLog<String>()

    private func wire() async -> Wire {
        await Wire(.with { $0.inbound.interceptors = [Guard(name: "A", log: log), Guard(name: "B", log: log)] })
    }

    @Test(arguments: [false, true]) func theyWrapHandlersTheFirstOutermost(isSynchronous: Bool) async throws {
        let wire = await wire()
        if isSynchronous { wire.session.handleSynchronously("m") { 1 } } else { wire.session.handle("m") { 1 } }
        try wire.peer.request("m", id: 1)
        #expect(try await wire.peer.expectResponse(to: 1).outcome == .success(#"A("B(1)")"#))
        #expect(log.elements == ["A m", "B m"])
        await wire.session.close()
    }

    @Test(arguments: [false, true]) func errorsTheyThrowAreAnswered(isSynchronous: Bool) async throws {
        let wire = await wire()
        if isSynchronous {
            wire.session.setFallbackHandler(SynchronousHandler { _ in RawJSON(1) })
        } else {
            wire.session.setFallbackHandler { _ in RawJSON(1) }
        }
        try wire.peer.request("secret", id: 1)
        #expect(
            try await wire.peer.expectResponse(to: 1).outcome
                == .failure(ErrorObject(code: 401, message: "unauthorized")))
        try wire.peer.send(#"[{"jsonrpc":"2.0","id":2,"method":"secret","auth":1}]"#)
        #expect(try await wire.peer.expectBatch(count: 1).first?["result"] == #"A("B(1)")"#)
        await wire.session.close()
    }

    @Test func synchronousHandlersKeepTheirOrder() async throws {
        let wire = await wire()
        let served = EventLog<Int>()
        wire.session.handleSynchronously("m") { (params: [Int]) in served.record(params[0]) }
        for id in 1...Int64(200) {
            try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":[\#(id)]}"#)
        }
        for id in 1...Int64(200) {
            let answer = try await wire.peer.expectMessage()
            #expect(answer.json?["id"] == .number(JSONNumber(id)))
        }
        #expect(served.elements == Array(1...200))
        #expect(log.elements == Array(repeating: ["A m", "B m"], count: 200).flatMap { $0 })
        await wire.session.close()
    }

    @Test func notificationsForHandlersPassThemInOrder() async throws {
        let wire = await wire()
        let handled = EventLog<String>()
        wire.session.setFallbackNotificationHandler { handled.record($0.method) }
        for method in ["one", "dropped", "two"] { try wire.peer.notify(method) }
        #expect(await handled.wait(count: 2) == ["one", "two"])
        #expect(log.elements == ["A one", "B one", "A dropped", "A two", "B two"])
        await wire.session.close()
    }

    @Test func requestsWithoutAHandlerAreAnsweredWithoutThem() async throws {
        let wire = await wire()
        try wire.peer.request("m", id: 1)
        #expect(try await wire.peer.expectResponse(to: 1).outcome == .failure(ErrorObject(.methodNotFound)))
        #expect(log.elements.isEmpty)
        await wire.session.close()
    }
}
