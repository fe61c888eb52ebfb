// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct SynchronousHandlerTests {
    @Test func callsAreServedAndAnsweredInTheirOrder() async throws {
        let wire = await Wire()
        let served = EventLog<Int64>()
        wire.session.setHandler(
            "m",
            SynchronousHandler { call in
                if case .number(let number) = call.id { served.record(number) }
                return call.params ?? .null
            })
        // More answers than are sent together.
        for id in 1...Int64(300) {
            try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":[\#(id)]}"#)
        }
        for id in 1...Int64(300) {
            let answer = try await wire.peer.expectMessage()
            #expect(
                String(decoding: answer.bytes, as: UTF8.self) == #"{"jsonrpc":"2.0","id":\#(id),"result":[\#(id)]}"#)
        }
        #expect(await served.wait(count: 300) == Array(1...300))
        await wire.session.close()
    }

    @Test func failureLeavesTheAnswersBesideItWhole() async throws {
        let wire = await Wire()
        wire.session.handleSynchronously("m") { (numbers: [Int]) throws -> [Int] in
            if numbers.isEmpty { throw ErrorObject(code: 7, message: "none") }
            return numbers
        }
        try wire.peer.request("m", params: [1], id: 1)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":"s","method":"m","params":[]}"#)
        try wire.peer.request("m", params: [3], id: 3)
        #expect(try await wire.peer.expectResponse(to: 1).outcome == .success([1]))
        let failure = try await wire.peer.expectResponse(to: "s").outcome
        #expect(failure == .failure(ErrorObject(code: 7, message: "none")))
        #expect(try await wire.peer.expectResponse(to: 3).outcome == .success([3]))
        await wire.session.close()
    }

    @Test func membersOfAnArrayAreAnsweredTogether() async throws {
        let wire = await Wire()
        wire.session.handleSynchronously("m") { 1 }
        try wire.peer.send(#"[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"m"}]"#)
        let answer = try await wire.peer.expectMessage()
        #expect(
            String(decoding: answer.bytes, as: UTF8.self)
                == #"[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":1}]"#)
        await wire.session.close()
    }
}
