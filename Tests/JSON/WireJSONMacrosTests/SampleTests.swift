// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSONMacros

// The samples of the doc comments and of the articles.

@JSONCodable(keys: .snakeCase)
struct Order {
    var id: Int
    var customerName: String  // customer_name
    @JSONKey("lines") var items: [Item]
    var note: String?  // missing or null is nil
    var currency = "EUR"  // missing or null is "EUR"
    var placed: Date  // in the form that the coder's strategy has
}

@JSONCodable
struct Item: Equatable {
    var title: String
    var price: Double
}

@JSONCodable
enum Delivery: Equatable {
    case pickup  // {"pickup":{}}
    case parcel(weight: Double, insured: Bool?)  // {"parcel":{"weight":2.5}}
}

@Suite(.inTurn) struct SampleTests {
    @Test func orderIsRead() throws {
        let bytes = Array(#"{"id":1,"customer_name":"n","lines":[{"title":"t","price":2}],"placed":0}"#.utf8)

        let order = try WireJSONDecoder().decode(Order.self, from: bytes)
        #expect(order.customerName == "n")
        #expect(order.items == [Item(title: "t", price: 2)])
        #expect(order.currency == "EUR")
        #expect(order.note == nil)
    }

    @Test func casesAreObjectsWithOneMember() throws {
        let text: [UInt8] = try WireJSONEncoder().encode([Delivery.pickup, .parcel(weight: 2.5, insured: nil)])
        #expect(String(decoding: text, as: UTF8.self) == #"[{"pickup":{}},{"parcel":{"weight":2.5}}]"#)
        #expect(
            try WireJSONDecoder().decode([Delivery].self, from: text) == [.pickup, .parcel(weight: 2.5, insured: nil)])
    }
}
