// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import SessionWorkload

// One workload, one line of JSON: the counterpart of the clients in Benchmarks/Peers, with typed params and results.
// `session-probe serve` and `session-probe idle URL N` run until they are killed: see Connections.swift.

func fail(_ error: any Error) -> Never {
    FileHandle.standardError.write(Data("session-probe: \(error)\n".utf8))
    exit(1)
}

let words = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
do {
    if words == ["serve"] { try await Connections.serve() }
    if words.count == 3, words[0] == "idle", let sessions = Int(words[2]), sessions > 0 {
        try await Connections.idle(sessions, to: words[1])
    }
} catch {
    fail(error)
}
guard words.count == 5, let params = WorkloadParams(words[2]),
    let concurrency = Int(words[3]), let count = Int(words[4]), concurrency > 0, count > 0
else {
    let usage =
        "usage: session-probe URL METHOD PARAMS CONCURRENCY COUNT [--allocations] [--on-event-loop] [--batch=N] "
        + "[--results] [--connections=N] [--idle=N] [--loops=N] [--foundation] [--engine=libwebsockets]\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(2)
}
var workload = Workload(method: words[1], params: params, concurrency: concurrency, count: count)
workload.countsAllocations = CommandLine.arguments.contains("--allocations")
/// The value of an option with a number, at least 1.
func number(_ option: String, default value: Int) -> Int {
    let prefix = "--\(option)="
    let text = CommandLine.arguments.first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count)
    return text.flatMap { Int($0) }.map { max(1, $0) } ?? value
}
workload.hasOneConsumer = CommandLine.arguments.contains("--results")
workload.batch = number("batch", default: 1)
workload.runsOnEventLoop = CommandLine.arguments.contains("--on-event-loop")

let measurement: WorkloadMeasurement
do {
    let coder: any MessageCoder = CommandLine.arguments.contains("--foundation") ? .foundation : .wireJSON
    let loops = number("loops", default: 0)
    let eventLoops = loops == 0 ? WebSocketEventLoops.shared : WebSocketEventLoops(count: loops)
    let engine = CommandLine.arguments.contains("--engine=libwebsockets") ? WebSocketEngine.libwebsockets : .builtIn
    var clients: [JSONRPCClient] = []
    let active = number("connections", default: 1)
    // The connections beyond the active ones stay open, and have no calls.
    for _ in 0..<(active + number("idle", default: 0)) {
        clients.append(try await measuredClient(url: words[0], coder: coder, engine: engine, on: eventLoops))
    }
    measurement = try await workload.run(Array(clients.prefix(active)))
    for client in clients { client.closeNow() }
} catch {
    fail(error)
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
