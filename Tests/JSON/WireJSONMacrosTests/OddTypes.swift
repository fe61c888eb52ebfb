// swift-jsonrpc · SPDX-License-Identifier: MIT

// Types whose generated code once failed to compile or caused warnings.

import Foundation
public import WireJSONMacros

/// Names of the standard library have other meanings here.
enum OddSpace {
    struct String: Codable, Equatable { var text = 1 }
    struct Int: Codable, Equatable { var number = 1.5 }
    protocol Decoder {}

    @JSONCodable struct Shadowed: Equatable {
        var text: String = String()
        var number: Int
        var maybe: [String]?
        var literal = 3
        var standard: Swift.Int = 4
    }

    @JSONCodable enum ShadowedCases { case text(String), number(Int?), standard(Swift.String) }
}

@JSONCodable struct ShadowsItself {
    struct Decoder {}
    struct Encoder {}
    struct Codable {}
    struct CodingKey {}
    struct String {}
    struct Optional {}
    struct JSONReader {}
    struct JSONFallback {}
    var a: Int = 1
    var b: [Int]?
}

public enum OddOpen {}

public extension OddOpen {
    @JSONCodable struct Shown { var a = 1 }
    @JSONCodable internal enum Hidden: String { case a }
}

private extension OddOpen {
    @JSONCodable struct Private {
        var a: [Int]
        var b: Date = Date()
    }
}

@JSONCodable struct OddValues {
    static let limit = 3
    var text: String = {
        // A comment.
        let text = "a"
        return text + "b"
    }()
    var count: Int = Self.limit
    var choice: Int = if limit > 2 { 1 } else { 2 }
    var kinds: [Self] = []
    var table:
        [String:  // The key.
            Int] = [:]  // Nothing.
    var a = 1, b: String
    let c = -1.5, d: Int
    var e, f: [Date]
    var reader: Int, writer: Int, names: Int, container: Int, decoder: Int, value0: Int, stringValue: Int, rawValue: Int
    var `self`: Int, `init`: Int, `default`: Int = 1, `Type`: Int = 2, `a b`: [Date]?, `c d`: Date = Date()
    init(from text: Substring) throws { throw CancellationError() }
    func write(to file: URL) throws {}
    func encode(to text: inout String) {}
}

@JSONCodable struct OddGeneric<T: ExpressibleByIntegerLiteral, U, V: Identifiable>: Sendable
where V.ID: Codable & Sendable, T: Sendable {
    var a: T = 3
    var b: [T?]
    var id: V.ID
}

@JSONCodable struct OddCodable<Tag>: Codable { var text = "x" }
@JSONCodable struct OddFixed<let count: Int> { var a: Int }
@JSONCodable enum OddEither<Left, Right> { case left(Left), right(Right), neither }
@JSONCodable @frozen public struct OddFrozen { @usableFromInline var a: [Int] = [] }

extension Array where Element == Int {
    @JSONCodable struct OddWithin { var a: [Int] }
}

@available(*, deprecated) @JSONCodable struct OddOld { var a: OddOlder }
@available(*, deprecated) struct OddOlder: Codable {}
@JSONCodable struct OddPartlyOld {
    @available(*, deprecated) var a: Int
    let version = 2
}
@JSONCodable enum OddPartlyOldCases { @available(*, deprecated) case old(Int), older; case young }

@JSONCodable struct OddBitwise: Sendable, ~BitwiseCopyable { var a: Int }

protocol OddModel: Codable, Sendable {}
@JSONCodable nonisolated struct OddConforming<T: Codable & Sendable>: OddModel {
    var a: T
    var b = 3
}
@JSONCodable struct OddConformingBelow<T> { var a: [T] }
extension OddConformingBelow: Codable where T: Codable {}
@JSONCodable enum OddDecodableBelow<T> { case a(T), b }
extension OddDecodableBelow: Decodable where T: Decodable {}
@JSONCodable enum OddPartlyOldTexts: String { @available(*, deprecated) case old = "o"; case young, `self` }
@JSONCodable enum OddLabels {
    case `var`(Int)
    case labels(`var`: Int, `let`: Int, `inout`: Int, `self`: Int, `in`: Int, `a b`: Int, Type: Int)
}
