// swift-jsonrpc · SPDX-License-Identifier: MIT

import AllocationCounter
import Glibc

/// A number of workers, each of which repeats the same exchange.
struct Workload: Sendable {
    let way: Way
    let concurrency: Int
    let count: Int

    func run(_ countsAllocations: Bool = false) async throws -> Measurement {
        let begun = Counter()
        let clock = ContinuousClock()
        if countsAllocations { allocation_counter_start() }
        let usedBefore = Self.processorTime()
        let start = clock.now
        let workers = (0..<concurrency).map { _ in
            Task {
                var latencies: [Duration] = []
                while begun.next() <= count {
                    let sent = clock.now
                    try await way.exchange()
                    latencies.append(clock.now - sent)
                }
                return latencies
            }
        }
        var latencies: [Duration] = []
        for worker in workers { latencies += try await worker.value }
        let duration = clock.now - start
        let used = Self.processorTime() - usedBefore
        let allocations = countsAllocations ? allocation_counter_stop() : nil
        return Measurement(
            latencies: latencies.sorted(), duration: duration, processorTime: used, allocations: allocations)
    }

    /// The processor time of this process, in the kernel too.
    private static func processorTime() -> Duration {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        return .seconds(used.tv_sec) + .nanoseconds(used.tv_nsec)
    }
}

/// The measurements of a workload.
struct Measurement {
    /// The latency of each exchange, shortest first.
    let latencies: [Duration]
    let duration: Duration
    let processorTime: Duration
    let allocations: UInt64?

    var json: String {
        let count = Double(latencies.count)
        var members = [
            "\"calls\":\(latencies.count)", "\"calls_per_second\":\(count / (duration / .seconds(1)))",
            "\"processor_us_per_call\":\(processorTime / .microseconds(1) / count)",
            "\"p50_us\":\(latency(0.5))", "\"p99_us\":\(latency(0.99))",
        ]
        if let allocations { members.append("\"mallocs_per_call\":\(Double(allocations) / count)") }
        return "{\(members.joined(separator: ","))}"
    }

    private func latency(_ share: Double) -> Double {
        latencies.isEmpty ? 0 : latencies[Int((share * Double(latencies.count - 1)).rounded())] / .microseconds(1)
    }
}
