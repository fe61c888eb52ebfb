// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import LoadTester
import ToolSupport

struct BenchOutput: ParsableArguments {
    @Flag(help: "Print one JSON object instead of the table. Latencies are in microseconds.")
    var json = false

    @Flag(help: "Print CSV instead of the table: a line of names, then a line for each run.")
    var csv = false

    @Option(
        help: ArgumentHelp(
            "Write an HTML page with charts of the latencies and of the throughput over time to this file. The page "
                + "loads nothing and runs no script. It shows the params and the command line, without the values of "
                + "header fields and of --extra.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @Option(
        help: ArgumentHelp(
            "Write the latencies, in nanoseconds, to this file in HdrHistogram log format.", valueName: "file"),
        completion: .file())
    var histogram: String?

    @Option(
        help: ArgumentHelp(
            "Compare with an earlier result of --json, which must have the same load. The exit status is 7 if a median "
                + "is worse by more than the spread of the runs and by more than --tolerance.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var compare: String?

    @Option(
        help: ArgumentHelp(
            "Smallest change that --compare reports, in percent of the earlier median. The default is 5.",
            valueName: "percent"))
    var tolerance: Double?

    private static let defaultTolerance = 5.0

    func validate() throws {
        if json, csv { throw ValidationError("Give --json or --csv, not both.") }
        guard let tolerance else { return }
        // NaN is in no range.
        if !(0...1000).contains(tolerance) {
            throw ValidationError("--tolerance must be from 0 to 1000 percent, not \(tolerance).")
        }
        if compare == nil { throw ValidationError("--tolerance needs --compare, which is missing.") }
    }

    /// Reads the earlier result, and creates missing files, so that a wrong path is reported before the run.
    ///
    /// - Parameter inputs: The options and paths of the files that the command reads, except for `--compare`.
    /// - Returns: The earlier result; `nil` without `--compare`.
    func prepare(_ settings: BenchSettings, inputs: [(option: String, path: String)]) throws -> BenchBaseline? {
        let baseline = try compare.map { try BenchBaseline(FileBytes.contents(of: $0), path: $0) }
        try baseline?.check(settings)
        for file in [html, histogram] { if let file { try FileBytes.checkWritable(file) } }
        try checkPaths(inputs)
        for warning in baseline?.warnings(settings) ?? [] { OutputStream.diagnostics.say("jsonrpc: \(warning)") }
        return baseline
    }

    /// Checks that no result would replace another one, or a file that is read. All files exist.
    private func checkPaths(_ inputs: [(option: String, path: String)]) throws {
        var used = inputs
        if let compare { used.append(("--compare", compare)) }
        for (option, path) in [("--html", html), ("--histogram", histogram)] {
            guard let path else { continue }
            if let other = used.first(where: { FileBytes.isSameFile($0.path, path) }) {
                throw UsageError("\(other.option) and \(option) name the same file, \(path). Give another file.")
            }
            used.append((option, path))
        }
    }

    /// Writes the result to each place. A failure does not affect the other places.
    ///
    /// - Parameter params: The params of each request, as JSON; `nil` for merged logs.
    /// - Returns: Whether the comparison found a regression.
    /// - Throws: The first failure.
    func write(_ result: BenchResult, comparedWith baseline: BenchBaseline?, params: [String]?) throws -> Bool {
        let comparison = baseline.map { BenchComparison($0, result, tolerance: tolerance ?? Self.defaultTolerance) }
        let writings: [() throws -> Void] = [
            { try print(result, comparison) },
            {
                guard let histogram else { return }
                let log = try HistogramLog.log(result.runs, comment: "jsonrpc bench, latencies in nanoseconds")
                try FileBytes.store(Array(log.utf8), at: histogram)
            },
            {
                guard let html else { return }
                let conditions = BenchConditions(
                    began: result.runs.first?.began ?? SystemTime.secondsSince1970, params: params,
                    arguments: Array(CommandLine.arguments.dropFirst()))
                let page = BenchPage(result: result, comparison: comparison, conditions: conditions.rows)
                try FileBytes.store(Array(page.html.utf8), at: html)
            },
        ]
        var failure: (any Error)?
        for writing in writings {
            do { try writing() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        return comparison?.hasRegression == true
    }

    private func print(_ result: BenchResult, _ comparison: BenchComparison?) throws {
        let report = BenchReport(result: result)
        if json {
            try OutputStream.standard.write(line: report.json(comparison: comparison?.json))
        } else if csv {
            try OutputStream.standard.write(line: report.csv)
            if let comparison { OutputStream.diagnostics.say(comparison.table) }
        } else {
            try OutputStream.standard.write(line: report.table)
            if let comparison { try OutputStream.standard.write(line: "\n\(comparison.table)") }
        }
    }
}
