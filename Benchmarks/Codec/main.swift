// swift-jsonrpc · SPDX-License-Identifier: MIT

import AllocationCounter
import Foundation
import WireJSON

/// Writes a line at once, also into a pipe.
func show(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// One line of the table: an operation by WireJSON and the same by Foundation, in the same run.
func row(_ name: String, bytes: Int, ours: () throws -> Void, theirs: () throws -> Void) throws {
    let (our, their) = (try Measurement.cost(of: ours), try Measurement.cost(rounds: 3, of: theirs))
    let columns = [
        name.padding(toLength: 34, withPad: " ", startingAt: 0),
        String(format: "%9d B", bytes), String(format: "%12.0f ns", our.nanoseconds),
        String(format: "%7.0f MB/s", Double(bytes) / our.nanoseconds * 1000),
        String(format: "%9.1f", our.allocations), String(format: "%13.0f ns", their.nanoseconds),
        String(format: "%9.1f", their.allocations), String(format: "%7.1fx", their.nanoseconds / our.nanoseconds),
    ]
    show(columns.joined(separator: " "))
}

/// A codec in both directions. What is decoded is `document`, or what was encoded.
func rows<T: Codable>(_ name: String, _ value: T, document: [UInt8]? = nil) throws {
    let (encoder, decoder, theirEncoder, theirDecoder) = (
        WireJSONEncoder(), WireJSONDecoder(), JSONEncoder(), JSONDecoder()
    )
    let text: [UInt8] = try encoder.encode(value)
    let read = document ?? text
    let data = Data(read)
    try row("decode \(name)", bytes: read.count) {
        keep(try decoder.decode(T.self, from: read))
    } theirs: {
        keep(try theirDecoder.decode(T.self, from: data))
    }
    var buffer: [UInt8] = []
    buffer.reserveCapacity(text.count)
    try row("encode \(name)", bytes: text.count) {
        buffer.removeAll(keepingCapacity: true)
        try encoder.encode(value, into: &buffer)
    } theirs: {
        keep(try theirEncoder.encode(value))
    }
}

/// A text read without a model.
func rows(text: [UInt8], _ name: String) throws {
    let data = Data(text)
    func theirs() throws { keep(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) }
    try row("validate \(name)", bytes: text.count, ours: { keep(try RawJSON(validating: text)) }, theirs: theirs)
    try row("tape of \(name)", bytes: text.count) {
        keep(try WireJSONDecoder().decode(Anything.self, from: text))
    } theirs: {
        try theirs()
    }
    try row("tree of \(name)", bytes: text.count, ours: { keep(try JSONValue(parsing: text)) }, theirs: theirs)
}

let failedKind = allocation_counter_check()
guard failedKind == 0 else {
    fatalError("Allocations of kind \(failedKind) go uncounted: no figure would mean anything.")
}

let folder = ProcessInfo.processInfo.environment["JSON_CORPORA"] ?? "../shared/data/corpora"
func corpus(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: "\(folder)/\(name).json").map { Array($0) }
}

show(
    "operation                              size        WireJSON               allocs      Foundation    allocs   ratio"
)
try rows("integer", 19)
try rows("two integers", [42, 23])
try rows("small object", Owner(id: 1, name: "abc", score: 2.5))
try rows("result of 1.8 KB", Page())
try rows("10 000 objects", (0..<10_000).map { Owner(id: $0, name: "name \($0)", score: Double($0) / 8) })

let response = Array(#"{"jsonrpc":"2.0","id":12345,"result":19}"#.utf8)
try rows(text: response, "response")
let corpora = ["twitter", "citm_catalog", "canada", "github_events"]
for name in corpora {
    if let text = corpus(name) { try rows(text: text, name) }
}
if let twitter = corpus("twitter") {
    try rows("twitter, typed", try JSONDecoder().decode(Timeline.self, from: Data(twitter)), document: twitter)
} else {
    show("The corpora are not at \(folder) (JSON_CORPORA): a generated timeline stands for twitter.json.")
    let timeline = Timeline.generated()
    try rows(text: try WireJSONEncoder().encode(timeline), "generated timeline")
    try rows("generated timeline, typed", timeline)
}

// The cost must grow with the input and no faster.
show("\nTime per byte as the input grows:")
for count in [10, 100, 1000, 10_000, 100_000] {
    let text: [UInt8] = try WireJSONEncoder().encode((0..<count).map { Owner(id: $0, name: "name \($0)", score: 0.5) })
    let cost = try Measurement.cost(rounds: 3) { keep(try WireJSONDecoder().decode([Owner].self, from: text)) }
    show(
        String(
            format: "  array of %8d objects, %10d B: %6.2f ns/B", count, text.count,
            cost.nanoseconds / Double(text.count)))
}
for count in [10, 100, 1000, 10_000, 100_000] {
    let table = Dictionary(uniqueKeysWithValues: (0..<count).map { ("key\($0)", $0) })
    let text: [UInt8] = try WireJSONEncoder().encode(table)
    let cost = try Measurement.cost(rounds: 3) { keep(try WireJSONDecoder().decode([String: Int].self, from: text)) }
    show(
        String(
            format: "  object of %7d members, %10d B: %6.2f ns/B", count, text.count,
            cost.nanoseconds / Double(text.count)))
}
