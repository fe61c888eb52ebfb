// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes
import JSONAPI

extension RequestHandler {
    mutating func answerCollection(_ type: String, _ query: ResourceQuery) throws(Refusal) -> Answer {
        switch method {
        case .get: return try collection(table.resources(ofType: type), of: [type], query)
        case .post: return try create(in: type, query)
        default: throw Refusal.method(method, allowed: [.get, .post])
        }
    }

    func answerRelated(_ type: String, _ id: String, _ name: String, _ query: ResourceQuery) throws(Refusal) -> Answer {
        guard method == .get else { throw Refusal.method(method, allowed: [.get]) }
        let relationship = try relationship(name, of: try existing(type, id))
        let resources = relationship.identifiers.compactMap { table[$0] }
        let types = Set(relationship.identifiers.map(\.type))
        if case .toMany = relationship { return try collection(resources, of: types, query) }
        return try single(resources.first, of: types, query)
    }

    /// Returns the linkage of a relationship.
    ///
    /// If the resource lacks it, the other resources of its type determine whether the relationship exists, and whether
    /// it is to-one or to-many. It is then empty.
    func relationship(_ name: String, of resource: ResourceObject) throws(Refusal) -> RelationshipObject.Linkage {
        if let linkage = resource.relationships?[name]?.data { return linkage }
        let all = table.resources(ofType: resource.type).compactMap { $0.relationships?[name] }
        guard !all.isEmpty else {
            throw Refusal(404, "The resources of the type `\(resource.type)` have no relationship `\(name)`.")
        }
        if case .toMany? = all.lazy.compactMap(\.data).first { return .toMany([]) }
        return .toOne(nil)
    }

    private func collection(
        _ resources: [ResourceObject], of types: Set<String>, _ query: ResourceQuery
    ) throws(Refusal) -> Answer {
        let selected = try table.select(resources, of: types, by: query, options: options)
        let page = try ResourcePage(of: selected, query: query, options: options, url: url)
        var document = RawDocument(data: .collection(page.resources.map { present($0, query) }), meta: page.meta)
        document.included = try included(from: page.resources, of: types, query)
        document.links = ["self": selfLink]
        for (name, link) in page.links.members { document.links?[name] = link }
        return Answer(200, document)
    }

    func single(
        _ resource: ResourceObject?, of types: Set<String>, _ query: ResourceQuery, status: Int = 200
    ) throws(Refusal) -> Answer {
        guard query.sort.isEmpty, query.filters.isEmpty, query.page.isEmpty else {
            let parameter = query.sort.isEmpty ? query.filters.isEmpty ? "page" : "filter" : "sort"
            throw Refusal(400, "The parameter is for collections only.", parameter: parameter)
        }
        var document = RawDocument(data: .single(resource.map { present($0, query) }))
        document.included = try included(from: resource.map { [$0] } ?? [], of: types, query)
        document.links = ["self": selfLink]
        return Answer(status, document)
    }

    func included(
        from resources: [ResourceObject], of types: Set<String>, _ query: ResourceQuery
    ) throws(Refusal) -> [ResourceObject]? {
        guard let paths = query.include else { return nil }
        return try table.included(paths, from: resources, of: types).map { present($0, query) }
    }

    /// Returns a resource with its links and with the fields that the query asks for. Links of the resource are kept.
    func present(_ resource: ResourceObject, _ query: ResourceQuery? = nil) -> ResourceObject {
        var resource = resource
        let place = "\(root)/\(segment: resource.type)/\(segment: resource.id ?? "")"
        if let wanted = query?.fields[resource.type] {
            resource.attributes = resource.attributes.map { attributes in
                var members = attributes.members
                for name in members.names where !wanted.contains(name) { members[name] = nil }
                return RawObject(members: members)
            }
            for name in resource.relationships?.members.names ?? [] where !wanted.contains(name) {
                resource.relationships?[name] = nil
            }
            if resource.attributes?.members.isEmpty ?? false { resource.attributes = nil }
            if resource.relationships?.members.isEmpty ?? false { resource.relationships = nil }
        }
        resource.links = resource.links ?? [:]
        if resource.links?["self"] == nil { resource.links?["self"] = .reference(place) }
        for (name, relationship) in resource.relationships?.members ?? [:] {
            var links = relationship.links ?? [:]
            if links["self"] == nil { links["self"] = .reference("\(place)/relationships/\(segment: name)") }
            if links["related"] == nil { links["related"] = .reference("\(place)/\(segment: name)") }
            resource.relationships?[name]?.links = links
        }
        return resource
    }
}
