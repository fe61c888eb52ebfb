// swift-jsonrpc · SPDX-License-Identifier: MIT

import AllocationCounter
import Foundation
import JSONRPCCore
import ResultRows
import WireJSON

/// Writes a line at once, also into a pipe.
func show(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// One line of the table: an operation by WireJSON, the same by Foundation and by simdjson where they have it, in one
/// run. A ratio above one says that WireJSON takes less time.
///
/// - Parameter places: Where the row stands in the results, if it does.
func row(
    _ name: String, bytes: Int, published places: [Published?] = [], ours: () throws -> Void,
    theirs: (() throws -> Void)?, simdjson: SimdjsonText? = nil
) throws {
    let our = try Measurement.cost(of: ours)
    let their = try theirs.map { try Measurement.cost(rounds: 3, of: $0) }
    let native = simdjson.map { text in Measurement.cost { text.parse() } }
    func ratio(_ cost: Cost?) -> String {
        cost.map { String(format: "%.*fx", $0.nanoseconds < our.nanoseconds ? 2 : 1, $0.nanoseconds / our.nanoseconds) }
            ?? ""
    }
    let columns = [
        name, "\(bytes)", time(our.nanoseconds), String(format: "%.0f", Double(bytes) / our.nanoseconds * 1000),
        String(format: "%.0f", our.allocations), their.map { time($0.nanoseconds) } ?? "",
        their.map { String(format: "%.0f", $0.allocations) } ?? "", ratio(their), ratio(native),
    ]
    show("| " + columns.joined(separator: " | ") + " |")
    for case let place? in places {
        guard let peer = place.isBesideSimdjson ? native : their else { continue }
        try place.row(bytes: bytes, our, peer).record()
    }
}

func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e4: String(format: "%.0f ns", nanoseconds)
    case ..<1e7: String(format: "%.1f µs", nanoseconds / 1e3)
    default: String(format: "%.1f ms", nanoseconds / 1e6)
    }
}

/// A codec in both directions. What is decoded is `document`, or what was encoded.
func rows<T: Codable>(_ name: String, _ value: T, document: [UInt8]? = nil) throws {
    let (encoder, decoder, theirEncoder, theirDecoder) = (
        WireJSONEncoder(), WireJSONDecoder(), JSONEncoder(), JSONDecoder()
    )
    let text: [UInt8] = try encoder.encode(value)
    let read = document ?? text
    let data = Data(read)
    try row("decode \(name)", bytes: read.count, published: [Published("decode, Codable", name)]) {
        keep(try decoder.decode(T.self, from: read))
    } theirs: {
        keep(try theirDecoder.decode(T.self, from: data))
    }
    var buffer: [UInt8] = []
    buffer.reserveCapacity(text.count)
    try row("encode \(name)", bytes: text.count, published: [Published("encode, Codable", name)]) {
        buffer.removeAll(keepingCapacity: true)
        try encoder.encode(value, into: &buffer)
    } theirs: {
        keep(try theirEncoder.encode(value))
    }
}

/// A codec in both directions, with models that have the macro. Foundation's coders get the same models with `Codable`.
func directRows<T: Codable, D: Codable>(
    _ name: String, _ value: T, as direct: D.Type, document: [UInt8]? = nil
) throws {
    let (encoder, decoder, theirEncoder, theirDecoder) = (
        WireJSONEncoder(), WireJSONDecoder(), JSONEncoder(), JSONDecoder()
    )
    let text: [UInt8] = try encoder.encode(value)
    let read = document ?? text
    let data = Data(read)
    let own = try decoder.decode(D.self, from: read)
    guard try encoder.encode(own) == text else { fatalError("\(D.self) is not written as \(T.self)") }
    try row("decode \(name), @JSONCodable", bytes: read.count, published: [Published("decode, @JSONCodable", name)]) {
        keep(try decoder.decode(D.self, from: read))
    } theirs: {
        keep(try theirDecoder.decode(T.self, from: data))
    }
    var buffer: [UInt8] = []
    buffer.reserveCapacity(text.count)
    try row("encode \(name), @JSONCodable", bytes: text.count, published: [Published("encode, @JSONCodable", name)]) {
        buffer.removeAll(keepingCapacity: true)
        try encoder.encode(own, into: &buffer)
    } theirs: {
        keep(try theirEncoder.encode(value))
    }
}

/// What `Codable` itself takes of a codec's time: the least that any coder can reach.
func floorRow<T: Codable>(_ name: String, _ value: T) throws {
    let (encoder, decoder) = (WireJSONEncoder(), WireJSONDecoder())
    let text: [UInt8] = try encoder.encode(value)
    let data = Data(text)
    var buffer: [UInt8] = []
    buffer.reserveCapacity(text.count)
    let decoding = (
        idle: try Measurement.cost { keep(try T(from: IdleDecoder())) },
        ours: try Measurement.cost { keep(try decoder.decode(T.self, from: text)) },
        theirs: try Measurement.cost { keep(try JSONDecoder().decode(T.self, from: data)) }
    )
    let encoding = (
        idle: try Measurement.cost { try value.encode(to: IdleEncoder()) },
        ours: try Measurement.cost {
            buffer.removeAll(keepingCapacity: true)
            try encoder.encode(value, into: &buffer)
        },
        theirs: try Measurement.cost { keep(try JSONEncoder().encode(value)) }
    )
    for (verb, cost) in [("decode", decoding), ("encode", encoding)] {
        show(
            "| \(verb) \(name) | \(time(cost.idle.nanoseconds)) | \(time(cost.ours.nanoseconds)) "
                + String(format: "| %.1fx ", cost.theirs.nanoseconds / cost.ours.nanoseconds)
                + String(format: "| %.1fx |", cost.theirs.nanoseconds / cost.idle.nanoseconds))
    }
}

