// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct BenchCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Makes the same call over and over and prints calls per second and latencies.",
        discussion: """
            A closed loop: each of the calls in flight is followed by the next when it has its answer. While a server \
            stalls, such a loop makes no calls, so the percentiles are those of the calls that were made, not of calls \
            that would have come at a steady rate ("coordinated omission"). Error objects count as errors and have a \
            latency; so do timeouts, with the time they waited.

              jsonrpc bench ws://127.0.0.1:8080 echo '[1]' --concurrency 256 --duration 10
            """)

    @Argument(help: TargetURL.help)
    var url: String

    @OptionGroup var request: RequestArguments

    @Option(help: ArgumentHelp("Calls in flight, over all connections.", valueName: "calls"))
    var concurrency = 1

    @Option(help: ArgumentHelp("Stop after so many calls.", valueName: "calls"))
    var requests: UInt64?

    @Option(help: ArgumentHelp("Stop after so much time: 10, 500ms, 2m.", valueName: "time"))
    var duration: TimeOption?

    @Option(help: ArgumentHelp("Spread the calls over so many connections.", valueName: "connections"))
    var connections = 1

    @Flag(help: "Print one JSON object instead of the table.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write the latencies, in nanoseconds, to a file in the HdrHistogram log format.", valueName: "file"),
        completion: .file())
    var histogram: String?

    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    var method: String? { request.method }

    func validate() throws {
        if (requests == nil) == (duration == nil) { throw ValidationError("Give --requests or --duration.") }
        if requests == 0 { throw ValidationError("--requests is at least 1.") }
        if duration?.duration == .zero { throw ValidationError("--duration is more than 0.") }
        if connections < 1 { throw ValidationError("--connections is at least 1.") }
        if concurrency < connections { throw ValidationError("--concurrency is at least the number of connections.") }
    }

    func execute() async throws {
        let params = try request.params()
        // Before the load, so that a wrong path is no news after ten minutes.
        if let histogram { try FileBytes.store([], at: histogram) }
        let limit: Workload.Limit =
            if let requests { .requests(requests) } else { .duration(duration?.duration ?? .zero) }
        let workload = Workload(concurrency: concurrency, limit: limit)

        let status = try await LibrarySession.with(url, connection, count: connections) { sessions in
            let callers = sessions.map { session in
                BenchCaller(executor: session.executor) { _ = try await session.call(request.method, params: params) }
            }
            let began = Self.secondsSince1970()
            let measurement = await run(workload, callers)
            try report(measurement, began: began)
            return measurement.status
        }
        try Task.checkCancellation()
        if status != .success { throw Exit(status: status) }
    }

    private static func secondsSince1970() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func run(_ workload: Workload, _ callers: [BenchCaller]) async -> Measurement {
        let counter = CallCounter()
        guard OutputStream.diagnostics.isTerminal, !connection.verbose else {
            return await workload.run(callers, counter: counter)
        }
        let bar = ProgressBar(limit: workload.limit)
        let drawing = Task { await bar.draw(on: .diagnostics, counter: counter) }
        let measurement = await workload.run(callers, counter: counter)
        drawing.cancel()
        await drawing.value
        return measurement
    }

    private func report(_ measurement: Measurement, began: Double) throws {
        if let histogram {
            let log = HistogramLog.log(
                measurement.latencies, start: began, duration: measurement.seconds,
                comment: "jsonrpc bench, latencies in nanoseconds")
            try FileBytes.store(Array(log.utf8), at: histogram)
        }
        let report = BenchReport(measurement: measurement, concurrency: concurrency, connections: connections)
        try OutputStream.standard.write(line: json ? report.json : report.table)
    }
}
