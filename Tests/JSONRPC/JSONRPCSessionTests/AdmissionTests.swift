// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct AdmissionTests {
    @Test func callersWaitInOrderAtTheLimit() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 1 })
        async let first: Int = wire.session.call("first")
        let firstRequest = try await wire.peer.expectRequest("first")
        async let second: Int = wire.session.call("second")
        await wire.untilIssued(2)
        async let third: Int = wire.session.call("third")
        await wire.untilIssued(3)
        #expect(wire.session.callsInFlight == 1)
        try wire.peer.reply(to: firstRequest, result: 1)
        try wire.peer.reply(to: try await wire.peer.expectRequest("second"), result: 2)
        try wire.peer.reply(to: try await wire.peer.expectRequest("third"), result: 3)
        #expect(try await (first, second, third) == (1, 2, 3))
        await wire.session.close()
    }

    @Test func callerWhoWaitsCanBeCancelled() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 1 })
        async let first: Int = wire.session.call("first")
        let request = try await wire.peer.expectRequest("first")
        let second = Task { try await wire.session.callRaw("second") }
        await wire.untilIssued(2)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        try wire.peer.reply(to: request, result: 1)
        #expect(try await first == 1)
        await wire.session.close()
        try await wire.peer.expectClosure()
        try wire.peer.expectNothingMore()
    }

    @Test func callerWhoWaitsTimesOutAsNotSent() async throws {
        let clock = ManualClock()
        let wire = await Wire(
            .with {
                $0.calls.maximumInFlight = 1
                $0.clock = clock
            })
        async let first: Int = wire.session.call("first", timeout: nil)
        let request = try await wire.peer.expectRequest("first")
        async let second = outcome { try await wire.session.callRaw("second", timeout: .seconds(1)) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        let error = try #require(await second.failure as? ClientError)
        #expect(error.code == .timedOut)
        #expect(error.delivery == .notSent)
        try wire.peer.reply(to: request, result: 1)
        #expect(try await first == 1)
        await wire.session.close()
    }

    @Test func sendersWaitWhileTheOutboxIsFull() async throws {
        let wire = await Wire(.with { $0.calls.maximumQueuedBytes = 0 }, holdsOutbox: true)
        let large = String(repeating: "x", count: SessionConfiguration.Calls.minimumQueuedBytes)
        try await wire.session.notify("large", params: [large])
        async let waiting: Void = wire.session.notify("waiting")
        await wire.untilIssued(1)
        async let call: Int = wire.session.call("call")
        await wire.untilIssued(2)
        #expect(wire.session.callsInFlight == 0)
        wire.near.releaseOutbox()
        try await wire.peer.expectNotification("large")
        try await wire.peer.expectNotification("waiting")
        try await waiting
        try wire.peer.reply(to: try await wire.peer.expectRequest("call"), result: 1)
        #expect(try await call == 1)
        await wire.session.close()
    }

    @Test func wireOrderIsIDOrder() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 7 })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await wire.session.callRaw("m") } }
            for id in 1...100 {
                let request = try await wire.peer.expectRequest("m")
                #expect(request.id == .number(JSONNumber(Int64(id))))
                try wire.peer.reply(to: request, result: 0)
            }
            try await group.waitForAll()
        }
        await wire.session.close()
    }

    /// A hundred thousand calls in flight at once, answered in reverse.
    @Test func hundredThousandCallsInFlight() async throws {
        let count = 100_000
        let session = DuplexSession(
            configuration: .with {
                $0.calls.maximumInFlight = count
                $0.calls.maximumQueuedBytes = 1 << 30
            })
        let server = ReversingServer(count: count)
        try await InMemoryConnector { server }.connect(receiver: session.receiver)
        // Not in a task group: to leave one costs a search among all its tasks.
        let tasks = (0..<count).map { _ in Task { try await session.callRaw("m").text } }
        var right = 0
        for task in tasks where try await task.value == "7" { right += 1 }
        #expect(right == count)
        await session.close()
        #expect(session.callCounts.issued == UInt64(count))
        #expect(session.callCounts.settled == UInt64(count))
    }
}

/// Answers when so many calls have come, the last one first.
private final class ReversingServer: MessageReceiver {
    private let count: Int
    private let state = Mutex((ids: [Int](), transport: (any MessageTransport)?.none))

    init(count: Int) { self.count = count }

    func transportOpened(_ transport: any MessageTransport) { state.withLock { $0.transport = transport } }

    func messageReceived(_ message: InboundMessage) {
        let bytes =
            switch message.content {
            case .borrowed(let bytes): Array(bytes)
            case .owned(let bytes): bytes
            }
        let digits = bytes.drop { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) }
            .drop { $0 != UInt8(ascii: ":") }.dropFirst().prefix { $0 != UInt8(ascii: ",") }
        guard let id = Int(String(decoding: digits, as: UTF8.self)) else { return }
        let (ids, transport) = state.withLock { state -> ([Int], (any MessageTransport)?) in
            state.ids.append(id)
            return state.ids.count == count ? (state.ids, state.transport) : ([], state.transport)
        }
        guard let transport, !ids.isEmpty else { return }
        for id in ids.reversed() {
            let answer = Array(#"{"jsonrpc":"2.0","id":\#(id),"result":7}"#.utf8)
            answer.withUnsafeBytes { piece in
                withUnsafePointer(to: piece) { _ = transport.enqueue(UnsafeBufferPointer(start: $0, count: 1)) }
            }
        }
        transport.wake()
    }

    func outboxDrained() {}

    func roundTripMeasured(_ duration: Duration) {}

    func transportClosed(_ closure: TransportClosure) {}
}
