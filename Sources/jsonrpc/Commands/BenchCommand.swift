// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCHTTP
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
        abstract: "Measure the throughput and the latency of a method.",
        discussion: """
              jsonrpc bench ws://127.0.0.1:8080 echo '[1]' --concurrency 256 --duration 10

            Makes the same call repeatedly. Prints the calls per second and percentiles of the latency.

            The load is a closed loop: --concurrency callers each wait for a response before their next call. A closed \
            loop sends fewer requests to a stalled server, so the percentiles can be lower than under a constant \
            request rate ("coordinated omission").

            Error objects and timeouts count as errors, and their latencies are included. Calls that were lost with \
            the connection count as errors without a latency.

            Over HTTP, each call is a POST on a connection of its own, as far as --connections allows. With --as-batch, \
            calls that are made within --window share a POST:

              jsonrpc bench http://127.0.0.1:6800 m --concurrency 64 --as-batch --duration 9
            """)

    @Argument(help: TargetURL.help)
    var url: String

    @OptionGroup var request: RequestArguments

    @Option(help: ArgumentHelp("Number of calls in flight, over all connections.", valueName: "calls"))
    var concurrency = 1

    @Option(help: ArgumentHelp("Stop after this many calls.", valueName: "calls"))
    var requests: UInt64?

    @Option(help: ArgumentHelp("Stop after this time, in seconds or with a unit: 10, 500ms, 2m.", valueName: "time"))
    var duration: TimeOption?

    @Option(
        help: ArgumentHelp(
            "Number of connections, which share the calls evenly. The default is 1. Over HTTP, it is the maximum number "
                + "of POSTs in flight, and the default is --concurrency, at most \(HTTPPeerSession.maximumPosts).",
            valueName: "connections"))
    var connections: Int?

    @Flag(help: "Print one JSON object instead of the table. Latencies are in microseconds.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write the latencies, in nanoseconds, to this file in HdrHistogram log format.", valueName: "file"),
        completion: .file())
    var histogram: String?

    @OptionGroup(title: "Batches (HTTP only)") var batching: BatchingOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    var method: String? { request.method }

    func validate() throws {
        if requests == nil, duration == nil {
            throw ValidationError("The length of the run is missing. Give --requests or --duration.")
        }
        if requests != nil, duration != nil { throw ValidationError("Give --requests or --duration, not both.") }
        if requests == 0 { throw ValidationError("--requests must be at least 1, not 0.") }
        if duration?.duration == .zero { throw ValidationError("--duration must be greater than 0.") }
        if concurrency < 1 { throw ValidationError("--concurrency must be at least 1, not \(concurrency).") }
        guard let connections else { return }
        if connections < 1 { throw ValidationError("--connections must be at least 1, not \(connections).") }
        if concurrency < connections {
            throw ValidationError(
                "--concurrency \(concurrency) is too low for --connections \(connections): each connection needs at "
                    + "least one call in flight.")
        }
    }

    func execute() async throws {
        let params = try request.params()
        // The file is created before the run, so that a wrong path is reported at once.
        if let histogram { try FileBytes.store([], at: histogram) }
        let limit: Workload.Limit =
            if let requests { .requests(requests) } else { .duration(duration?.duration ?? .zero) }
        let workload = Workload(concurrency: concurrency, limit: limit)

        let status =
            TargetURL.isHTTP(url)
            ? try await measureOverHTTP(workload, params) : try await measureOverWebSocket(workload, params)
        try Task.checkCancellation()
        if status != .success { throw Exit(status: status) }
    }

    private func measureOverWebSocket(_ workload: Workload, _ params: RawJSON?) async throws -> CommandStatus {
        if batching.length != nil { throw UsageError("--as-batch of bench needs an http:// or https:// URL.") }
        let connections = connections ?? 1
        return try await LibrarySession.with(url, connection, count: connections) { sessions in
            let callers = sessions.map { session in
                BenchCaller(executor: session.executor) { _ = try await session.call(request.method, params: params) }
            }
            return try await measure(
                workload, callers, route: "on \(connections) connection\(connections == 1 ? "" : "s")")
        }
    }

    private func measureOverHTTP(_ workload: Workload, _ params: RawJSON?) async throws -> CommandStatus {
        let posts = min(connections ?? concurrency, HTTPPeerSession.maximumPosts)
        let gathering = batching.length.map {
            CallGathering(
                window: batching.window?.duration ?? .zero, maximumMembers: $0, maximumBytes: connection.maxMessageSize)
        }
        let session = try HTTPPeerSession(url, connection, budget: nil, posts: posts, gathering: gathering)
        defer { session.close() }
        let caller = BenchCaller(outlivesConnections: true) {
            _ = try await session.call(request.method, params: params)
        }
        let length = batching.length.map { ", at most \($0) calls in each" } ?? ""
        return try await measure(
            workload, [caller], route: "in at most \(posts) POST\(posts == 1 ? "" : "s")\(length)")
    }

    /// Runs the workload and prints the report.
    private func measure(
        _ workload: Workload, _ callers: [BenchCaller], route: String
    ) async throws -> CommandStatus {
        let began = Self.secondsSince1970()
        let measurement = await run(workload, callers)
        try report(measurement, began: began, route: route)
        return measurement.status
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

    private func report(_ measurement: Measurement, began: Double, route: String) throws {
        if let histogram {
            let log = HistogramLog.log(
                measurement.latencies, start: began, duration: measurement.seconds,
                comment: "jsonrpc bench, latencies in nanoseconds")
            try FileBytes.store(Array(log.utf8), at: histogram)
        }
        let report = BenchReport(measurement: measurement, concurrency: concurrency, route: route)
        try OutputStream.standard.write(line: json ? report.json : report.table)
    }
}
