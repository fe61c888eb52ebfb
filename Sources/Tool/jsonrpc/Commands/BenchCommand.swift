// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCHTTP
import JSONRPCWebSocket
import LoadTester
import ToolSupport

struct BenchCommand: URLCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure the throughput and the latency of a method.",
        discussion: """
              jsonrpc bench ws://127.0.0.1:8080 echo '[1]' --concurrency 256 --duration 10
              jsonrpc bench localhost:8080 echo --rate 1000 --duration 10 --warm-up 2
              jsonrpc bench localhost:8080 echo --rate 100..5000 --html report.html
              jsonrpc bench localhost:8080 echo --requests 9999 --runs 5 --json > a.json
              jsonrpc bench localhost:8080 echo --requests 9999 --runs 5 --compare a.json
              jsonrpc bench localhost:8080 --workload w.ndjson --rate 500 --duration 9
              jsonrpc bench --merge one.hlog two.hlog --html report.html

            Makes calls for 10 seconds, or as --requests or --duration say, and prints the calls per second and percentiles of the latency.

            By default the load is a closed loop: --concurrency calls are in flight, and each response starts the next \
            call. A closed loop sends fewer requests to a stalled server, so the percentiles can be lower than under a \
            constant request rate ("coordinated omission").

            With --rate the load is an open loop: calls start at a constant rate, and a latency begins with the \
            intended start of the call. A stalled server therefore shows in the percentiles. Calls that are not sent \
            because --max-in-flight calls wait for a response are counted as missed. So are calls that the tool was \
            too slow to send until 2 s after --duration.

            A line of a --workload file is a request. Requests are chosen at random by their weights:

              {"method":"user.get","params":{"id":"{{random 1..1000}}"},"weight":9}
              {"method":"user.add","params":["user-{{counter}}"]}

            --merge makes no calls. It reports the logs that runs on several machines have written with --histogram.

            Error objects and timeouts count as errors, and their latencies are included. Calls that were lost with \
            the connection, or could not connect, count as errors without a latency. The throughput counts the calls \
            that were answered, with a result or an error.

            Over HTTP, each call is a POST on a connection of its own, as far as --connections allows. With --as-batch, \
            calls that are made within --window share a POST:

              jsonrpc bench http://127.0.0.1:6800/jsonrpc aria2.getVersion \\
                --concurrency 64 --as-batch
            """)

    @Argument(help: TargetURL.help)
    var peer: String?

    @OptionGroup var request: BenchRequestArguments
    @OptionGroup var load: BenchLoadOptions

    @Option(
        help: ArgumentHelp(
            "Number of connections, which share the calls evenly. The default is 1. Over HTTP, it is the maximum number "
                + "of POSTs in flight, and the default is --concurrency or --max-in-flight, at most \(HTTPPeerSession.maximumPosts).",
            valueName: "connections"))
    var connections: Int?

    @Option(
        help: ArgumentHelp(
            "Number of threads that serve the connections (WebSocket only). The default is --connections, at most 4.",
            valueName: "threads"))
    var eventLoops: Int?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Make no calls, but one report of these HdrHistogram logs, whose values must be nanoseconds.",
            valueName: "file"),
        completion: .file())
    var merge: [String] = []

    @OptionGroup var output: BenchOutput
    @OptionGroup(title: "Batches (HTTP only)") var batching: BatchingOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    var url: String { peer ?? "" }
    var method: String? { request.method }

    func validate() throws {
        if !merge.isEmpty {
            if peer != nil || !request.isEmpty || !load.isEmpty || connections != nil || eventLoops != nil
                || batching.length != nil
            {
                throw ValidationError("--merge makes no calls. Give it only files and the options for the report.")
            }
            return
        }
        if peer == nil { throw ValidationError("Missing expected argument '<url>'") }
        if request.method == nil, request.workload == nil {
            throw ValidationError("Missing expected argument '<method>'. Give a method or --workload.")
        }
        try load.check()
        try OptionChecks.range("--event-loops", eventLoops, 1...64)
        if eventLoops != nil, TargetURL.isHTTP(url) {
            throw ValidationError("--event-loops needs a ws:// or wss:// URL.")
        }
        try OptionChecks.range("--connections", connections, 1...100_000)
        if let connections, load.rate == nil, load.concurrency ?? 1 < connections {
            throw ValidationError(
                "--concurrency \(load.concurrency ?? 1) is too low for --connections \(connections): each connection "
                    + "needs at least one call in flight.")
        }
    }

    func execute() async throws {
        if !merge.isEmpty { return try mergeLogs() }
        var workload = try load.workload()
        workload.mix = try request.mix()
        let settings = settings(workload)
        let baseline = try output.prepare(settings, inputs: request.files)
        // The report is printed before the closing handshake, which a peer can delay.
        let report: @Sendable ([BenchRun]) throws -> CommandStatus = { [workload] runs in
            let result = BenchResult(settings: settings, runs: runs)
            let hasRegression = try output.write(
                result, comparedWith: baseline, params: workload.mix.params)
            return .worst(result.total.status, hasRegression ? .regression : .success)
        }
        let status =
            TargetURL.isHTTP(url)
            ? try await measureOverHTTP(workload, posts: settings.connections, report)
            : try await measureOverWebSocket(workload, connections: settings.connections, report)
        try Task.checkCancellation()
        if status != .success { throw Exit(status: status) }
    }

    private func mergeLogs() throws {
        let logs = try merge.map { file in
            (name: file, intervals: try HistogramLogReader.intervals(of: FileBytes.contents(of: file), named: file))
        }
        let result = try BenchResult(merging: logs)
        let baseline = try output.prepare(result.settings, inputs: merge.map { ("--merge", $0) })
        // The errors of the runs had their exit status then.
        if try output.write(result, comparedWith: baseline, params: nil) { throw Exit(status: .regression) }
    }

    private func settings(_ workload: Workload) -> BenchSettings {
        // A query can hold a token, and reports are passed on.
        let target = UsageText.withoutSecrets(url).prefix { $0 != "?" && $0 != "#" }
        var settings = BenchSettings(target: String(target), methods: workload.mix.methods)
        settings.requestsChecksum = workload.mix.checksum
        settings.batchLength = batching.length
        settings.requests = load.requests
        settings.duration = load.length?.inSeconds
        settings.warmUp = load.warmUp?.duration.inSeconds
        let inFlight: Int
        switch workload.shape {
        case .closed(let concurrency):
            settings.concurrency = concurrency
            if workload.usesTasks { settings.load = "closed-tasks" }
            inFlight = concurrency
        case .open(let profile, let maximumInFlight):
            settings.load = "open"
            settings.rate = profile.text
            settings.maximumInFlight = maximumInFlight
            inFlight = maximumInFlight
        }
        if TargetURL.isHTTP(url) {
            let posts = min(connections ?? inFlight, HTTPPeerSession.maximumPosts)
            let length = batching.length.map { ", at most \($0) calls in each" } ?? ""
            settings.connections = posts
            settings.route = "in at most \(posts) POST\(posts == 1 ? "" : "s")\(length)"
        } else {
            settings.connections = connections ?? 1
            settings.route = "on \(settings.connections) connection\(settings.connections == 1 ? "" : "s")"
        }
        return settings
    }

    // MARK: Runs

    private func measureOverWebSocket(
        _ workload: Workload, connections: Int, _ report: @Sendable ([BenchRun]) throws -> CommandStatus
    ) async throws -> CommandStatus {
        if batching.length != nil { throw UsageError("--as-batch of bench needs an http:// or https:// URL.") }
        return try await LibrarySession.with(
            url, connection, count: connections, eventLoops: eventLoops ?? min(connections, 4)
        ) { sessions in
            let callers = sessions.map { session in
                BenchCaller(
                    executor: session.executor, many: session.caller, failure: { CallFailure(session.failure($0)) },
                    call: { _ = try await session.call($0.method, params: $0.params) })
            }
            return try report(await runs(workload, callers))
        }
    }

    private func measureOverHTTP(
        _ workload: Workload, posts: Int, _ report: @Sendable ([BenchRun]) throws -> CommandStatus
    ) async throws -> CommandStatus {
        let gathering = batching.length.map {
            CallGathering(
                window: batching.window?.duration ?? .zero, maximumMembers: $0, maximumBytes: connection.maxMessageSize)
        }
        let session = try HTTPPeerSession(url, connection, budget: nil, posts: posts, gathering: gathering)
        defer { session.close() }
        let caller = BenchCaller(
            outlivesConnections: true, failure: { CallFailure($0) },
            call: { _ = try await session.call($0.method, params: $0.params) })
        return try report(await runs(workload, [caller]))
    }

    private func runs(_ workload: Workload, _ callers: [BenchCaller]) async -> [BenchRun] {
        var workload = workload
        var runs: [BenchRun] = []
        for number in 1...load.runs {
            let run = await run(workload, callers, number)
            runs.append(run)
            workload.warmUp = .zero
            if Task.isCancelled || !run.measurement.isRepeatable(callers) { break }
        }
        return runs
    }

    private func run(_ workload: Workload, _ callers: [BenchCaller], _ number: Int) async -> BenchRun {
        let counter = CallCounter()
        let recorder = LatencyRecorder(methods: workload.mix.methods)
        var drawing: Task<Void, Never>?
        // A dumb terminal cannot clear the line.
        if OutputStream.diagnostics.isTerminal, !connection.verbose, Environment.value("TERM") != "dumb" {
            // A character in the last column would wrap.
            let columns = TerminalMode.columns(of: OutputStream.diagnostics.descriptor) - 1
            let bar = ProgressBar(
                limit: workload.limit, warmUp: workload.warmUp,
                width: columns < 110 ? 12 : 30, title: load.runs == 1 ? "" : "run \(number)/\(load.runs)",
                columns: columns)
            drawing = Task {
                await bar.draw(counter: counter, recorder: recorder) {
                    try? OutputStream.diagnostics.write(Array($0.utf8))
                }
            }
        }
        let measurement = await workload.run(callers, recorder: recorder, counter: counter)
        drawing?.cancel()
        await drawing?.value
        return BenchRun(measurement: measurement, began: measurement.began, name: "run \(number)")
    }
}
