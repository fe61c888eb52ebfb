// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing

@testable import jsonrpc

@Suite(.inTurn(within: .seconds(60))) struct SleepersTests {
    @Test func sleepsEndInTheOrderOfTheirEnds() async throws {
        let sleepers = Sleepers()
        let (ends, continuation) = AsyncStream.makeStream(of: Int.self)
        await withTaskGroup(of: Void.self) { group in
            for milliseconds in [200, 1, 100] {
                group.addTask {
                    try? await sleepers.sleep(for: .milliseconds(milliseconds))
                    continuation.yield(milliseconds)
                }
            }
        }
        continuation.finish()
        var order: [Int] = []
        for await end in ends { order.append(end) }
        #expect(order.sorted() == [1, 100, 200])
        #expect(sleepers.storedCount == 0)
    }

    @Test func aSleepLastsItsTime() async throws {
        let begin = ContinuousClock.now
        try await Sleepers().sleep(for: .milliseconds(20))
        #expect(.now - begin >= .milliseconds(20))
    }

    /// Defect 21 of issue 10.
    @Test func cancelledSleepsLeaveNothingBehind() async throws {
        let sleepers = Sleepers()
        let params = try RawJSON(validating: "[3600]")
        for _ in 0..<20 {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<500 {
                    group.addTask {
                        do {
                            _ = try await ServerMethods.sleep(params, sleepers: sleepers)
                            return false
                        } catch {
                            return error is CancellationError
                        }
                    }
                }
                group.cancelAll()
                for await isCancelled in group { #expect(isCancelled) }
            }
        }
        // A few that were cancelled stay until there are more.
        #expect(sleepers.storedCount <= 64)
    }

    @Test func aSleepGoesOnWhenAnEarlierOneIsCancelled() async throws {
        let sleepers = Sleepers()
        let long = Task { try await sleepers.sleep(for: .milliseconds(100)) }
        let short = Task { try await sleepers.sleep(for: .milliseconds(50)) }
        short.cancel()
        await #expect(throws: CancellationError.self) { try await short.value }
        try await long.value
    }
}
