// swift-jsonrpc · SPDX-License-Identifier: MIT

import Benchmark
import Foundation
import JSONRPCWebSocket
import SessionWorkload

/// Sessions with `jsonrpc serve`, which runs in another process: what one call costs, by the number of calls in flight
/// on one connection. Beside other clients: Scripts/bench-session.sh.
let benchmarks: @Sendable () -> Void = {
    let mallocs = BenchmarkMetric.custom("Mallocs per 100 calls", polarity: .prefersSmaller)
    let configuration = Benchmark.Configuration(
        metrics: [.wallClock, .throughput, .cpuTotal, mallocs], warmupIterations: 1, maxDuration: .seconds(5),
        maxIterations: 20)

    for width in [1, 16, 256, 1024, 10_000] {
        let count = max(width * 10, width == 1 ? 2_000 : 50_000)
        Benchmark("\(count) calls, \(width) in flight", configuration: configuration) { benchmark in
            let server = try EmbeddedServer()
            defer { server.stop() }
            let client = try await measuredClient(url: server.url)
            var workload = Workload(method: "echo", params: .integers([1, 2]), concurrency: width, count: count)
            benchmark.startMeasurement()
            _ = try await workload.run(client)
            benchmark.stopMeasurement()
            workload.countsAllocations = true
            let counted = try await workload.run(client)
            benchmark.measurement(mallocs, Int((counted.allocationsPerCall ?? 0) * 100))
            await client.close()
        }
    }
}

/// `jsonrpc serve` in a process of its own: `JSONRPC_TOOL`, or what `swift build -c release --product jsonrpc` made in
/// this package.
struct EmbeddedServer {
    let url: String
    private let process = Process()

    init() throws {
        let benchmarks = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let tool = ProcessInfo.processInfo.environment["JSONRPC_TOOL"].map { URL(filePath: $0) }
        let output = Pipe()
        process.executableURL = tool ?? benchmarks.appending(path: ".build/release/jsonrpc")
        process.arguments = ["serve", "--port", "0"]
        process.standardOutput = output
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
                throw CocoaError(.fileReadUnknown)
            }
            line += String(decoding: byte, as: UTF8.self)
        }
        let digits = line.split { !$0.isNumber }
        url = "ws://127.0.0.1:\(digits.last ?? "0")/"
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
