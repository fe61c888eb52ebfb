// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import WireJSON

/// The cost must grow with the input and no faster.
func showGrowth() throws {
    show("\nTime per byte as the input grows, 1 KB to 100 MB:\n")
    show("| | 1 KB | 10 KB | 100 KB | 1 MB | 10 MB | 100 MB |\n|---|---|---|---|---|---|---|")
    let counts = [25, 250, 2500, 25_000, 240_000, 2_300_000]
    let texts: [[UInt8]] = try counts.map { count in
        try WireJSONEncoder().encode((0..<count).map { Owner(id: $0, name: "name \($0)", score: 0.5) })
    }
    let decoder = WireJSONDecoder()
    try growth("tape of an array of objects", texts) { keep(try decoder.decode(Anything.self, from: $0)) }
    try growth("array of objects, typed", texts) { keep(try decoder.decode([Owner].self, from: $0)) }
    try growth("array of objects, tree", texts) { keep(try JSONValue(parsing: $0)) }
    let widths = [70, 650, 6000, 56_000, 520_000, 4_900_000]
    let wide = widths.map { count in
        Array("{\((0..<count).map { "\"key\($0)\":\($0)" }.joined(separator: ","))}".utf8)
    }
    try growth("one object, as [String: Int]", wide) { keep(try decoder.decode([String: Int].self, from: $0)) }
    try growth("one object, all members by key", Array(wide.prefix(4))) {
        keep(try decoder.decode(Wide.self, from: $0))
    }
}

private func growth(_ name: String, _ texts: [[UInt8]], _ body: ([UInt8]) throws -> Void) throws {
    let costs = try texts.map { text in
        let cost = try Measurement.cost(rounds: text.count > 50_000_000 ? 1 : 3) { try body(text) }
        return String(format: "%.2f ns", cost.nanoseconds / Double(text.count))
    }
    show("| \(name) | \(costs.joined(separator: " | ")) |")
}

/// Asks for each member by its name, the last one first.
private struct Wide: Decodable {
    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var sum = 0

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for number in (0..<container.allKeys.count).reversed() {
            sum &+= try container.decode(Int.self, forKey: Key(stringValue: "key\(number)"))
        }
    }
}

/// What the typed result of 1.8 KB may allocate.
func showAllocations() throws {
    let page = Page()
    let text: [UInt8] = try WireJSONEncoder().encode(page)
    let cost = try Measurement.cost(rounds: 1) { keep(try WireJSONDecoder().decode(Page.self, from: text)) }
    // Strings of up to 15 bytes need no memory of their own.
    let strings = page.items.flatMap { [$0.title] + $0.tags + [$0.owner?.name ?? ""] }.count { $0.utf8.count > 15 }
    let arrays = 1 + 2 * page.items.count
    let objects = 1 + 2 * page.items.count
    show(
        "\nAllocations of the typed result: \(Int(cost.allocations)), where its own strings and arrays are "
            + "\(strings + arrays), and one for each object and five more make \(strings + arrays + objects + 5).")
}
