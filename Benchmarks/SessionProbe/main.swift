// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import SessionWorkload

// One workload, one line of JSON: the counterpart of the clients in Benchmarks/Peers, with typed params and results.

let words = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
guard words.count == 5, let params = WorkloadParams(words[2]),
    let concurrency = Int(words[3]), let count = Int(words[4]), concurrency > 0, count > 0
else {
    let usage =
        "usage: session-probe URL METHOD PARAMS CONCURRENCY COUNT [--allocations] [--on-event-loop] [--batch=N] "
        + "[--results] [--foundation]\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(2)
}
var workload = Workload(method: words[1], params: params, concurrency: concurrency, count: count)
workload.countsAllocations = CommandLine.arguments.contains("--allocations")
for option in CommandLine.arguments where option.hasPrefix("--batch=") {
    workload.batch = max(1, Int(option.dropFirst("--batch=".count)) ?? 1)
}
workload.hasOneConsumer = CommandLine.arguments.contains("--results")
workload.runsOnEventLoop = CommandLine.arguments.contains("--on-event-loop")

let measurement: WorkloadMeasurement
do {
    let coder: any MessageCoder = CommandLine.arguments.contains("--foundation") ? .foundation : .wireJSON
    let client = try await measuredClient(url: words[0], coder: coder)
    measurement = try await workload.run(client)
    await client.close()
} catch {
    FileHandle.standardError.write(Data("session-probe: \(error)\n".utf8))
    exit(1)
}

var usage = rusage()
getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
var members = [
    "\"calls\":\(measurement.latencies.count)", "\"errors\":0",
    "\"seconds\":\(measurement.duration / .seconds(1))", "\"calls_per_second\":\(measurement.callsPerSecond)",
    "\"processor_us_per_call\":\(measurement.processorTime / .microseconds(1) / Double(count))",
    "\"peak_rss_bytes\":\(usage.ru_maxrss * 1024)",
]
if let allocations = measurement.allocationsPerCall { members.append("\"mallocs_per_call\":\(allocations)") }
let shares = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999), ("max", 1)]
let latencies = shares.map { "\"\($0.0)\":\(measurement.latency($0.1))" }.joined(separator: ",")
members.append("\"latency_us\":{\(latencies)}")
print("{\(members.joined(separator: ","))}")
