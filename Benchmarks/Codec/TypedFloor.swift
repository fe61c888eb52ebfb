// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import ResultRows
import Simdjson
import WireJSON

/// What is left to gain: the same documents read into the same models in C++, by hand.
func showTypedFloor(twitter: [UInt8]?) throws {
    show(
        "\nThe floor: simdjson's On-Demand API by hand, in C++ (\(SimdjsonTyped.kernel)). "
            + "Ratio: Foundation's time by the other's.\n")
    show("| document | Foundation | WireJSON, Codable | WireJSON, @JSONCodable | On-Demand C++ |")
    show("|---|---|---|---|---|")
    let encoder = WireJSONEncoder()
    let owner = Owner(id: 1, name: "abc", score: 2.5)
    let owners = (0..<10_000).map { Owner(id: $0, name: "name \($0)", score: Double($0) / 8) }
    try floorRow("small object", encoder.encode(owner), Owner.self, Direct.Owner.self, simdjson_typed_owner)
    try floorRow("result of 1.8 KB", encoder.encode(Page()), Page.self, Direct.Page.self, simdjson_typed_page)
    try floorRow("10 000 objects", encoder.encode(owners), [Owner].self, [Direct.Owner].self, simdjson_typed_owners)
    try floorRow(
        twitter == nil ? "generated timeline, typed" : "twitter, typed",
        twitter ?? encoder.encode(Timeline.generated()), Timeline.self, Direct.Timeline.self, simdjson_typed_timeline)
}

private func floorRow<T: Decodable, D: Decodable>(
    _ name: String, _ text: [UInt8], _ codable: T.Type, _ direct: D.Type, _ model: simdjson_typed_model
) throws {
    let (ourDecoder, theirDecoder) = (WireJSONDecoder(), JSONDecoder())
    let data = Data(text)
    let native = SimdjsonTyped(text, as: model, equalTo: try theirDecoder.decode(T.self, from: data))
    let theirs = try Measurement.cost { keep(try theirDecoder.decode(T.self, from: data)) }
    let others = [
        try Measurement.cost { keep(try ourDecoder.decode(T.self, from: text)) },
        try Measurement.cost { keep(try ourDecoder.decode(D.self, from: text)) },
        Measurement.cost { native.decode() },
    ]
    let columns = others.map { cost in
        time(cost.nanoseconds) + String(format: " (%.1fx)", theirs.nanoseconds / cost.nanoseconds)
    }
    show("| \(name) | \(time(theirs.nanoseconds)) | \(columns.joined(separator: " | ")) |")
    try Published(floorOf: name).row(bytes: text.count, others[1], others[2]).record()
}
