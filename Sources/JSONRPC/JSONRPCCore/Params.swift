// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Params by position (JSON-RPC 2.0 §4.2) of different types: `ByPosition(42, "a", true)` is encoded as
/// `[42,"a",true]`.
///
/// For params of one type, use an array. An optional that is `nil` is encoded as `null`, so the params after it keep
/// their positions.
public struct ByPosition<each Param: Encodable>: Encodable {
    /// The params, in order.
    public var params: (repeat each Param)

    /// Makes params by position.
    public init(_ params: repeat each Param) { self.params = (repeat each params) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for param in repeat each params { try container.encode(param) }
    }
}

extension ByPosition: Sendable where repeat each Param: Sendable {}

/// Params by name (JSON-RPC 2.0 §4.2) of different types: `ByName(["a": 1, "b": "x"])`, or only the literal if the
/// context gives the type.
///
/// A `struct` that is `Encodable` has the same effect. The members are encoded in order; WireJSON keeps the order.
public struct ByName: Encodable, Sendable {
    private var members: [(name: String, value: any Encodable & Sendable)] = []

    /// Makes empty params, which are encoded as `{}`.
    public init() {}

    /// Makes params with members in the given order. If a name is repeated, the last value wins.
    public init(_ members: KeyValuePairs<String, any Encodable & Sendable>) {
        for (name, value) in members { self[name] = value }
    }

    /// The names of the params, in order.
    public var names: [String] { members.map(\.name) }

    /// The param with a name; `nil` if there is none. Setting `nil` removes the param.
    public subscript(_ name: String) -> (any Encodable & Sendable)? {
        get { members.first { $0.name == name }?.value }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyCodingKey.self)
        for member in members { try container.encode(member.value, forKey: AnyCodingKey(stringValue: member.name)) }
    }
}

extension ByName: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, any Encodable & Sendable)...) {
        for (name, value) in elements { self[name] = value }
    }
}
