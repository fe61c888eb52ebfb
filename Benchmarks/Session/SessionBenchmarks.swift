// swift-jsonrpc · SPDX-License-Identifier: MIT

import Benchmark
import SessionWorkload
let benchmarks: @Sendable () -> Void = {
    Benchmark("noop") { benchmark in for _ in benchmark.scaledIterations { blackHole(check()) } }
}
