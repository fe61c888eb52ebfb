// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Synchronization

struct ProbeFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// The options of the command line.
struct Options: Sendable {
    private var arguments: [String]

    init(_ arguments: [String]) { self.arguments = arguments }

    func contains(_ option: String) -> Bool { arguments.contains(option) }

    /// The number after `--name=`.
    func number(_ name: String) -> Int? {
        arguments.first { $0.hasPrefix("--\(name)=") }.flatMap { Int($0.dropFirst(name.count + 3)) }
    }
}

/// The messages, which both sides echo.
enum Payload {
    /// A text that JSON writes without escapes, so that both sides send as many bytes.
    static func text(_ bytes: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
        return String(decoding: (0..<bytes).map { letters[($0 &* 7 &+ $0 / 36) % 36] }, as: UTF8.self)
    }

    static let small = text(32)
    static let large = text(1 << 20)

    static func of(_ mode: String) -> String { mode.hasPrefix("large") ? large : small }
}

/// Counts the calls that all tasks have begun.
private final class CallCounter: Sendable {
    private let begun = Atomic<Int>(0)

    func begin() -> Int { begun.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// How many calls are made, and how many of them at once.
struct Load: Sendable {
    var width: Int
    var count: Int

    /// A tenth of the load, which is made before the measurement.
    var warmUp: Load { Load(width: width, count: max(count / 10, width)) }

    /// Makes calls in as many tasks as there are to be calls in flight.
    ///
    /// - Returns: The latency of each call.
    func calls(_ call: @escaping @Sendable () async throws -> Void) async throws -> [Duration] {
        let calls = CallCounter()
        return try await withThrowingTaskGroup(of: [Duration].self) { group in
            for _ in 0..<min(width, count) {
                group.addTask {
                    let clock = ContinuousClock()
                    var latencies: [Duration] = []
                    while calls.begin() <= count {
                        let sent = clock.now
                        try await call()
                        latencies.append(clock.now - sent)
                    }
                    return latencies
                }
            }
            var latencies: [Duration] = []
            for try await some in group { latencies += some }
            return latencies
        }
    }

    /// Measures after a warm-up.
    ///
    /// - Parameter run: Makes the load, and returns the latencies of its calls, or none for a stream.
    /// - Returns: A line of JSON. `exchanges` also counts the warm-up, which the server has served as well.
    func measure(_ run: (Load) async throws -> [Duration]) async throws -> String {
        _ = try await run(warmUp)
        let clock = ContinuousClock()
        let (start, used) = (clock.now, Self.processorTime())
        let latencies = try await run(self).sorted()
        let seconds = (clock.now - start) / .seconds(1)
        let microseconds = (Self.processorTime() - used) * 1e6 / Double(count)
        var members = [
            "\"calls\":\(count)", "\"exchanges\":\(count + warmUp.count)", "\"seconds\":\(seconds)",
            "\"calls_per_second\":\(Double(count) / seconds)", "\"processor_us_per_call\":\(microseconds)",
        ]
        if !latencies.isEmpty {
            guard latencies.count == count else { throw ProbeFailure("\(latencies.count) of \(count) calls ended.") }
            let shares = [("p50", 0.5), ("p99", 0.99)].map { name, share in
                "\"\(name)\":\(latencies[Int(share * Double(count - 1))] / .microseconds(1))"
            }
            members.append("\"latency_us\":{\(shares.joined(separator: ","))}")
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// The seconds that this process has used of the processors, in the kernel too.
    private static func processorTime() -> Double {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        return Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
    }
}

/// Prints the port of a server that is ready, and then keeps it until it is killed.
func keepServing(_ port: Int, _ server: some Sendable) async throws {
    // Unbuffered, because the reader of the pipe waits for it.
    FileHandle.standardOutput.write(Data("listening on port \(port)\n".utf8))
    try await Task.sleep(for: .seconds(1 << 20))
    withExtendedLifetime(server) {}
}
