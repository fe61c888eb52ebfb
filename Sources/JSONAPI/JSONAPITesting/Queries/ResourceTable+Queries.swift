// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import WireJSON

extension ResourceTable {
    /// Returns the resources that the paths lead to, without the primary data. Each resource occurs once.
    ///
    /// - Throws: A refusal with the status 400 if no resource has a relationship of a path.
    func included(
        _ paths: [[String]], from primary: [ResourceObject], of types: Set<String>
    ) throws(Refusal) -> [ResourceObject] {
        var known = Set(primary.compactMap(\.key))
        var included: [ResourceObject] = []
        for path in paths {
            guard hasField(at: path[...], of: types, isInclude: true) else {
                let text = path.joined(separator: ".")
                throw Refusal(400, "There is no relationship path `\(text)`.", parameter: "include")
            }
            var owners = primary.compactMap { self[$0.type, $0.id ?? ""] }
            for name in path {
                var seen: Set<ResourceKey> = []
                let identifiers = owners.flatMap { $0.relationships?[name]?.data?.identifiers ?? [] }
                owners = identifiers.compactMap { self[$0] }.filter { $0.key.map { seen.insert($0).inserted } ?? false }
                included += owners.filter { $0.key.map { known.insert($0).inserted } ?? false }
            }
        }
        return included
    }

    /// Returns the resources that meet all filters, in the order of the sort fields.
    func select(
        _ resources: [ResourceObject], of types: Set<String>, by query: ResourceQuery,
        options: MockJSONAPIServerOptions
    ) throws(Refusal) -> [ResourceObject] {
        var selected = resources
        for (name, value) in query.filters {
            if let isWanted = options.filters[name] {
                selected = selected.filter { isWanted($0, value) }
                continue
            }
            let path = name.split(separator: ".").map(String.init)
            guard !path.isEmpty, hasField(at: path[...], of: types) else {
                throw Refusal(
                    400, "There is no filter with this name.", parameter: name.isEmpty ? "filter" : "filter[\(name)]")
            }
            let wanted = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            selected = selected.filter { resource in
                values(at: path[...], of: resource).contains { value in wanted.contains { value.matches($0) } }
            }
        }
        for field in query.sort {
            guard !field.path.isEmpty, hasField(at: field.path[...], of: types) else {
                throw Refusal(400, "There is no sort field `\(field.text)`.", parameter: "sort")
            }
        }
        return query.sort.isEmpty ? selected : sorted(selected, by: query.sort)
    }

    private func sorted(_ resources: [ResourceObject], by fields: [ResourceQuery.SortField]) -> [ResourceObject] {
        let keyed = resources.enumerated().map { offset, resource in
            (offset, resource, fields.map { values(at: $0.path[...], of: resource).first ?? .null })
        }
        return keyed.sorted { left, right in
            for (index, field) in fields.enumerated() {
                let (first, second) = field.isDescending ? (right.2, left.2) : (left.2, right.2)
                if first[index].isBefore(second[index]) { return true }
                if second[index].isBefore(first[index]) { return false }
            }
            return left.0 < right.0
        }.map(\.1)
    }
}

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

    /// Returns whether a value of a `filter` parameter equals this value.
    func matches(_ text: String) -> Bool {
        switch self {
        case .null: text == "null"
        case .number(let number): Double(text) == number
        case .text(let value): value == text
        }
    }

    /// Returns whether this value comes before the other: `null` first, then numbers, then texts by their scalars.
    func isBefore(_ other: Self) -> Bool { key < other.key }

    private var key: (rank: Int, number: Double, text: String) {
        switch self {
        case .null: (0, 0, "")
        case .number(let number): (1, number, "")
        case .text(let text): (2, 0, text)
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
    ///
    /// - Parameter isInclude: Whether all fields of the path must be relationships.
    func hasField(at path: ArraySlice<String>, of types: Set<String>, isInclude: Bool = false) -> Bool {
        guard let name = path.first else { return true }
        if !isInclude, name == "id", path.count == 1 { return true }
        let owners = types.flatMap { resources(ofType: $0) }
        if owners.isEmpty || !isInclude && owners.contains(where: { $0.attributes?[name] != nil }) { return true }
        guard owners.contains(where: { $0.relationships?[name] != nil }) else { return false }
        let targets = owners.flatMap { $0.relationships?[name]?.data?.identifiers ?? [] }
        return hasField(at: path.dropFirst(), of: Set(targets.map(\.type)), isInclude: isInclude)
    }
}
