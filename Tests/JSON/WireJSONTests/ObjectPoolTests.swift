// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TestTurns
import Testing

@testable import WireJSON

@Suite(.inTurn(within: .seconds(60))) struct ObjectPoolTests {
    private final class Spare: Sendable {
        let isInUse = Atomic(false)
        private let lives: Lives

        init(_ lives: Lives) {
            self.lives = lives
            lives.count.wrappingAdd(1, ordering: .relaxed)
        }

        deinit { lives.count.wrappingSubtract(1, ordering: .relaxed) }
    }

    private final class Lives: Sendable {
        let count = Atomic(0)
    }

    @Test func itKeepsFourAndLetsTheRestGo() {
        let lives = Lives()
        do {
            let pool = ObjectPool<Spare>()
            #expect(pool.take() == nil)
            for _ in 1...6 { pool.put(Spare(lives)) }
            #expect(lives.count.load(ordering: .relaxed) == 4)
            for _ in 1...4 { #expect(pool.take() != nil) }
            #expect(pool.take() == nil)
            #expect(lives.count.load(ordering: .relaxed) == 0)
            pool.put(Spare(lives))
        }
        // The last one was released with the pool.
        #expect(lives.count.load(ordering: .relaxed) == 0)
    }

    @Test func anObjectIsNeverGivenToTwo() async {
        let lives = Lives()
        let pool = ObjectPool<Spare>()
        let mistakes = await withTaskGroup(of: Int.self) { group in
            for _ in 1...8 {
                group.addTask {
                    var mistakes = 0
                    for _ in 1...20_000 {
                        let spare = pool.take() ?? Spare(lives)
                        if spare.isInUse.exchange(true, ordering: .relaxed) { mistakes += 1 }
                        if !spare.isInUse.exchange(false, ordering: .relaxed) { mistakes += 1 }
                        pool.put(spare)
                    }
                    return mistakes
                }
            }
            return await group.reduce(0, +)
        }
        #expect(mistakes == 0)
        while pool.take() != nil {}
        #expect(lives.count.load(ordering: .relaxed) == 0)
    }
}
