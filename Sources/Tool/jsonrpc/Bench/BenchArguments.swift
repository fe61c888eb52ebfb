// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket
import LoadTester
import ToolSupport

struct BenchRequestArguments: ParsableArguments {
    @Argument(help: "Name of the method.")
    var method: String?

    @OptionGroup var arguments: ParamArguments

    @Option(
        help: ArgumentHelp(
            "Read the requests from this file instead of the method and params: a JSON object on each line, with the "
                + "members method, params and weight. Placeholders in strings of the params: "
                + RequestTemplate.placeholders + ".", valueName: "file"),
        completion: .file())
    var workload: String?

    @Option(help: "Seed of the random values and of the choice of requests of --workload.")
    var seed: UInt64 = 1

    func validate() throws {
        if workload != nil, method != nil || arguments.option != nil {
            throw ValidationError("Give a method or --workload, not both.")
        }
    }

    var isEmpty: Bool { method == nil && workload == nil && arguments.option == nil }

    var files: [(option: String, path: String)] {
        var files: [(option: String, path: String)] = []
        if let workload { files.append(("--workload", workload)) }
        if case .file(let path)? = arguments.option.map(ParamsOption.init) { files.append(("--params", path)) }
        return files
    }

    func mix() throws -> RequestMix {
        if let workload {
            return try RequestMix(
                workload: FileBytes.contents(of: workload), named: TerminalText.line(workload), seed: seed)
        }
        return RequestMix(method: method ?? "", params: try arguments.params())
    }
}

struct BenchLoadOptions: ParsableArguments {
    static let defaultMaximumInFlight = 10_000

    @Option(
        help: ArgumentHelp(
            "Number of calls in flight, over all connections (a closed loop). The default is 1.", valueName: "calls"))
    var concurrency: Int?

    @Option(
        help: ArgumentHelp(
            "Start this many calls per second, over all connections, whether or not earlier ones have their response "
                + "(an open loop). Latencies begin with the intended start of a call. 100..5000 is a ramp over "
                + "--duration.", valueName: "calls/s"))
    var rate: String?

    @Option(
        help: ArgumentHelp(
            "Maximum number of calls in flight with --rate, over all connections. A call beyond it is not sent, and "
                + "counts as missed. The default is \(defaultMaximumInFlight).", valueName: "calls"))
    var maxInFlight: Int?

    @Flag(help: "Make each call in a task of its own, as many programs do. It costs more processor time.")
    var tasks = false

    @Option(help: ArgumentHelp("Stop after this many calls.", valueName: "calls"))
    var requests: UInt64?

    @Option(
        help: ArgumentHelp(
            "Stop after this time, in seconds or with a unit: 10, 500ms, 2m. The default is 10 s, or no limit with "
                + "--requests.", valueName: "time"))
    var duration: TimeOption?

    /// The time after which a run stops; `nil` for no limit.
    var length: Duration? { duration?.duration ?? (requests == nil ? .seconds(10) : nil) }

    @Option(
        name: .customLong("warm-up"),
        help: ArgumentHelp(
            "Make calls for this time before the first run, and do not count them.", valueName: "time"))
    var warmUp: TimeOption?

    @Option(
        help: ArgumentHelp(
            "Number of runs. The report has the median and the spread (highest minus lowest) of each figure.",
            valueName: "runs"))
    var runs = 1

    var isEmpty: Bool {
        concurrency == nil && rate == nil && maxInFlight == nil && requests == nil && duration == nil && warmUp == nil
            && runs == 1 && !tasks
    }

    /// Checks the options. This is not `validate()`, because `--merge` needs none of them.
    func check() throws {
        if requests != nil, duration != nil { throw ValidationError("Give --requests or --duration, not both.") }
        if requests == 0 { throw ValidationError("--requests must be at least 1, not 0.") }
        if duration?.duration == .zero { throw ValidationError("--duration must be greater than 0.") }
        try OptionChecks.range("--runs", runs, 1...1000)
        try OptionChecks.range("--concurrency", concurrency, 1...1_000_000)
        try OptionChecks.range("--max-in-flight", maxInFlight, 1...1_000_000)
        if maxInFlight != nil, rate == nil {
            throw ValidationError("--max-in-flight needs --rate, which is missing. Without it, use --concurrency.")
        }
        if rate != nil, tasks { throw ValidationError("--tasks has no effect with --rate. Remove one of them.") }
        if rate != nil, concurrency != nil {
            throw ValidationError(
                "Give --rate or --concurrency, not both. With --rate, --max-in-flight limits the calls in flight.")
        }
        do {
            if let profile = try profile(), profile.isRamp, requests != nil {
                throw ValidationError("A ramp needs --duration, and cannot have --requests.")
            }
        } catch let error as UsageError {
            throw ValidationError(error.description)
        }
    }

    /// The rate of an open loop; `nil` for a closed loop.
    private func profile() throws -> RateProfile? {
        guard let rate else { return nil }
        var profile = try RateProfile(parsing: CommandLineWords.unmarked(rate))
        profile.rampSeconds = length?.inSeconds ?? 0
        return profile
    }

    func workload() throws -> Workload {
        let limit: Workload.Limit =
            if let requests { .requests(requests) } else { .duration(length ?? .zero) }
        let shape: Workload.Shape =
            if let profile = try profile() {
                .open(profile, maximumInFlight: maxInFlight ?? Self.defaultMaximumInFlight)
            } else {
                .closed(concurrency: concurrency ?? 1)
            }
        var workload = Workload(shape: shape, limit: limit)
        workload.warmUp = warmUp?.duration ?? .zero
        workload.usesTasks = tasks
        return workload
    }
}
