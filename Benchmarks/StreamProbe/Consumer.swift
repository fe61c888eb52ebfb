// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket

/// Consumes notifications, and prints what they cost. Every number must come, in its order.
struct Consumer {
    let url: String
    /// Nothing is lost: where the consumer is slower, the connection is not read.
    private let overflow = NotificationOverflow.suspend(capacity: 4096, limit: .seconds(60))

    func stream(_ count: Int) async throws {
        let client = try await JSONRPCClient.connect(to: url)
        for isMeasured in [false, true] {
            let count = isMeasured ? count : count / 10
            let ticks = client.notifications("tick", as: Tick.self, overflow: overflow)
            let start = Usage()
            async let flood = client.callRaw("flood", params: request([0], count), timeout: nil)
            var next = 0
            for try await element in ticks {
                guard element.value?.result == next else { throw ProbeFailure("\(element) came in place of \(next).") }
                next += 1
                if next == count { break }
            }
            let end = Usage()
            _ = try await flood
            if isMeasured { print(start.line(to: end, notifications: count)) }
        }
        await client.close()
    }

    func subscriptions(_ number: Int, _ count: Int) async throws {
        let client = try await JSONRPCClient.connect(to: url)
        for isMeasured in [false, true] {
            let count = (isMeasured ? count : count / 10) / number * number
            var subscriptions: [Subscription<Int>] = []
            for _ in 0..<number {
                subscriptions.append(
                    try await client.subscribe("subscribe", unsubscribe: "unsubscribe", overflow: overflow))
            }
            let ids = try subscriptions.map { try $0.id?.json.decode(as: Int.self) ?? 0 }
            let start = Usage()
            async let flood = client.callRaw("flood", params: request(ids, count), timeout: nil)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, subscription) in subscriptions.enumerated() {
                    group.addTask { try await consume(subscription, index, number, count) }
                }
                try await group.waitForAll()
            }
            let end = Usage()
            _ = try await flood
            if isMeasured { print(start.line(to: end, notifications: count)) }
            for subscription in subscriptions { await subscription.unsubscribe() }
        }
        await client.close()
    }

    private func consume(_ subscription: Subscription<Int>, _ first: Int, _ step: Int, _ count: Int) async throws {
        var next = first
        for try await element in subscription {
            guard element.value == next else { throw ProbeFailure("\(element) came in place of \(next).") }
            next += step
            if next >= count { return }
        }
        throw ProbeFailure("The subscription ended before \(next).")
    }

    func roundTrips(_ count: Int, rate: Int) async throws {
        let client = try await JSONRPCClient.connect(to: url)
        let ticks = client.notifications("tick", as: Tick.self, overflow: overflow)
        let consumer = Task {
            var next = 0
            for try await element in ticks {
                guard element.value?.result == next else { throw ProbeFailure("\(element) came in place of \(next).") }
                next += 1
            }
            return next
        }
        let flood = Task {
            guard rate > 0 else { return }
            _ = try await client.callRaw("flood", params: request([0], 1 << 40, rate: rate), timeout: nil)
        }
        let clock = ContinuousClock()
        var latencies: [Duration] = []
        let start = clock.now
        for number in 0..<(count + count / 10) {
            let sent = clock.now
            let _: [Int] = try await client.call("echo", params: [number])
            if number >= count / 10 { latencies.append(clock.now - sent) }
            // The time between calls lets notifications come in at their rate, and is the same without them.
            try await Task.sleep(for: .milliseconds(1))
        }
        let seconds = (clock.now - start) / .seconds(1)
        flood.cancel()
        await client.close()
        let notifications = try await consumer.value
        latencies.sort()
        let p = [("p50", 0.5), ("p99", 0.99)].map { name, share in
            "\"\(name)\":\(latencies[Int(share * Double(latencies.count - 1))] / .microseconds(1))"
        }
        print(
            "{\"calls\":\(latencies.count),\"notifications_per_second\":\(Double(notifications) / seconds),"
                + "\"latency_us\":{\(p.joined(separator: ","))}}")
    }

    private func request(_ subscriptions: [Int], _ count: Int, rate: Int = 0) throws -> RawJSON {
        try RawJSON(encoding: FloodRequest(subscriptions: subscriptions, count: count, rate: rate))
    }
}

/// The time, and the processor time of this process.
struct Usage {
    private let time = ContinuousClock.now
    private let processor: Double

    init() {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        processor = Double(used.tv_sec) * 1e6 + Double(used.tv_nsec) / 1e3
    }

    func line(to end: Usage, notifications: Int) -> String {
        let seconds = (end.time - time) / .seconds(1)
        return "{\"notifications\":\(notifications),\"seconds\":\(seconds),"
            + "\"notifications_per_second\":\(Double(notifications) / seconds),"
            + "\"processor_us_per_notification\":\((end.processor - processor) / Double(notifications))}"
    }
}
