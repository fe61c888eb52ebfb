// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import WireJSONMacros

// Each type twice: with the macro, and with the compiler's coding.

enum Written {
    @JSONCodable struct Item {
        var name: String
        var price: Double?
    }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    @JSONCodable struct Order {
        var id: Int
        var items: [Item]
        var note: String?
        var alias: OptionalAlias
        var doubly: Int??
        var unwrapped: Int!
        var long: Optional<Optional<[String]>>
        let version = 3
        var date: Date
        var parts: [Self]?
    }

    @JSONCodable struct Ordered {
        var a: Int, b: Int
        var c = 5
        var d: String?
        enum CodingKeys: String, CodingKey { case d, b = "B", a }
    }

    @JSONCodable struct Names {
        var a23456: Int
        var a234567: Int
        var a2345678: Int
        var a23456789: Int?
        var a2345678901234: Int
        var a23456789012345: Int?
        var a234567890123456: Int
        var a2345678901234567: Int
        var été: Int?
        var 名前: String?
        var `a name`: Item?
        var 😀: Item?
    }

    @JSONCodable struct Constants {
        let kind = "k"
        let list: [Int] = [1]
    }

    @JSONCodable struct Page<Element, Tag> {
        var elements: [Element]
        var next: Element
    }

    @JSONCodable enum Event {
        case none
        case some(Int)
        case pair(String, value: Double?)
        case labels(`self`: Int?, Type: Int?, `for`: Int?)
        case item(Item?, _ note: OptionalAlias, `in`: [Int])
        case renamed(by: Int, Int?)
        case `default`(`default`: Int, `inout`: Int)
        indirect case nested(Self)
        case été(Int)
        enum RenamedCodingKeys: String, CodingKey { case by = "user", _1 = "at" }
        enum étéCodingKeys: String, CodingKey { case _0 = "year" }
    }

    @JSONCodable enum Color: Swift.String { case red, green = "g/\"r", `default` }
    @JSONCodable enum Level: Int128 {
        case low = 1
        case high = 170_141_183_460_469_231_731_687_303_715_884_105_727
    }
    @JSONCodable enum Ratio: Double { case half = 0.5, one = 1 }
    @JSONCodable enum Half: Float16 { case half = 0.5 }
    @JSONCodable enum Extended: String { case red, blue, `default` }
    @JSONCodable enum Lenient: String {
        case yes, no
        init?(rawValue: String) {
            switch rawValue.lowercased() {
            case "yes", "y": self = .yes
            case "no", "n": self = .no
            default: return nil
            }
        }
    }
}

enum Derived {
    struct Item: Codable {
        var name: String
        var price: Double?
    }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    struct Order: Codable {
        var id: Int
        var items: [Item]
        var note: String?
        var alias: OptionalAlias
        var doubly: Int??
        var unwrapped: Int!
        var long: Optional<Optional<[String]>>
        private(set) var version = 3
        var date: Date
        var parts: [Self]?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            items = try container.decode([Item].self, forKey: .items)
            note = try container.decodeIfPresent(String.self, forKey: .note)
            alias = try container.decodeIfPresent(String.self, forKey: .alias)
            doubly = try container.decodeIfPresent(Int?.self, forKey: .doubly)
            unwrapped = try container.decodeIfPresent(Int.self, forKey: .unwrapped)
            long = try container.decodeIfPresent([String]?.self, forKey: .long)
            date = try container.decode(Date.self, forKey: .date)
            parts = try container.decodeIfPresent([Self].self, forKey: .parts)
        }
    }

    struct Ordered: Codable {
        var a: Int, b: Int
        var c = 5
        var d: String?
        enum CodingKeys: String, CodingKey { case d, b = "B", a }
    }

    struct Names: Codable {
        var a23456: Int
        var a234567: Int
        var a2345678: Int
        var a23456789: Int?
        var a2345678901234: Int
        var a23456789012345: Int?
        var a234567890123456: Int
        var a2345678901234567: Int
        var été: Int?
        var 名前: String?
        var `a name`: Item?
        var 😀: Item?
    }

    struct Constants: Codable {
        private(set) var kind = "k"
        private(set) var list: [Int] = [1]
        enum CodingKeys: CodingKey { case kind, list }
        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: CodingKeys.self) }
    }

    struct Page<Element: Codable, Tag>: Codable {
        var elements: [Element]
        var next: Element
    }

    enum Event: Codable {
        case none
        case some(Int)
        case pair(String, value: Double?)
        case labels(`self`: Int?, Type: Int?, `for`: Int?)
        case item(Item?, _ note: OptionalAlias, `in`: [Int])
        case renamed(by: Int, Int?)
        case `default`(`default`: Int, `inout`: Int)
        indirect case nested(Self)
        case été(Int)
        enum RenamedCodingKeys: String, CodingKey { case by = "user", _1 = "at" }
        enum étéCodingKeys: String, CodingKey { case _0 = "year" }
    }

    enum Color: String, Codable { case red, green = "g/\"r", `default` }
    enum Level: Int128, Codable {
        case low = 1
        case high = 170_141_183_460_469_231_731_687_303_715_884_105_727
    }
    enum Ratio: Double, Codable { case half = 0.5, one = 1 }
    enum Half: Float16, Codable { case half = 0.5 }
    enum Extended: String, Codable { case red, blue, `default` }
    enum Lenient: String, Codable {
        case yes, no
        init?(rawValue: String) {
            switch rawValue.lowercased() {
            case "yes", "y": self = .yes
            case "no", "n": self = .no
            default: return nil
            }
        }
    }
}

extension Written.Extended {
    init?(rawValue: String) { self = rawValue == "RED" ? .red : rawValue == "blue" ? .blue : .default }
    var rawValue: String {
        switch self {
        case .red: "RED"
        case .blue: "blue"
        case .default: "?"
        }
    }
}

extension Derived.Extended {
    init?(rawValue: String) { self = rawValue == "RED" ? .red : rawValue == "blue" ? .blue : .default }
    var rawValue: String {
        switch self {
        case .red: "RED"
        case .blue: "blue"
        case .default: "?"
        }
    }
}
