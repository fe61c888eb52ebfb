// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

/// A seed repeats the faults, and only the faults lose messages.
@Suite(.inTurn(within: .seconds(120))) struct FaultSeedTests {
    private static let rules = [
        FaultRule(.drop, probability: 0.1), FaultRule(.duplicate, probability: 0.1),
        FaultRule(.truncate(), probability: 0.1), FaultRule(.corrupt(), probability: 0.1),
        FaultRule(.reorder(behind: 3), probability: 0.1),
        FaultRule(.delay(.zero...(.microseconds(100))), probability: 0.1),
    ]

    /// Sends 200 messages in each direction. Returns the faults and the messages that arrived.
    private func run(seed: UInt64) async throws -> (log: Set<String>, inbound: [String], outbound: [String]) {
        let faults = FaultInjector(seed: seed, rules: Self.rules)
        let (near, far) = (RecordingSide(), RecordingSide())
        try await faults.connector(over: InMemoryConnector { far }).connect(receiver: near)
        for number in 0..<200 {
            near.post("outbound \(number)")
            far.post("inbound \(number)")
        }
        near.transport?.close(code: 1000, reason: "", deadline: .seconds(60))
        _ = await (near.closed(), far.closed())
        return (Set(faults.log.map(\.description)), near.messages, far.messages)
    }

    @Test(arguments: [0, 1, 0xFFFF_FFFF_FFFF_FFFF] as [UInt64])
    func aSeedRepeatsItsFaults(seed: UInt64) async throws {
        let (first, second) = (try await run(seed: seed), try await run(seed: seed))
        #expect(first.log.filter { $0.contains("outbound") } == second.log.filter { $0.contains("outbound") })
        #expect(first.log.count > 100)
        let other = try await run(seed: seed ^ 2)
        #expect(first.log != other.log)
    }

    @Test func seedsAreDifferentByDefault() { #expect(FaultInjector().seed != FaultInjector().seed) }

    @Test func probabilitiesAreMet() async throws {
        let faults = FaultInjector(seed: 5, rules: [FaultRule(.drop, .outbound, probability: 0.25)])
        let (near, far) = (RecordingSide(), RecordingSide())
        try await faults.connector(over: InMemoryConnector { far }).connect(receiver: near)
        for number in 0..<4000 { near.post("\(number)") }
        #expect((900...1100).contains(faults.faultCount))
        faults.rules = []
        near.post("last")
        _ = await far.log.first { $0 == "last" }
        #expect(far.messages.count == 4001 - faults.faultCount)
        near.transport?.close(code: 1000, reason: "", deadline: .seconds(60))
        _ = await near.closed()
    }

    @Test func connectionsAreTreatedApart() async throws {
        let faults = FaultInjector(seed: 5, rules: [FaultRule(.drop, .outbound, message: 1, connection: 2)])
        for connection in 1...3 {
            let (near, far) = (RecordingSide(), RecordingSide())
            try await faults.connector(over: InMemoryConnector { far }).connect(receiver: near)
            near.post("1")
            near.post("2")
            _ = await far.log.first { $0 == "2" }
            #expect(far.messages == (connection == 2 ? ["2"] : ["1", "2"]))
            near.transport?.close(code: 1000, reason: "", deadline: .seconds(60))
            _ = await near.closed()
        }
        #expect(faults.connectionCount == 3)
    }

    /// Many callers over connections that end at random. Every call ends, no call is executed twice, and no call that
    /// was reported as not sent was executed.
    @Test(arguments: 0..<10 as Range<UInt64>)
    func everyCallIsSettledAndNoneExecutedTwice(seed: UInt64) async throws {
        let executed = EventLog<Int>()
        let faults = FaultInjector(
            seed: seed,
            rules: [
                FaultRule(.kill(.beforeWriting), .outbound, probability: 0.01),
                FaultRule(.kill(.afterWriting), .outbound, probability: 0.01),
                FaultRule(.kill(.afterDelivery), .outbound, probability: 0.01),
                FaultRule(.close(code: 1012), .inbound, probability: 0.01),
                FaultRule(.reorder(behind: 2), probability: 0.05),
                FaultRule(.delay(.zero...(.milliseconds(2))), probability: 0.05),
            ])
        let server = InMemoryConnector {
            let session = DuplexSession()
            session.handle("run") { (numbers: [Int]) in
                executed.record(numbers[0])
                return numbers[0]
            }
            return session.receiver
        }
        let unsent = EventLog<Int>()
        var number = 0
        for _ in 0..<20 {
            let session = DuplexSession()
            try await faults.connector(over: server).connect(receiver: session.receiver)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<30 {
                    number += 1
                    let number = number
                    group.addTask {
                        do {
                            let result = try await session.call("run", params: [number], as: Int.self, timeout: .none)
                            #expect(result == number)
                        } catch let error as ClientError where error.delivery == .notSent {
                            unsent.record(number)
                        } catch {}
                    }
                }
            }
            await session.close()
            #expect(session.callCounts.issued == session.callCounts.settled)
        }
        // Handlers of lost connections may still be running.
        let numbers = executed.elements
        #expect(Set(numbers).count == numbers.count, "\(faults)")
        #expect(Set(numbers).isDisjoint(with: unsent.elements), "\(faults)")
        #expect(faults.faultCount > 0)
    }
}
