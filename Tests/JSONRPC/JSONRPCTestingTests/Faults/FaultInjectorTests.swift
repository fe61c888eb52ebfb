// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

/// Each fault, seen from both sides of a connection.
@Suite(.inTurn(within: .seconds(60))) struct FaultInjectorTests {
    private let clock = ManualClock()
    private let near = RecordingSide()
    private let far = RecordingSide()

    private func connect(_ rules: FaultRule..., seed: UInt64 = 1) async throws -> FaultInjector {
        let faults = FaultInjector(seed: seed, clock: clock, rules: rules)
        try await connect(faults)
        return faults
    }

    private func connect(_ faults: FaultInjector) async throws {
        let connector = InMemoryConnector { [far] in far }
        try await faults.connector(over: connector).connect(receiver: near)
    }

    /// Sends texts. Returns the texts that have arrived when the last one arrives.
    private func outbound(_ texts: String...) async -> [String] {
        for text in texts { near.post(text) }
        near.post("last")
        _ = await far.log.first { $0 == "last" }
        return far.messages
    }

    private func inbound(_ texts: String...) async -> [String] {
        for text in texts { far.post(text) }
        far.post("last")
        _ = await near.log.first { $0.hasSuffix("last") }
        return near.messages
    }

    // MARK: Messages

    @Test func withoutRulesEverythingArrives() async throws {
        let faults = try await connect()
        #expect(await outbound("a", "b") == ["a", "b", "last"])
        #expect(await inbound("c", "d") == ["c", "d", "last"])
        #expect(faults.faultCount == 0)
    }

    @Test func theThirdInboundMessageIsLost() async throws {
        let faults = try await connect(FaultRule(.drop, .inbound, message: 3))
        #expect(await inbound("1", "2", "3", "4") == ["1", "2", "4", "last"])
        #expect(await outbound("1", "2", "3") == ["1", "2", "3", "last"])
        #expect(faults.log.map(\.description) == ["connection 1, inbound message 3: drop"])
    }

    @Test func messagesAreDuplicatedTruncatedAndCorrupted() async throws {
        _ = try await connect(
            FaultRule(.duplicate, .outbound, message: 1), FaultRule(.truncate(to: 2), .outbound, message: 2),
            FaultRule(.truncate(to: 99), .outbound, message: 3), FaultRule(.corrupt(byte: 1), .outbound, message: 4),
            FaultRule(.corrupt(byte: 7), .outbound, message: 5), FaultRule(.duplicate, .inbound, message: 1))
        let arrived = await outbound("one", "two", "three", "4444", "")
        #expect(arrived.prefix(4) == ["one", "one", "tw", "three"])
        #expect(arrived[4] != "4444" && arrived[4].utf8.count >= 4)
        #expect(arrived[5...] == ["", "last"])
        #expect(await inbound("x") == ["x", "x", "last"])
    }

    @Test func aReorderedMessageLetsOthersPass() async throws {
        _ = try await connect(
            FaultRule(.reorder(behind: 2), .outbound, message: 1), FaultRule(.reorder(), .inbound, message: 1))
        #expect(await outbound("1", "2", "3") == ["2", "3", "1", "last"])
        #expect(await inbound("1", "2", "3") == ["2", "1", "3", "last"])
    }

    @Test func aReorderedMessageArrivesAloneWhenItsTimeIsOver() async throws {
        _ = try await connect(FaultRule(.reorder(behind: 5, within: .seconds(1)), .outbound, message: 1))
        near.post("alone")
        await clock.waitForSleeper(dueIn: .seconds(1))
        #expect(far.messages == [])
        clock.advance(by: .seconds(1))
        #expect(await far.log.wait(count: 2) == ["opened", "alone"])
    }

    @Test func aDelayHoldsBackTheMessagesAfterIt() async throws {
        let faults = try await connect(FaultRule(.delay(.seconds(5)...(.seconds(9))), .outbound, message: 2))
        for text in ["1", "2", "3"] { near.post(text) }
        await far.log.wait(count: 2)
        await clock.waitForSleepers(1)
        guard case .delay(let range)? = faults.log.first?.fault else {
            Issue.record("\(faults)")
            return
        }
        #expect(range.lowerBound == range.upperBound && range.lowerBound >= .seconds(5))
        #expect(near.transport?.queuedByteCount ?? 0 > 0)
        clock.advance(by: range.lowerBound - .nanoseconds(1))
        #expect(far.messages == ["1"])
        clock.advance(by: .nanoseconds(1))
        #expect(await far.log.wait(count: 4) == ["opened", "1", "2", "3"])
        _ = await near.log.first { $0 == "drained" }
    }

    @Test func aStallLosesEverythingInOneDirection() async throws {
        let faults = try await connect(FaultRule(.stall, .outbound, message: 2))
        for text in ["1", "2", "3"] { near.post(text) }
        #expect(await inbound("x") == ["x", "last"])
        #expect(await far.log.wait(count: 2) == ["opened", "1"])
        faults.killConnections()
        // The lost messages count as sent.
        #expect(await near.closed()?.unsentFrom.position ?? 0 > 2)
    }

    // MARK: Delivery

    @Test(arguments: Fault.KillPoint.allCases)
    func aKilledConnectionKnowsWhatWasSent(point: Fault.KillPoint) async throws {
        let faults = try await connect(FaultRule(.kill(point), .outbound, message: 2), seed: 99)
        let tickets = ["1", "2", "3"].compactMap { near.post($0) }
        let closure = try #require(await near.closed())
        #expect(closure.initiator == .failure && closure.code == 1006)
        let error = try #require(closure.error as? InjectedFaultError)
        #expect(error.seed == 99 && error.fault == faults.log.first)
        #expect(error.description.contains("connection 1, outbound message 2: kill"))
        _ = await far.closed()
        #expect(far.messages == (point == .afterDelivery ? ["1", "2"] : ["1"]))
        #expect(tickets[0] < closure.unsentFrom)
        #expect((tickets[1] < closure.unsentFrom) == (point != .beforeWriting))
        #expect(near.post("late") == nil)
    }

    @Test(arguments: Fault.KillPoint.allCases)
    func aCallKnowsWhetherItMayHaveBeenExecuted(point: Fault.KillPoint) async throws {
        let faults = FaultInjector(seed: 3, rules: [FaultRule(.kill(point), .outbound, message: 2)])
        let peer = try ScriptedPeer(
            script: """
                --> {"method":"a"}
                <-- {"result":1}
                """)
        let client = JSONRPCClient(connector: faults.connector(over: peer.connector))
        try await client.connect()
        #expect(try await client.call("a", as: Int.self) == 1)
        let error = await #expect(throws: ClientError.self) { try await client.call("b", as: Int.self) }
        #expect(error?.code == .connectionLost)
        #expect(error?.delivery == (point == .beforeWriting ? .notSent : .outcomeUnknown))
        #expect((error?.cause as? InjectedFaultError)?.fault.fault == .kill(point))
        try await peer.expectClosure()
        #expect(peer.received.count == (point == .afterDelivery ? 2 : 1))
        await client.close()
    }

    @Test func aWithdrawnMessageIsNotSent() async throws {
        _ = try await connect(
            FaultRule(.delay(.seconds(1)...(.seconds(1))), .outbound, message: 1),
            FaultRule(.reorder(behind: 9), .outbound, message: 3),
            FaultRule(.kill(.afterWriting), .outbound, message: 5))
        let tickets = ["1", "2", "3", "4", "5"].compactMap { near.post($0) }
        for index in [1, 2, 4] { #expect(near.transport?.withdraw(tickets[index]) == true) }
        #expect(near.transport?.withdraw(tickets[1]) == false)
        #expect(near.transport?.withdraw(OutboxTicket(position: 9999)) == false)
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        let closure = await near.closed()
        _ = await far.closed()
        #expect(far.messages == ["1", "4"])
        #expect(closure?.unsentFrom == OutboxTicket(position: tickets[3].position + 1))
    }

    // MARK: End

    @Test func aCloseLooksLikeThePeers() async throws {
        _ = try await connect(FaultRule(.close(code: 1012, reason: "restart"), .inbound, message: 2))
        far.post("1")
        far.post("2")
        let closure = await near.closed()
        #expect(closure?.initiator == .remote && closure?.code == 1012 && closure?.reason == "restart")
        #expect(near.messages == ["1"])
        #expect(await far.closed()?.code == 1012)
    }

    @Test func aConnectionClosesAfterItsDelayedMessages() async throws {
        _ = try await connect(FaultRule(.delay(.seconds(1)...(.seconds(1))), .outbound, message: 1))
        near.post("1")
        near.transport?.close(code: 1001, reason: "bye", deadline: .seconds(60))
        #expect(near.post("late") == nil)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await far.closed()?.reason == "bye")
        #expect(far.messages == ["1"])
        #expect(await near.closed()?.initiator == .local)
    }

    @Test func aCloseDoesNotWaitLongerThanItsDeadline() async throws {
        _ = try await connect(FaultRule(.delay(.seconds(1)...(.seconds(1))), .outbound, message: 1))
        let ticket = near.post("1")
        near.transport?.close(code: 1001, reason: "", deadline: .milliseconds(1))
        let closure = await near.closed()
        #expect(closure?.initiator == .local)
        #expect(closure?.unsentFrom == ticket)
    }

    @Test func theEndOfThePeerComesAfterItsMessages() async throws {
        _ = try await connect(FaultRule(.delay(.seconds(1)...(.seconds(1))), .inbound, message: 1))
        far.post("1")
        far.transport?.close(code: 1000, reason: "", deadline: .seconds(60))
        #expect(await near.closed()?.initiator == .remote)
        #expect(near.messages == ["1"])
    }

    /// The end is reported once, whichever end comes first.
    @Test(arguments: MessageDirection.allCases)
    func aFaultThatComesAfterTheEndOfThePeerHidesNothing(direction: MessageDirection) async throws {
        _ = try await connect(
            FaultRule(.delay(.seconds(1)...(.seconds(1))), direction, message: 1),
            FaultRule(.kill(), direction, message: 2))
        let side = direction == .inbound ? far : near
        side.post("1")
        side.post("2")
        await clock.waitForSleepers(1)
        if direction == .inbound {
            far.transport?.close(code: 1001, reason: "", deadline: .seconds(60))
        } else {
            (far.transport as? InMemoryTransport)?.dropConnection()
            clock.advance(by: .seconds(1))
        }
        #expect(await near.closed() != nil)
        near.transport?.setReading(false)
        #expect(near.log.elements.filter { $0.hasPrefix("closed") }.count == 1)
    }

    @Test func aStoppedReaderLearnsTheEnd() async throws {
        _ = try await connect(FaultRule(.delay(.seconds(1)...(.seconds(1))), .inbound, message: 1))
        near.transport?.setReading(false)
        near.transport?.close(code: 1000, reason: "", deadline: .milliseconds(1))
        near.transport?.setReading(false)
        #expect(await near.closed()?.initiator == .local)
    }

    @Test func aTestEndsConnectionsItself() async throws {
        let faults = try await connect()
        #expect(await outbound("1") == ["1", "last"])
        faults.closeConnections(code: 1013, reason: "later")
        #expect(await near.closed()?.code == 1013)
        faults.killConnections()
        #expect(faults.log.map(\.description) == [#"connection 1, by the test: close(code: 1013, reason: "later")"#])
    }

    @Test func readingCanBeStopped() async throws {
        _ = try await connect()
        near.transport?.setReading(false)
        far.post("1")
        #expect(await outbound() == ["last"])
        #expect(near.messages == [])
        near.transport?.setReading(true)
        #expect(await near.log.first { $0 == "1" } != nil)
    }
}
