// swift-jsonrpc · SPDX-License-Identifier: MIT

import AllocationCounter
import Dispatch
import Foundation

// One kind of exchange, many times, and one line of JSON with the measurements. The clients in this folder print the
// same line.

let words = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
guard words.count == 4, let concurrency = Int(words[2]), let count = Int(words[3]), concurrency > 0, count > 0 else {
    fail("usage: http-probe WAY URL CONCURRENCY COUNT [--allocations]", status: 2)
}
let countsAllocations = CommandLine.arguments.contains("--allocations")

// The main thread waits here. In an asynchronous program, Dispatch would suspend it in a call in which valgrind 3.19 fails.
let done = DispatchSemaphore(value: 0)
Task.detached {
    await measure(words: words, concurrency: concurrency, count: count, countsAllocations: countsAllocations)
    done.signal()
}
done.wait()

func measure(words: [String], concurrency: Int, count: Int, countsAllocations: Bool) async {
    do {
        if words[0].hasPrefix("encode-") {
            let encoding = try BatchEncoding(members: concurrency, areCalls: words[0] == "encode-calls")
            for _ in 0..<count { await encoding.run() }
            print("{\"bytes\":\(encoding.bytes)}")
            return
        }
        guard let way = try Way.named(words[0], url: words[1]) else {
            fail("There is no way '\(words[0])'.", status: 2)
        }
        // Makes the connections.
        _ = try await Workload(way: way, concurrency: concurrency, count: 2 * concurrency).run()
        if countsAllocations, allocation_counter_check() != 0 { fail("Allocations are not counted on this system.") }
        print(try await Workload(way: way, concurrency: concurrency, count: count).run(countsAllocations).json)
    } catch {
        fail("\(error)")
    }
}

func fail(_ reason: String, status: Int32 = 1) -> Never {
    FileHandle.standardError.write(Data("http-probe: \(reason)\n".utf8))
    exit(status)
}
