// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

/// The bytes that the peer's calls may hold while they are served.
@Suite(.inTurn(within: .seconds(60)))
struct InboundBytesTests {
    @Test func callsBeyondTheLimitInBytesAreRefusedUntilOthersEnd() async throws {
        let wire = await Wire(.with { $0.inbound.maximumBytes = 100_000 })
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let events = wire.session.events
        let text: JSONValue = .string(String(repeating: "x", count: 60_000))
        wire.session.handle("slow") { (_: [String]) async -> Int in
            for await _ in gate { break }
            return 1
        }
        for id in 1...3 { try wire.peer.request("slow", params: [text], id: .number(JSONNumber(Int64(id)))) }
        let refused = try await wire.peer.expectResponse(to: 3)
        #expect(refused.outcome.failure?.code == SessionConfiguration.Inbound.serverBusy)
        opener.finish()
        for _ in 1...2 { try await wire.peer.expectMessage() }
        try wire.peer.request("slow", params: [text], id: 4)
        #expect(try await wire.peer.expectResponse(to: 4).outcome == .success(1))
        await wire.session.close()
        var methods: [String] = []
        for await event in events {
            if case .inboundCallRefused(let method) = event { methods.append(method) }
        }
        #expect(methods == ["slow"])
    }

    @Test func theTableCountsTheBytesOfItsCalls() {
        var table = ServedCalls()
        let keys = [table.insert(1, bytes: 10), table.insert(1, bytes: 20), table.insert(nil, bytes: 5)]
        #expect(table.bytes == 35)
        table.remove(keys[1])
        table.remove(keys[1])
        #expect(table.bytes == 15)
        table.remove(keys[0])
        table.remove(keys[2])
        #expect(table.bytes == 0)
    }

    /// A call from a large array must not retain the whole array.
    @Test func aMemberOfAnArrayIsHeldByItself() async throws {
        let wire = await Wire()
        let log = EventLog<Int>()
        wire.session.setFallbackHandler { call in
            log.record(call.bytes.count)
            #expect(call.message.text == #"{"jsonrpc":"2.0","id":1,"method":"m","params":["é"],"extra":5}"#)
            #expect(call.params?.text == #"["é"]"#)
            #expect(call.member("extra")?.text == "5")
            return call.params ?? .null
        }
        let member = #"{"jsonrpc":"2.0","id":1,"method":"m","params":["é"],"extra":5}"#
        try wire.peer.send("[\(String(repeating: " ", count: 100_000))\(member)]")
        #expect(try await wire.peer.expectBatch(count: 1).first?["result"] == ["é"])
        #expect(log.elements == [member.utf8.count])
        await wire.session.close()
    }
}
