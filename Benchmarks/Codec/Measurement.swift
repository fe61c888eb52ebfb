// swift-jsonrpc · SPDX-License-Identifier: MIT

import AllocationCounter
import Glibc

/// What one operation costs: the least processor time of several rounds, and its allocations.
struct Cost {
    var nanoseconds: Double
    var allocations: Double
}

enum Measurement {
    /// Processor time of this thread, which other programs on the machine change least.
    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// Measures in rounds of about a fiftieth of a second.
    static func cost(rounds: Int = 5, of body: () throws -> Void) rethrows -> Cost {
        let start = now()
        try body()
        let first = max(now() - start, 1)
        let count = max(1, min(1_000_000, Int(2e7 / first)))
        for _ in 0..<max(1, count / 10) { try body() }
        var best = Double.infinity
        for _ in 0..<rounds {
            let start = now()
            for _ in 0..<count { try body() }
            best = min(best, (now() - start) / Double(count))
        }
        let sample = min(count, 10)
        allocation_counter_start()
        for _ in 0..<sample { try body() }
        let allocations = Double(allocation_counter_stop()) / Double(sample)
        return Cost(nanoseconds: best, allocations: allocations)
    }
}

/// Keeps a value from being optimised away.
@inline(never)
func keep<T>(_ value: T) {}
