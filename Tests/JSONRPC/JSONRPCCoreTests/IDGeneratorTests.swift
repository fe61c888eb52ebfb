// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TestTurns
import Testing

@testable import JSONRPCCore

@Suite(.inTurn) struct IDGeneratorTests {
    @Test func numbersCountFromOne() {
        var generator: some IDGenerator = .numbers
        #expect([generator.next(), generator.next(), generator.next()] == [1, 2, 3])
    }

    @Test func numbersGoOnAfterTheGreatest() {
        var generator = NumberIDGenerator(startingAt: .max)
        #expect(generator.next() == .number(.max))
        #expect(generator.next() == .number(.min))
    }

    @Test func stringsBearTheirPrefix() {
        var generator: some IDGenerator = .strings(prefix: "a-")
        #expect([generator.next(), generator.next()] == ["a-1", "a-2"])
    }

    @Test func uuidIsWrittenAsTheRFCSays() {
        #expect(UUIDGenerator.uuid(0, 0) == "00000000-0000-4000-8000-000000000000")
        #expect(UUIDGenerator.uuid(.max, .max) == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(
            UUIDGenerator.uuid(0x0123_4567_89AB_CDEF, 0x0123_4567_89AB_CDEF) == "01234567-89ab-4def-8123-456789abcdef")
    }

    @Test func uuidsDiffer() {
        var generator: some IDGenerator = .uuids
        let ids = (0..<1000).map { _ in generator.next() }
        #expect(Set(ids).count == 1000)
    }

    @Test func customGeneratorAsksItsClosure() {
        let generator = CustomIDGenerator { [box = Counter()] in .number(box.next() * 10) }
        var source = IDSource(generator)
        #expect([source.next(), source.next()] == [10, 20])
    }

    @Test func sourceGivesWhatItsGeneratorGives() {
        var numbers = IDSource(NumberIDGenerator(startingAt: 5))
        #expect([numbers.next(), numbers.next()] == [5, 6])
        guard case .numbers = numbers else {
            Issue.record("the number generator is not recognised")
            return
        }
        var strings = IDSource(StringIDGenerator(prefix: "s"))
        #expect([strings.next(), strings.next()] == ["s1", "s2"])
    }
}

/// A counter that a `@Sendable` closure may hold.
private final class Counter: Sendable {
    private let count = Mutex<Int64>(0)

    func next() -> Int64 {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
