// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

/// Arrays from the peer with more members than `SessionConfiguration.inbound.maximumBatch`.
@Suite(.inTurn(within: .seconds(60)))
struct LongArrayTests {
    private static let request = #"{"jsonrpc":"2.0","id":9,"method":"m"}"#

    private static func tick(_ number: Int) -> String { #"{"jsonrpc":"2.0","method":"tick","params":[\#(number)]}"# }

    @Test func itsNotificationsAndResponsesCountAndAnEventTellsOfIt() async throws {
        let wire = await Wire(.with { $0.inbound.maximumBatch = 2 })
        wire.session.handle("m") { 1 }
        let events = wire.session.events
        let ticks = wire.session.notifications("tick", as: [Int].self)
        async let answer: Int = wire.session.call("first")
        try await wire.peer.expectRequest("first")
        let response = #"{"jsonrpc":"2.0","id":1,"result":7}"#
        try wire.peer.send("[\(Self.tick(1)),\(Self.request),\(response),\(Self.tick(2))]")
        let refusal = try await wire.peer.expectMessage()
        #expect(refusal.json?["error"]?["code"] == -32600)
        #expect(refusal.json?["id"] == .null)
        #expect(try await answer == 7)
        await wire.session.close()
        var delivered: [NotificationElement<[Int]>] = []
        for try await element in ticks { delivered.append(element) }
        #expect(delivered == [.value([1]), .value([2])])
        #expect(await events.irregularMessages().map(\.irregularities) == [[.oversizedBatch]])
    }

    @Test func itIsNotUsedWhereStrictnessForbidsItAndStreamsShowAGap() async throws {
        let wire = await Wire(
            .with {
                $0.inbound.maximumBatch = 1
                $0.strictness[.oversizedBatch] = .failCall
            })
        let ticks = wire.session.notifications("tick", as: [Int].self)
        try wire.peer.send("[\(Self.tick(1)),\(Self.tick(2))]")
        try wire.peer.send(Self.tick(3))
        var iterator = ticks.makeAsyncIterator()
        #expect(try await iterator.next() == .gap(NotificationGap(reason: .overflow, count: nil)))
        #expect(try await iterator.next() == .value([3]))
        await wire.session.close()
        try wire.peer.expectNothingMore()
    }

    /// Arrays of only notifications get no answer, whatever their length (JSON-RPC 2.0 §6).
    @Test func oneOfNotificationsAloneIsDeliveredAndGetsNoAnswer() async throws {
        let wire = await Wire(.with { $0.inbound.maximumBatch = 1 })
        let ticks = wire.session.notifications("tick", as: [Int].self)
        try wire.peer.send("[\(Self.tick(1)),\(Self.tick(2))]")
        var iterator = ticks.makeAsyncIterator()
        #expect(try await iterator.next() == .value([1]))
        #expect(try await iterator.next() == .value([2]))
        await wire.session.close()
        try wire.peer.expectNothingMore()
    }

    /// A member of one byte must not cost many bytes: at most 65 536 members of an array are read.
    @Test func streamsShowAGapWhereMembersWereNotRead() async throws {
        let wire = await Wire()
        let ticks = wire.session.notifications("tick", as: [Int].self)
        let events = wire.session.events
        // As many members as are read, one after them, and a later message.
        let unread = Array(repeating: "1", count: 65_535)
        try wire.peer.send("[\(Self.tick(1)),\(unread.joined(separator: ",")),\(Self.tick(2))]")
        try wire.peer.send(Self.tick(3))
        let told = Task { await events.irregularMessages().count }
        var iterator = ticks.makeAsyncIterator()
        #expect(try await iterator.next() == .value([1]))
        #expect(try await iterator.next() == .gap(NotificationGap(reason: .overflow, count: nil)))
        #expect(try await iterator.next() == .value([3]))
        await wire.session.close()
        #expect(await told.value > 0)
    }
}
