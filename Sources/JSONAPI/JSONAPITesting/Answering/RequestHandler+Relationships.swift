// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes
import JSONAPI
import WireJSON

extension RequestHandler {
    mutating func answerRelationship(
        _ type: String, _ id: String, _ name: String, _ query: ResourceQuery
    ) throws(Refusal) -> Answer {
        let current = try relationship(name, of: try existing(type, id))
        guard method != .get else { return try linkage(current, type, id, name, query) }
        let changes: [HTTPRequest.Method: AtomicOperation.Code] = [.post: .add, .patch: .update, .delete: .remove]
        guard let change = changes[method] else {
            throw Refusal.method(method, allowed: [.get, .patch, .post, .delete])
        }
        guard let data = try document().data else {
            throw Refusal(400, "The document has no primary data.")
        }
        try self.change(type, id, name, by: change, linkage: RelationshipObject.Linkage(data))
        return Answer(204)
    }

    /// Changes a relationship. Pointers of a refusal begin with `/data`.
    mutating func change(
        _ type: String, _ id: String, _ name: String, by change: AtomicOperation.Code,
        linkage sent: RelationshipObject.Linkage
    ) throws(Refusal) {
        var resource = try existing(type, id)
        let pointer = JSONPointer(["data"])
        var linkage = sent
        switch (try relationship(name, of: resource), sent, change) {
        case (.toOne, .toOne, .update): break
        case (.toMany, .toMany, .update):
            guard options.allowsFullReplacement else {
                throw Refusal(403, "The relationship cannot be replaced.", pointer: pointer)
            }
        case (.toMany(let old), .toMany(let new), .add):
            var keys = Set(old.compactMap(\.key))
            linkage = .toMany(old + new.filter { $0.key.map { keys.insert($0).inserted } ?? false })
        case (.toMany(let old), .toMany(let gone), .remove):
            let keys = Set(gone.compactMap(\.key))
            linkage = .toMany(old.filter { $0.key.map { !keys.contains($0) } ?? true })
        case (.toOne, _, .add), (.toOne, _, .remove):
            throw Refusal.method(method, allowed: [.get, .patch])
        case (.toOne, .toMany, _), (.toMany, .toOne, _):
            throw Refusal(400, "The linkage does not have the form of the relationship.", pointer: pointer)
        }
        if change != .remove {
            for identifier in sent.identifiers where table[identifier] == nil {
                throw Refusal(404, "There is no related resource `\(identifier.type)` with this id.", pointer: pointer)
            }
        }
        resource.setLinkage(linkage, of: name)
        table.insert(resource)
    }

    /// Answers with the references of a relationship as the primary data. Those of a to-many relationship have pages.
    private func linkage(
        _ linkage: RelationshipObject.Linkage, _ type: String, _ id: String, _ name: String, _ query: ResourceQuery
    ) throws(Refusal) -> Answer {
        guard query.sort.isEmpty, query.filters.isEmpty else {
            throw Refusal(
                400, "References are neither sorted nor filtered.", parameter: query.sort.isEmpty ? "filter" : "sort")
        }
        let resources = linkage.identifiers.map { ResourceObject(type: $0.type, id: $0.id, meta: $0.meta) }
        let place = "\(root)/\(segment: type)/\(segment: id)"
        var document = RawDocument(data: .single(resources.first))
        document.links = ["self": selfLink, "related": .reference("\(place)/\(segment: name)")]
        var shown = resources
        if case .toMany = linkage {
            let page = try ResourcePage(
                of: resources, query: query, options: options, url: url)
            shown = page.resources
            document.data = .collection(shown)
            document.meta = page.meta
            for (name, link) in page.links.members { document.links?[name] = link }
        }
        if let paths = query.include {
            // A path begins with the name of this relationship (JSON:API 1.1, "Inclusion of Related Resources").
            let inner = try paths.map { path throws(Refusal) in
                guard path.first == name else {
                    throw Refusal(400, "The path does not begin with the relationship.", parameter: "include")
                }
                return Array(path.dropFirst())
            }
            let related = shown.compactMap { table[$0.type, $0.id ?? ""] }
            let others = try table.included(inner.filter { !$0.isEmpty }, from: related, of: Set(related.map(\.type)))
            document.included = (paths.isEmpty ? [] : related + others).map { present($0, query) }
        }
        return Answer(200, document)
    }
}
