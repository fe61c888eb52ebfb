// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import WireJSON

/// A value by which resources are sorted and filtered.
enum FieldValue {
    case null
    case number(Double)
    case text(String)

    init(_ json: RawJSON) {
        switch try? JSONValue(json) {
        case .string(let text): self = .text(text)
        case .number(let number): self = .number(number.double)
        case nil, .null: self = .null
        case let value?: self = .text(value.description)
        }
    }

    /// Returns whether a value of a `filter` parameter stands for this value.
    func matches(_ text: String) -> Bool {
        switch self {
        case .null: text == "null"
        case .number(let number): Double(text) == number
        case .text(let value): value == text
        }
    }

    /// Returns whether this value comes before the other: `null` first, then numbers, then texts by their scalars.
    func isBefore(_ other: Self) -> Bool {
        switch (self, other) {
        case (.number(let left), .number(let right)): left < right
        case (.text(let left), .text(let right)): left < right
        default: rank < other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .number: 1
        case .text: 2
        }
    }
}

extension ResourceTable {
    /// Returns the values at a path of relationships that ends with an attribute, a relationship or `id`.
    func values(at path: ArraySlice<String>, of resource: ResourceObject) -> [FieldValue] {
        guard let name = path.first else { return [] }
        let rest = path.dropFirst()
        if name == "id", rest.isEmpty { return [resource.id.map { .text($0) } ?? .null] }
        if let relationship = resource.relationships?[name] {
            let identifiers = relationship.data?.identifiers ?? []
            if !rest.isEmpty { return identifiers.compactMap { self[$0] }.flatMap { values(at: rest, of: $0) } }
            return identifiers.isEmpty ? [.null] : identifiers.map { $0.id.map { .text($0) } ?? .null }
        }
        guard let attribute = resource.attributes?[name] else { return [.null] }
        var value = attribute
        for name in rest {
            guard let member = RawObject(value)?[name] else { return [.null] }
            value = member
        }
        return [FieldValue(value)]
    }

    /// Returns whether a resource of the types has a field at the path. Without resources, each path is accepted.
    func hasField(at path: ArraySlice<String>, of types: Set<String>) -> Bool {
        guard let name = path.first else { return true }
        if name == "id", path.count == 1 { return true }
        let owners = types.flatMap { resources(ofType: $0) }
        if owners.isEmpty || owners.contains(where: { $0.attributes?[name] != nil }) { return true }
        guard owners.contains(where: { $0.relationships?[name] != nil }) else { return false }
        return hasField(at: path.dropFirst(), of: targetTypes(of: name, in: owners))
    }

    /// Returns whether a resource of the types has the relationships of the path.
    func hasRelationships(_ path: ArraySlice<String>, of types: Set<String>) -> Bool {
        guard let name = path.first else { return true }
        let owners = types.flatMap { resources(ofType: $0) }
        if owners.isEmpty { return true }
        guard owners.contains(where: { $0.relationships?[name] != nil }) else { return false }
        return hasRelationships(path.dropFirst(), of: targetTypes(of: name, in: owners))
    }

    private func targetTypes(of name: String, in owners: [ResourceObject]) -> Set<String> {
        Set(owners.flatMap { $0.relationships?[name]?.data?.identifiers.map(\.type) ?? [] })
    }
}
