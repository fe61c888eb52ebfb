// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60)))
struct StateHubTests {
    /// If it were read under the hub's lock, it would wait for itself.
    @Test func theStateIsReadWithoutALock() async {
        let hub = StateHub<Int>(0)
        let first = hub.stream()
        let made = Mutex<[AsyncStream<Int>]>([])
        hub.update {
            made.withLock { $0.append(hub.stream()) }
            return 1
        }
        hub.finish { 1 }
        #expect(await first.reduce(into: []) { $0.append($1) } == [0, 1])
        for stream in made.withLock({ $0 }) { #expect(await stream.reduce(into: []) { $0.append($1) } == [0, 1]) }
    }

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)

        var value: Int { count.load(ordering: .relaxed) }

        func increment() { count.wrappingAdd(1, ordering: .relaxed) }
    }

    @Test func nobodyHearsOfAnOlderStateAfterANewerOne() async {
        let hub = StateHub<Int>(0)
        let current = Counter()
        let stream = hub.stream()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        current.increment()
                        hub.update { current.value }
                    }
                }
            }
        }
        hub.finish { current.value }
        let told = await stream.reduce(into: []) { $0.append($1) }
        #expect(told == told.sorted())
        #expect(told.last == 8000)
    }
}
