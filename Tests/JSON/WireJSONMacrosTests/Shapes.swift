// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import WireJSONMacros

// Types of every shape that the macro supports. Tests compare the generated code with that of `Codable`.

@JSONCodable struct Flat: Equatable, Sendable {
    var text = "a/b \"é\" \u{1} 😀"
    var integer = -42
    var double = 1.5
    var flag = true
    var missing: String?
    var present: Int? = 7
    var list: [Int] = [1, 2, 3]
    var names: [String] = ["x", ""]
    var doubles: [Double] = [0.1, -2]
    var table: [String: [Int]] = ["k": [1]]
    var i8: Int8Alias = .min, i16: Int16 = .max, i32: Int32 = .min, i64: Int64 = .max
    var u: UInt = .max, u8: UInt8 = .max, u16: UInt16 = .max, u32: UInt32 = .max, u64: UInt64 = .max
    var float: Float = 0.1
    var wide: Int128 = .max
}

typealias Int8Alias = Int8

/// Without initial values, as in the compiler's `init(from:)`.
@JSONCodable struct Required: Equatable, Sendable {
    var id: Int
    var name: String
    let score: Double
    var isOn: Bool
    var tags: [String]
    var matrix: [[Double]]
    var note: String?
    var alias: OptionalAlias
    var doubly: Int??
    var table: [String: Int?]
    var constant = 5
    let version = 1
    static let ignored = 3
    var computed: Int { id }
    var observed: Int { didSet { _ = oldValue } }
}

typealias OptionalAlias = String?
typealias GenericAlias<T> = T?

@JSONCodable(keys: .snakeCase) struct Renamed: Equatable, Sendable {
    var userName: String
    var myURLProperty: Int?
    @JSONKey("ID") var identifier: Int
    @JSONKey("a/b \"c\" é") var odd: String
    @JSONKey("") var empty: Bool?
    var `class`: String?
    var aMemberWithANameOfManyWords: [Int]?
}

@JSONCodable struct OwnKeys: Equatable, Sendable {
    enum CodingKeys: String, CodingKey { case first = "1st", second }
    var first: Int
    var second: String
    var notCoded = 3
}

@JSONCodable struct Tree: Equatable, Sendable {
    var name: String
    var children: [Tree] = []
}

/// Types whose names are known only within another type.
enum Space {
    static let limit = 10
    enum Kind: String, Codable, Sendable { case a, b }
    struct Date: Codable, Equatable, Sendable { var day = 1 }

    @JSONCodable struct Inside: Equatable, Sendable {
        private enum Secret: String, Codable { case x }
        var kind: Kind
        var kinds: [Kind: Int]?
        var date: Date
        var count: Int = limit
        var other: Kind = .b
        private var secret: Secret = .x

        init(kind: Kind, kinds: [Kind: Int]?, date: Date) {
            self.kind = kind
            self.kinds = kinds
            self.date = date
        }
    }

    @JSONCodable enum Choice: Equatable, Sendable {
        case kind(Kind, date: Date?)
        indirect case choice(Choice)
    }
}

@JSONCodable struct Empty: Equatable, Sendable {}

@JSONCodable struct Known: Equatable, Sendable {
    var date: Date
    var maybeDate: Date?
    var data: Data
    var url: URL
    var decimal: Decimal
    var raw: RawJSON
    var value: JSONValue
    var number: JSONNumber
    var dates: [Date]
}

@JSONCodable enum Color: String, CaseIterable { case red, green = "g/\"r", `default` }
@JSONCodable enum Level: Int, CaseIterable { case low = 1, high }

@JSONCodable enum Payload: Equatable, Sendable {
    case none
    case one(Int)
    case pair(String, value: Double)
    case maybe(note: String?, _ tree: Tree?)
    indirect case nested(Payload)
}

@JSONCodable(keys: .snakeCase) enum RenamedPayload: Equatable {
    case firstCase(userName: String, Int)
    @JSONKey("2nd") case second
    case `default`(theValue: [Color])
}

@JSONCodable struct Wrapper<T: Codable & Equatable>: Equatable {
    var value: T
    var more: [T]
}

/// A type with only `Codable` that uses its decoder and encoder.
struct Custom: Codable, Equatable, Sendable {
    var text: String
    var path: String?
    var tree: Tree?

    init(_ text: String, tree: Tree? = nil) {
        self.text = text
        self.tree = tree
    }

    enum CodingKeys: String, CodingKey { case text, tree }

    init(from decoder: any Decoder) throws {
        path = Self.path(decoder.codingPath)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        text = try container.decode(String.self, forKey: .text)
        tree = try container.decodeIfPresent(Tree.self, forKey: .tree)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("\(text) at \(Self.path(encoder.codingPath))", forKey: .text)
        try container.encodeIfPresent(tree, forKey: .tree)
    }

    static func path(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    }
}

/// Directly read types with others between them.
@JSONCodable struct Mixed: Equatable, Sendable {
    var custom: Custom
    var list: [Custom]
    var table: [String: Custom]
    var inner: [Inner]
    var set: Set<Int>

    @JSONCodable struct Inner: Equatable, Sendable {
        var custom: Custom?
        var depth: Payload
    }
}

/// A type with only `Codable` that contains directly read types.
struct Outer: Codable, Equatable, Sendable {
    var trees: [Tree]
    var flat: Flat?
    var table: [String: Required]
    var payload: Payload
}

/// Reads the same value in two ways.
enum TreeOrText: Codable, Equatable, Sendable {
    case tree(Tree), text(String)

    init(from decoder: any Decoder) throws {
        if let tree = try? decoder.singleValueContainer().decode(Tree.self) {
            self = .tree(tree)
        } else {
            self = .text(try decoder.singleValueContainer().decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .tree(let tree): try container.encode(tree)
        case .text(let text): try container.encode(text)
        }
    }
}

/// Keeps its decoder, and decodes later.
struct Later: Codable, Equatable {
    let decoder: any Decoder

    var tree: Tree? { try? Tree(from: decoder) }

    init(from decoder: any Decoder) { self.decoder = decoder }
    func encode(to encoder: any Encoder) throws { try tree.encode(to: encoder) }
    static func == (left: Later, right: Later) -> Bool { left.tree == right.tree }
}

@JSONCodable struct Laters: Equatable {
    var list: [Later]
}

/// If its member is missing, a property whose type is an alias of an optional is `nil`, whatever its initial value.
@JSONCodable struct Aliases: Equatable, Sendable {
    var alias: OptionalAlias = "x"
    var generic: GenericAlias<Int> = 4
    var inParentheses: (Int?) = 5
    var integer: Int8Alias = 3
}

@JSONCodable struct Choices: Equatable, Sendable {
    var choices: [TreeOrText]
    var last: Tree
}
