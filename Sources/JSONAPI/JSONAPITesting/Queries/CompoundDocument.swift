// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI

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
            guard hasRelationships(path[...], of: types) else {
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
