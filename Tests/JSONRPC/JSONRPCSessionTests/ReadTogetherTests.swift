// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

/// Messages that a transport delivers as one read.
@Suite(.inTurn(within: .seconds(60)))
struct ReadTogetherTests {
    private func response(_ id: Int, _ result: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
    }

    /// More responses than are settled in one critical section.
    @Test func eachResponseReachesItsCall() async throws {
        let wire = await Wire()
        let count = 200
        wire.near.holdInbox()
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for number in 0..<count {
                group.addTask {
                    let result = try await wire.session.callRaw("echo", params: RawJSON(encoding: [number]))
                    return (number, result.text)
                }
            }
            for _ in 0..<count {
                let request = try await wire.peer.expectRequest("echo")
                try wire.peer.reply(to: request, result: request.params ?? .null)
            }
            wire.near.releaseInbox()
            for try await (number, text) in group { #expect(text == "[\(number)]") }
        }
        #expect(wire.session.callsInFlight == 0)
        await wire.session.close()
    }

    @Test func responsesToNoCallAreReportedInTheirPlaces() async throws {
        let wire = await Wire()
        let events = wire.session.events
        wire.near.holdInbox()
        async let first = wire.session.callRaw("a")
        _ = try await wire.peer.expectRequest("a")
        async let second = wire.session.callRaw("b")
        _ = try await wire.peer.expectRequest("b")
        for text in [response(99, "0"), response(1, "10"), response(1, "11"), response(2, "20")] {
            try wire.peer.send(text)
        }
        wire.near.releaseInbox()
        #expect(try await first.text == "10")
        #expect(try await second.text == "20")
        await wire.session.close()
        var told: [SessionEvent.IrregularMessage] = []
        for await event in events {
            if case .irregularMessage(let message) = event { told.append(message) }
        }
        #expect(told.flatMap(\.irregularities.elements) == [.unknownResponse, .duplicateResponse])
        #expect(told.map { String(decoding: $0.bytes, as: UTF8.self) } == [response(99, "0"), response(1, "11")])
    }

    @Test func responseBeforeTheEndIsAResult() async throws {
        let wire = await Wire()
        wire.near.holdInbox()
        async let answered = wire.session.callRaw("a")
        _ = try await wire.peer.expectRequest("a")
        async let unanswered = outcome { try await wire.session.callRaw("b") }
        _ = try await wire.peer.expectRequest("b")
        try wire.peer.send(response(1, "10"))
        wire.peer.close(code: 1001, reason: "going")
        wire.near.releaseInbox()
        #expect(try await answered.text == "10")
        let loss = await unanswered
        let error = #expect(throws: ClientError.self) { try loss.get() }
        #expect(error?.closeCode == 1001)
    }

    @Test func otherMessagesBetweenTheResponsesAreTakenToo() async throws {
        let wire = await Wire()
        let notifications = wire.session.notifications("n", as: [Int].self)
        wire.session.handle("served") { "yes" }
        wire.near.holdInbox()
        async let first = wire.session.callRaw("a")
        _ = try await wire.peer.expectRequest("a")
        async let second = wire.session.callRaw("b")
        _ = try await wire.peer.expectRequest("b")
        for text in [
            response(2, "20"), #"{"jsonrpc":"2.0","method":"n","params":[7]}"#,
            #"{"jsonrpc":"2.0","id":"s","method":"served"}"#, response(1, "10"),
        ] { try wire.peer.send(text) }
        wire.near.releaseInbox()
        #expect(try await first.text == "10")
        #expect(try await second.text == "20")
        var values = notifications.values.makeAsyncIterator()
        #expect(try await values.next() == [7])
        let reply = try await wire.peer.expectMessage()
        #expect(reply.json == (try JSONValue(parsing: #"{"jsonrpc":"2.0","id":"s","result":"yes"}"#)))
        await wire.session.close()
    }

    /// Cancelling a call whose response is still buffered ends it exactly once.
    @Test func cancelledCallIsNotAnsweredToo() async throws {
        let wire = await Wire()
        let events = wire.session.events
        wire.near.holdInbox()
        let call = Task { try await wire.session.callRaw("a") }
        _ = try await wire.peer.expectRequest("a")
        try wire.peer.send(response(1, "10"))
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        wire.near.releaseInbox()
        await wire.session.close()
        var told: [Irregularity] = []
        for await event in events {
            if case .irregularMessage(let message) = event { told += message.irregularities.elements }
        }
        #expect(told == [.lateResponse])
        #expect(wire.session.callCounts.settled == 1)
    }
}
