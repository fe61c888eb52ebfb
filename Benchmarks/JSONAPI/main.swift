// swift-jsonrpc · SPDX-License-Identifier: MIT

import AllocationCounter
import Foundation
import JSONAPI
import ResultRows
import WireJSON

/// Writes a line at once, also into a pipe.
func show(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// A way to read a document.
struct Reading {
    var name: String
    /// How many times as fast typed resources are to be.
    var aim: Double?
    /// Reads a document. The arguments are its bytes, as an array and as `Data`.
    var read: ([UInt8], Data) throws -> Void
}

/// Decodes the attributes of all resources, as the other ways do.
func decodeAttributes(of document: RawDocument) throws {
    for resource in (document.data?.resources ?? []) + (document.included ?? []) {
        switch resource.type {
        case "articles": keep(try resource.attributes?.decode(as: ArticleAttributes.self))
        case "people": keep(try resource.attributes?.decode(as: PersonAttributes.self))
        default: keep(try resource.attributes?.decode(as: CommentAttributes.self))
        }
    }
}

let readings = [
    Reading(name: "raw document") { bytes, _ in keep(try RawDocument(parsing: bytes)) },
    Reading(name: "raw document, attributes and index") { bytes, _ in
        let document = try RawDocument(parsing: bytes)
        try decodeAttributes(of: document)
        keep(ResourceIndex(document))
    },
    Reading(name: "typed resources") { bytes, _ in
        keep(try JSONAPIDocument(parsing: bytes).resources(as: Article.self))
    },
    Reading(name: "JSONDecoder, Codable structs", aim: 3) { _, data in
        keep(try JSONDecoder().decode(CodableDocument.self, from: data))
    },
    Reading(name: "JSONSerialization, class instances", aim: 5) { _, data in keep(try ObjectGraph(data)) },
]

let failedKind = allocation_counter_check()
guard failedKind == 0 else {
    fatalError("Allocations of kind \(failedKind) go uncounted: no figure would mean anything.")
}

// For profilers: `jsonapi-table profile typed 1000` reads documents with 1000 included resources by one way alone.
let arguments = CommandLine.arguments
if arguments.count == 4, arguments[1] == "profile", let count = Int(arguments[3]) {
    let bytes = CompoundText.articles(included: count)
    for reading in readings where reading.name.hasPrefix(arguments[2]) {
        for _ in 0..<(1_000_000 / max(1, count)) { try reading.read(bytes, Data(bytes)) }
    }
    exit(0)
}

let counts = [10, 100, 1000, 10_000]
show("Reading a compound document: processor time and allocations per resource, by the number of included resources.")
show("A ratio is the other's time by the time of typed resources (above 1, typed resources are faster).\n")
show("| | " + counts.map { "\($0)" }.joined(separator: " | ") + " | allocations at 1000 |")
show("|---|" + String(repeating: "---|", count: counts.count + 1))
var costs: [[Cost]] = []
let typed = 2
for reading in readings {
    costs.append(
        try counts.map { count in
            let bytes = CompoundText.articles(included: count)
            let data = Data(bytes)
            return try Measurement.cost { try reading.read(bytes, data) }
        })
    let resources = counts.map { Double($0 + max(1, $0 / 10)) }
    let columns = zip(costs[costs.count - 1], resources).enumerated().map { column, pair in
        let time = String(format: "%.0f ns", pair.0.nanoseconds / pair.1)
        guard costs.count > typed + 1 else { return time }
        return time + String(format: " (%.1fx)", pair.0.nanoseconds / costs[typed][column].nanoseconds)
    }
    let allocations = String(format: "%.0f", costs[costs.count - 1][2].allocations / resources[2])
    show("| \(reading.name) | \(columns.joined(separator: " | ")) | \(allocations) |")
    guard costs.count > typed + 1, let theirs = costs.last else { continue }
    for (column, count) in counts.enumerated() {
        // Thousands of resources in a second.
        let rates = [costs[typed][column], theirs[column]].map { resources[column] / $0.nanoseconds * 1e6 }
        try ResultRow(
            part: "Reading a compound document", name: "typed resources, \(count) included", unit: "1000 resources/s",
            ours: rates[0], peer: reading.name, theirs: rates[1], aim: reading.aim, line: "typed resources",
            at: "\(count)"
        ).record()
    }
}
let sizes = counts.map { "\($0): \(CompoundText.articles(included: $0).count)" }
show("\nBytes of the documents: \(sizes.joined(separator: ", ")).")
try showUpdates()