/// A text read without a model.
func rows(text: [UInt8], _ name: String) throws {
    let data = Data(text)
    func theirs() throws { keep(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) }
    let simdjson = SimdjsonText(text)
    try row(
        "validate \(name)", bytes: text.count,
        published: [Published(validating: name), Published("validate", untyped: name)],
        ours: { keep(try RawJSON(validating: text)) }, theirs: theirs, simdjson: simdjson)
    try row(
        "decode nothing of \(name)", bytes: text.count,
        ours: { keep(try WireJSONDecoder().decode(Anything.self, from: text)) },
        theirs: { keep(try JSONDecoder().decode(Anything.self, from: data)) })
    try row(
        "tree of \(name)", bytes: text.count, published: [Published("tree", untyped: name)],
        ours: { keep(try JSONValue(parsing: text)) }, theirs: theirs, simdjson: simdjson)
}

/// Finding the members of a message.
func envelopeRow(_ name: String, _ text: [UInt8]) throws {
    let scanner = EnvelopeScanner()
    var members: [MessageEnvelope] = []
    try row(
        "envelope of \(name)", bytes: text.count, published: [Published(validating: "the envelope of \(name)")],
        ours: { keep(try text.withUnsafeBytes { bytes in try scanner.scan(bytes, members: &members) }) },
        theirs: { keep(try JSONSerialization.jsonObject(with: Data(text))) }, simdjson: SimdjsonText(text))
}

let failedKind = allocation_counter_check()
guard failedKind == 0 else {
    fatalError("Allocations of kind \(failedKind) go uncounted: no figure would mean anything.")
}

let folder = ProcessInfo.processInfo.environment["JSON_CORPORA"] ?? "../shared/data/corpora"
func corpus(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: "\(folder)/\(name).json").map { Array($0) }
}

show("A ratio is the other's time by WireJSON's; simdjson is \(SimdjsonText.kernel), its DOM, parser reused.\n")
show("| operation | bytes | WireJSON | MB/s | allocations | Foundation | allocations | ratio | simdjson |")
show("|---|---|---|---|---|---|---|---|---|")
let response = Array(#"{"jsonrpc":"2.0","id":12345,"result":19}"#.utf8)
let request = Array(#"{"jsonrpc":"2.0","id":12345,"method":"subtract","params":[42,23,"a"]}"#.utf8)
try envelopeRow("a response", response)
try envelopeRow("a request", request)
try rows("integer", 19)
try rows("two integers", [42, 23])
try rows("small object", Owner(id: 1, name: "abc", score: 2.5))
try directRows("small object", Owner(id: 1, name: "abc", score: 2.5), as: Direct.Owner.self)
try rows("result of 1.8 KB", Page())
try directRows("result of 1.8 KB", Page(), as: Direct.Page.self)
try rows("10 000 objects", (0..<10_000).map { Owner(id: $0, name: "name \($0)", score: Double($0) / 8) })
try directRows(
    "10 000 objects", (0..<10_000).map { Owner(id: $0, name: "name \($0)", score: Double($0) / 8) },
    as: [Direct.Owner].self)

try rows("object of 10 000 members", Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("key\($0)", $0) }))
try rows(text: response, "a response")
let corpora = ["twitter", "citm_catalog", "canada", "github_events"]
for name in corpora {
    if let text = corpus(name) { try rows(text: text, name) }
}
if let twitter = corpus("twitter") {
    let timeline = try JSONDecoder().decode(Timeline.self, from: Data(twitter))
    try rows("twitter, typed", timeline, document: twitter)
    try directRows("twitter, typed", timeline, as: Direct.Timeline.self, document: twitter)
} else {
    show("The corpora are not at \(folder) (JSON_CORPORA): a generated timeline stands for twitter.json.")
    let timeline = Timeline.generated()
    try rows(text: try WireJSONEncoder().encode(timeline), "generated timeline")
    try rows("generated timeline, typed", timeline)
}

try showTypedFloor(twitter: corpus("twitter"))

show("\nA coder which does nothing takes the time that `Codable` takes, and no coder can take less:\n")
show("| operation | doing nothing | WireJSON | Foundation by WireJSON | Foundation by doing nothing |")
show("|---|---|---|---|---|")
try floorRow("small object", Owner(id: 1, name: "abc", score: 2.5))
try floorRow("result of 1.8 KB", Page())

try showAllocations()
try showGrowth()
