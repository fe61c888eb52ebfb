// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing

@testable import Sockets

@Suite(.inTurn(within: .seconds(60)))
struct DialDeadlineTests {
    @Test(.startsProcess) func aDialThatIsDoneLeavesNothingOfItsDeadline() async {
        await #expect(processExitsWith: .success) {
            let inAnHour = ContinuousClock.now + .seconds(3600)
            func dial(_ times: Int) async throws {
                for number in 0..<times {
                    let result = try await DialWork.run(until: inAnHour) { _ in number }
                    #expect(result == number)
                }
            }
            // Dispatch caches up to 1024 small objects for each thread.
            try await dial(2000)
            // A task that sleeps would leave 700 bytes each time.
            let limit = 100 * 4000
            let growth = try await ProcessResources.heapGrowth(settlingTo: limit) { try await dial(4000) }
            #expect(growth <= limit)
        }
    }
}
