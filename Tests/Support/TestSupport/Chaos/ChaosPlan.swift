// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation

/// The calls of a chaos test. The seed determines each call, independent of the threads.
package struct ChaosPlan: Sendable {
    package var seed: UInt64
    /// The number of tasks that make calls at the same time.
    package var callers: Int
    /// The number of calls that each of them makes in sequence.
    package var calls: Int
    /// The longest time between two calls of a caller.
    package var longestPause = Duration.milliseconds(100)

    package init(seed: UInt64, callers: Int, calls: Int) {
        self.seed = seed
        self.callers = callers
        self.calls = calls
    }

    /// The time after which a run of the plan counts as hanging. It allows for a slow machine and a sanitizer.
    package var hangLimit: Duration { .seconds(60 + callers * calls / 50) }

    /// The behaviour of the server.
    package enum Behaviour: Int, Sendable {
        case answers, answersLater, refuses, neverAnswers
    }

    package enum Form: Sendable {
        case single, idempotent
        /// A batch with this number of calls.
        case batch(Int)
    }

    /// One call, or one batch.
    package struct Call: Sendable {
        package var form: Form
        /// The key of the first call. It is unique in the plan, as are the numbers after it for the members of a batch.
        package var key: Int
        package var behaviour: Behaviour
        /// The time after which the server answers.
        package var delay: Duration
        package var timeout: Duration?
        /// The time after which the task of the call is cancelled.
        package var cancellation: Duration?
        /// The time before the call.
        package var pause: Duration

        package var keys: Range<Int> {
            switch form {
            case .single, .idempotent: key..<(key + 1)
            case .batch(let count): key..<(key + count)
            }
        }
    }

    /// The random numbers of one purpose.
    package func generator(_ purpose: Int) -> SeededGenerator {
        SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: purpose))
    }

    /// Returns a call of a caller.
    package func call(_ index: Int, of caller: Int) -> Call {
        let number = caller * calls + index
        var random = generator(number &+ 1000)
        let form: Form =
            switch Int.random(in: 0..<10, using: &random) {
            case 0: .batch(Int.random(in: 1...4, using: &random))
            case 1...3: .idempotent
            default: .single
            }
        let behaviour: Behaviour =
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<2: .neverAnswers
            case 2..<8: .refuses
            case 8..<40: .answersLater
            default: .answers
            }
        let delay = Duration.microseconds(Int.random(in: 0...50_000, using: &random))
        let timeout = Duration.microseconds(Int.random(in: 0...200_000, using: &random))
        let cancellation = Duration.microseconds(Int.random(in: 0...300_000, using: &random))
        let pause = longestPause * Double.random(in: 0...1, using: &random)
        return Call(
            form: form, key: number * 10, behaviour: behaviour, delay: delay,
            timeout: random.oneIn(4) ? timeout : nil, cancellation: random.oneIn(4) ? cancellation : nil, pause: pause)
    }
}

/// The sizes of chaos tests, which the environment can change.
package enum ChaosSize {
    /// The seeds: `CHAOS_SEED` for one, or `CHAOS_SEEDS` for their number.
    ///
    /// - Parameter count: The number of seeds without either variable.
    package static func seeds(_ count: Int) -> [UInt64] {
        if let seed = number("CHAOS_SEED") { return [UInt64(seed)] }
        return (0..<UInt64(number("CHAOS_SEEDS") ?? count)).map { $0 }
    }

    /// The number of callers: `CHAOS_CALLERS`.
    package static func callers(_ count: Int) -> Int { number("CHAOS_CALLERS") ?? count }

    /// The number of calls of each caller: `CHAOS_CALLS`.
    package static func calls(_ count: Int) -> Int { number("CHAOS_CALLS") ?? count }

    /// A number in the environment; `nil` if it is absent or negative.
    package static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
    }
}
