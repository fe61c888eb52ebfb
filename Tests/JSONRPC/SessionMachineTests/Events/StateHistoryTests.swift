// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60)))
struct StateHistoryTests {
    private let states = Watched(StateHistory(0))

    @Test func streamsBeginWithTheCurrentState() async {
        let first = states.stream()
        states.update { $0.append(1, isLast: false) }
        let second = states.stream()
        for state in [1, 2, 2] { states.update { $0.append(state, isLast: false) } }
        states.update { $0.append(2, isLast: true) }
        states.update { $0.append(3, isLast: false) }
        #expect(await first.reduce(into: []) { $0.append($1) } == [0, 1, 2])
        #expect(await second.reduce(into: []) { $0.append($1) } == [1, 2])
        #expect(await states.stream().reduce(into: []) { $0.append($1) } == [2])
    }

    @Test func aSlowReaderGetsTheLatestStates() async {
        let stream = states.stream()
        for state in 1...100 { states.update { $0.append(state, isLast: state == 100) } }
        #expect(await stream.reduce(into: []) { $0.append($1) } == Array(85...100))
    }

    @Test func aCancelledReaderEndsAlone() async {
        let reader = Task { [states] in await states.stream().reduce(into: []) { $0.append($1) } }
        #expect(await untilTrue { states.waitingCount == 1 })
        reader.cancel()
        #expect(await reader.value == [0])
        #expect(states.waitingCount == 0)
        let stream = states.stream()
        states.update { $0.append(1, isLast: true) }
        #expect(await stream.reduce(into: []) { $0.append($1) } == [0, 1])
    }

    @Test func nobodyHearsOfAnOlderStateAfterANewerOne() async {
        let current = Watched(0)
        let stream = states.stream()
        let reader = Task { await stream.reduce(into: []) { $0.append($1) } }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        current.withLock { $0 += 1 }
                        states.update { $0.append(current.value, isLast: false) }
                    }
                }
            }
        }
        states.update { $0.append(8000, isLast: true) }
        let told = await reader.value
        #expect(told == told.sorted())
        #expect(told.last == 8000)
    }
}
