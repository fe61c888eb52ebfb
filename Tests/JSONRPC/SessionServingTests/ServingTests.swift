// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TaskWaits
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct ServingTests {
    private struct Secret: Error, CustomStringConvertible {
        var description: String { "the password is swordfish" }
    }

    @Test func errorObjectTravelsAsItIs() async throws {
        let wire = await Wire()
        let thrown = ErrorObject(code: 77, message: "no", data: try RawJSON(validating: "[1]"))
        wire.session.handle("m") { () -> Int in throw thrown }
        try wire.peer.request("m", id: 1)
        #expect(try await wire.peer.expectResponse(to: 1).outcome == .failure(thrown))
        await wire.session.close()
    }

    @Test func otherErrorsDoNotLeakTheirText() async throws {
        let wire = await Wire()
        let events = wire.session.events
        wire.session.handle("m") { () -> Int in throw Secret() }
        try wire.peer.request("m", id: 1)
        let response = try await wire.peer.expectResponse(to: 1)
        #expect(response.outcome == .failure(ErrorObject(.internalError)))
        #expect(!String(describing: response.json).contains("swordfish"))
        await wire.session.close()
        var failures: [String] = []
        for await case .handlerFailed(let method, _) in events { failures.append(method) }
        #expect(failures == ["m"])
    }

    @Test func textOfErrorsIsSentWhenAllowed() async throws {
        let wire = await Wire(.with { $0.inbound.revealsHandlerErrors = true })
        wire.session.handle("m") { () -> Int in throw Secret() }
        try wire.peer.request("m", id: 1)
        let outcome = try await wire.peer.expectResponse(to: 1).outcome
        #expect(outcome == .failure(ErrorObject(code: .internalError, message: "the password is swordfish")))
        await wire.session.close()
    }

    @Test func paramsOfAnotherTypeAreInvalid() async throws {
        let wire = await Wire()
        wire.session.handle("m") { (params: [Int]) in params }
        try wire.peer.request("m", params: ["x"], id: 1)
        #expect(try await wire.peer.expectResponse(to: 1).outcome == .failure(ErrorObject(.invalidParams)))
        await wire.session.close()
    }

    @Test func handlerCanCallBackWhileTheCallerWaits() async throws {
        let server = DuplexSession()
        server.handle("outer") { (params: [Int], call: InboundCall) -> Int in
            try await call.session.call("inner", params: params)
        }
        let client = DuplexSession()
        client.handle("inner") { (params: [Int]) in params.reduce(0, +) }
        try await InMemoryConnector { server.receiver }.connect(receiver: client.receiver)
        let sum: Int = try await client.call("outer", params: [1, 2, 3])
        #expect(sum == 6)
        await client.close()
    }

    @Test func fallbackSeesTheMethodAndExtraMembers() async throws {
        let wire = await Wire()
        wire.session.setFallbackHandler { call in
            #expect(call.extraMembers["sessionId"] == call.member("sessionId"))
            return try RawJSON(encoding: [call.method, call.member("sessionId")?.text ?? "none"])
        }
        try wire.peer.send(#"{"jsonrpc":"2.0","id":1,"method":"any","sessionId":"S1"}"#)
        #expect(try await wire.peer.expectResponse(to: 1).outcome == .success(["any", #""S1""#]))
        wire.session.removeFallbackHandler()
        try wire.peer.request("any", id: 2)
        #expect(try await wire.peer.expectResponse(to: 2).outcome == .failure(ErrorObject(.methodNotFound)))
        await wire.session.close()
    }

    @Test func notificationsKeepTheirExtraMembers() async throws {
        let wire = await Wire()
        var notifications = wire.session.notifications().values.makeAsyncIterator()
        try wire.peer.send(#"{"jsonrpc":"2.0","method":"n","params":[1],"sessionId":"S1"}"#)
        try wire.peer.send(#"{"jsonrpc":"2.0","method":"n","params":[2]}"#)
        let first = try #require(try await notifications.next())
        #expect(first.extraMembers["sessionId"]?.text == #""S1""#)
        #expect(first.params?.text == "[1]")
        #expect(try await notifications.next() == InboundNotification(method: "n", params: RawJSON(encoding: [2])))
        await wire.session.close()
    }

    @Test func callsBeyondTheLimitAreRefused() async throws {
        let wire = await Wire(.with { $0.inbound.maximumCalls = 1 })
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        wire.session.handle("slow") {
            for await _ in gate { break }
            return 1
        }
        try wire.peer.request("slow", id: 1)
        try wire.peer.request("slow", id: 2)
        guard case .failure(let error) = try await wire.peer.expectResponse(to: 2).outcome else {
            return #expect(Bool(false), "the second call was served")
        }
        #expect(error.code == SessionConfiguration.Inbound.serverBusy)
        opener.yield()
        #expect(try await wire.peer.expectResponse(to: 1).outcome == .success(1))
        await wire.session.close()
    }

    @Test func arrayLongerThanTheLimitIsRefused() async throws {
        let wire = await Wire(.with { $0.inbound.maximumBatch = 1 })
        wire.session.handle("m") { 1 }
        try wire.peer.send(#"[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"m"}]"#)
        let refusal = try await wire.peer.expectMessage()
        #expect(refusal.json?["error"]?["code"] == -32600)
        #expect(refusal.json?["id"] == .null)
        await wire.session.close()
    }

    /// The same rule applies to regular requests, requests that the reader judges, and members of an array.
    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"method":"m"}"#, #"{"jsonrpc":"2.0","id":1,"method":"unknown"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"m","x":2}"#, #"{"id":1,"method":"m"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"m","params":2}"#, #"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#,
    ]) func anIDInUseIsCountedInEachFormOfARequest(request: String) async throws {
        let wire = await Wire(matching: .anyOrder)
        let signal = OneTimeSignal()
        wire.session.setHandler("m") { _ in
            try await signal.wait()
            return .null
        }
        try wire.peer.request("m", id: 1)
        try wire.peer.send(request)
        try await wire.roundTrip()
        #expect(wire.session.irregularityCounts[.duplicateRequestID] == 1)
        signal.fulfil()
        await wire.session.close()
    }

    @Test func peersNoticeCancelsTheHandlersTask() async throws {
        let wire = await Wire(.with { $0.calls.cancellationNotice = .cancelRequest })
        let started = EventLog<Bool>()
        wire.session.handle("endless") { () -> Int in
            started.record(true)
            let (endless, _) = AsyncStream.makeStream(of: Void.self)
            for await _ in endless {}
            try Task.checkCancellation()
            return 1
        }
        try wire.peer.request("endless", id: "e")
        await started.wait(count: 1)
        try wire.peer.notify("$/cancelRequest", params: ["id": "e"])
        #expect(try await wire.peer.expectResponse(to: "e").outcome == .failure(ErrorObject(.internalError)))
        await wire.session.close()
    }

    @Test func endOfTheConnectionCancelsHandlers() async throws {
        let wire = await Wire()
        let log = EventLog<String>()
        wire.session.handle("endless") { () -> Int in
            log.record("started")
            let (endless, _) = AsyncStream.makeStream(of: Void.self)
            for await _ in endless {}
            log.record(Task.isCancelled ? "cancelled" : "ended")
            return 1
        }
        try wire.peer.request("endless", id: 1)
        await log.wait(count: 1)
        wire.peer.drop()
        #expect(await log.wait(count: 2) == ["started", "cancelled"])
        await wire.session.closed()
    }

    @Test func notificationHandlerGetsThemOneAfterTheOther() async throws {
        let wire = await Wire()
        let log = EventLog<Int>()
        wire.session.handleNotification("n") { (params: [Int]) in
            await Task.yield()
            log.record(params[0])
        }
        for number in 0..<200 as Range<Int64> {
            try wire.peer.notify("n", params: [.number(JSONNumber(number))])
        }
        #expect(await log.wait(count: 200) == Array(0..<200))
        await wire.session.close()
    }

    @Test func notificationForNobodyIsAnEvent() async throws {
        let wire = await Wire()
        let events = wire.session.events
        try wire.peer.notify("n", params: [1])
        await wire.session.close()
        var unhandled: [String] = []
        for await case .unhandledNotification(let method, let params) in events {
            unhandled.append("\(method) \(params?.text ?? "")")
        }
        #expect(unhandled == ["n [1]"])
    }

    /// A peer sends calls but does not read the answers. Reading stops before they accumulate.
    @Test func unreadAnswersStopTheReading() async throws {
        let wire = await Wire(.with { $0.calls.maximumQueuedBytes = 0 })
        let answer = String(repeating: "x", count: 64 << 10)
        wire.session.handleSynchronously("large") { answer }
        wire.near.holdOutbox()
        var sent: Int64 = 0
        try await yieldUntil("the session stops the reading") {
            guard wire.near.isReading else { return true }
            sent += 1
            try wire.peer.request("large", id: .number(JSONNumber(sent)))
            return false
        }
        #expect(wire.near.queuedByteCount < 4 << 20)
        wire.near.releaseOutbox()
        for id in 1...sent { try await wire.peer.expectLarge(id, answer) }
        #expect(wire.near.isReading)
        await wire.session.close()
    }

    /// The same with calls without a handler.
    @Test func unreadRefusalsStopTheReading() async throws {
        let wire = await Wire(.with { $0.calls.maximumQueuedBytes = 0 })
        wire.near.holdOutbox()
        let method = String(repeating: "x", count: 1000)
        var sent: Int64 = 0
        try await yieldUntil("the session stops the reading") {
            for _ in 0..<100 where wire.near.isReading {
                sent += 1
                try wire.peer.request(method, id: .number(JSONNumber(sent)))
            }
            return !wire.near.isReading
        }
        wire.near.releaseOutbox()
        for id in 1...sent {
            let answer = try await wire.peer.expectResponse(to: .number(JSONNumber(id)))
            #expect(answer.outcome == .failure(ErrorObject(.methodNotFound)))
        }
        await wire.session.close()
    }

    /// A transport whose reading is stopped reads again after a while, to check whether the connection lives.
    @Test func peersThatReadNoAnswersAreDisconnected() async throws {
        let clock = ManualClock()
        let wire = await Wire(
            .with {
                $0.calls.maximumQueuedBytes = 0
                $0.clock = clock
            })
        let answer = String(repeating: "x", count: 64 << 10)
        wire.session.handleSynchronously("large") { answer }
        wire.near.holdOutbox()
        var sent: Int64 = 0
        func ask() throws {
            sent += 1
            try wire.peer.request("large", id: .number(JSONNumber(sent)))
        }
        func askWhileReading() async throws {
            try await yieldUntil("the session stops the reading") {
                guard wire.near.isReading else { return true }
                try ask()
                return false
            }
        }
        try await askWhileReading()
        // A request may still arrive in the current read, which does not check again.
        wire.near.setReading(true)
        try await askWhileReading()
        #expect(wire.session.state == .open)
        clock.advance(by: .seconds(10))
        try await yieldUntil("the session is no longer open") {
            guard wire.session.state == .open else { return true }
            wire.near.setReading(true)
            // The connection may have ended between the check and the request.
            do { try ask() } catch { #expect(wire.session.state != .open) }
            return false
        }
        await wire.session.closed()
        #expect(wire.session.closure?.initiator == .local)
    }

    /// Each side reads the other's requests before it can read the answers to its own.
    @Test func twoWhoCallEachOtherDoNotStopEachOther() async throws {
        let (left, right) = (DuplexSession(), DuplexSession())
        for session in [left, right] { session.handle("echo") { (text: [String]) async in text } }
        try await InMemoryConnector { right.receiver }.connect(receiver: left.receiver)
        let text = String(repeating: "x", count: 60_000)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<600 {
                let session = number.isMultiple(of: 2) ? left : right
                group.addTask { try await session.call("echo", params: [text], as: [String].self)[0].utf8.count }
            }
            for try await count in group { #expect(count == text.utf8.count) }
        }
        await left.close()
    }

    @Test func paramsThatCannotBeDecodedAreToldOf() async throws {
        let wire = await Wire()
        var events = wire.session.events.makeAsyncIterator()
        wire.session.handle("m") { (params: [Int]) in params }
        try wire.peer.send(#"{"jsonrpc":"2.0","id":1,"method":"m","params":["a"]}"#)
        #expect(try await wire.peer.expectResponse(to: 1).outcome == .failure(ErrorObject(.invalidParams)))
        var cause: (any Error)?
        while cause == nil, let event = await events.next() {
            if case .handlerFailed("m", let error) = event { cause = error }
        }
        #expect(cause is DecodingError)
        await wire.session.close()
    }

    @Test func paramsThatCannotBeDecodedAreExplainedWhereThatIsAllowed() async throws {
        let wire = await Wire(.with { $0.inbound.revealsHandlerErrors = true })
        wire.session.handle("m") { (params: [Int]) in params }
        try wire.peer.send(#"{"jsonrpc":"2.0","id":1,"method":"m","params":["a"]}"#)
        guard case .failure(let error) = try await wire.peer.expectResponse(to: 1).outcome else {
            Issue.record("the call must fail")
            return
        }
        #expect(error.code == .invalidParams)
        #expect(error.message.hasPrefix("Invalid params: ") && error.message.count > 20)
        await wire.session.close()
    }
}

extension ScriptedPeer {
    /// Takes an answer of either kind.
    fileprivate func expectLarge(_ id: Int64, _ text: String) async throws {
        let message = try await expectMessage()
        #expect(message.json?["result"] == .string(text))
    }
}
