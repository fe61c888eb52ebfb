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
        var generator: some IDGenerator = .uuids
        let form = /"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"/
        for _ in 0..<100 {
            let id = "\(generator.next())"
            #expect(id.wholeMatch(of: form) != nil, "\(id)")
        }
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
