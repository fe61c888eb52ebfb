// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization
import TestSupport
import TestTurns
import Testing

@testable import jsonrpc

@Suite(.inTurn(within: .seconds(60))) struct PeerCallDeskTests {
    /// A desk whose treatments can be awaited.
    private struct Observed {
        let desk: PeerCallDesk
        let treatments: AsyncStream<PeerCallDesk.Treatment>

        init(answersByHand: Bool = true, rules: [String: RawJSON] = [:]) {
            let (stream, continuation) = AsyncStream.makeStream(of: PeerCallDesk.Treatment.self)
            treatments = stream
            desk = PeerCallDesk(answersByHand: answersByHand, rules: rules) { continuation.yield($2) }
        }
    }

    private func json(_ text: String) throws -> RawJSON { try RawJSON(validating: text) }

    @Test func rulesAnswer() async throws {
        let observed = Observed(rules: ["confirm": try json("true")])
        #expect(try await observed.desk.result(of: "confirm", nil) == json("true"))
        try await observed.desk.setRule("confirm", json("false"))
        try await observed.desk.setRule("ask", json("1"))
        #expect(try await observed.desk.result(of: "confirm", nil) == json("false"))
        #expect(await observed.desk.rules.map(\.method) == ["ask", "confirm"])
        #expect(await observed.desk.setRule("ask", nil))
        #expect(await !observed.desk.setRule("ask", nil))
        var treatments = observed.treatments.makeAsyncIterator()
        #expect(await treatments.next() == .rule(try json("true")))
    }

    @Test func theUserAnswersInAnyOrder() async throws {
        let observed = Observed()
        var treatments = observed.treatments.makeAsyncIterator()
        let first = Task { try await observed.desk.result(of: "a", nil) }
        #expect(await treatments.next() == .hand(1))
        let second = Task { try await observed.desk.result(of: "b", nil) }
        #expect(await treatments.next() == .hand(2))
        #expect(await observed.desk.waiting.map(\.method) == ["a", "b"])
        #expect(await observed.desk.settle(3, .success(.null)) == nil)
        #expect(try await observed.desk.settle(2, .success(json("2"))) == "b")
        #expect(await observed.desk.settle(2, .success(.null)) == nil)
        #expect(
            await observed.desk.settle(1, .failure(ErrorObject(code: ErrorObject.Code(rawValue: 5), message: "no")))
                == "a")
        #expect(try await second.value == json("2"))
        await #expect(throws: ErrorObject.self) { _ = try await first.value }
        #expect(await observed.desk.waiting.isEmpty)
    }

    @Test func aCallThatThePeerGivesUpIsForgotten() async throws {
        let observed = Observed()
        var treatments = observed.treatments.makeAsyncIterator()
        let call = Task { try await observed.desk.result(of: "a", nil) }
        #expect(await treatments.next() == .hand(1))
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        #expect(await observed.desk.waiting.isEmpty)
        let late = Task {
            await untilCancelled()
            return try await observed.desk.result(of: "b", nil)
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { _ = try await late.value }
        #expect(await observed.desk.waiting.isEmpty)
    }

    @Test func callsBeyondTheLimitAreRefused() async throws {
        let observed = Observed()
        var treatments = observed.treatments.makeAsyncIterator()
        let calls = (0..<PeerCallDesk.maximumWaiting).map { _ in
            Task { try await observed.desk.result(of: "a", nil) }
        }
        for _ in calls { _ = await treatments.next() }
        await #expect(throws: ErrorObject.self) { _ = try await observed.desk.result(of: "a", nil) }
        #expect(await treatments.next() == .refused)
        for call in calls { call.cancel() }
        for call in calls { _ = await call.result }
        #expect(await observed.desk.waiting.isEmpty)
    }

    @Test func aUserWhoLeavesRefusesTheCallsThatWait() async throws {
        let observed = Observed()
        var treatments = observed.treatments.makeAsyncIterator()
        let call = Task { try await observed.desk.result(of: "a", nil) }
        #expect(await treatments.next() == .hand(1))
        #expect(await observed.desk.refuseAll() == 1)
        await #expect(throws: ErrorObject.self) { _ = try await call.value }
        await #expect(throws: ErrorObject.self) { _ = try await observed.desk.result(of: "a", nil) }
        #expect(await observed.desk.refuseAll() == 0)
    }

    @Test func withoutAUserOtherMethodsAreNotFound() async throws {
        let observed = Observed(answersByHand: false, rules: ["a": .null])
        #expect(try await observed.desk.result(of: "a", nil) == .null)
        await #expect {
            _ = try await observed.desk.result(of: "b", nil)
        } throws: {
            ($0 as? ErrorObject)?.code == .methodNotFound
        }
    }
}
