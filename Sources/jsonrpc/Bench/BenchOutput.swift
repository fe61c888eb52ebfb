// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The options of `bench` for its results.
struct BenchOutput: ParsableArguments {
    @Flag(help: "Print one JSON object instead of the table. Latencies are in microseconds.")
    var json = false

    @Flag(help: "Print CSV instead of the table: a line of names, then a line for each run.")
    var csv = false

    @Option(
        help: ArgumentHelp(
            "Write the latencies, in nanoseconds, to this file in HdrHistogram log format.", valueName: "file"),
        completion: .file())
    var histogram: String?

    func validate() throws {
        if json, csv { throw ValidationError("Give --json or --csv, not both.") }
    }

    /// Creates the files before the run, so that a wrong path is reported at once.
    func prepare() throws {
        if let histogram { try FileBytes.store([], at: histogram) }
    }

    /// Writes the result.
    func write(_ result: BenchResult) throws {
        if let histogram {
            let log = HistogramLog.log(result.runs, comment: "jsonrpc bench, latencies in nanoseconds")
            try FileBytes.store(Array(log.utf8), at: histogram)
        }
        let report = BenchReport(result: result)
        try OutputStream.standard.write(line: json ? report.json() : csv ? report.csv : report.table)
    }
}

/// The time of the system's clock.
enum SystemTime {
    /// The seconds since 1970.
    static var secondsSince1970: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
