// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import WireJSON

extension RequestHandler {
    mutating func create(in type: String, _ query: ResourceQuery) throws(Refusal) -> Answer {
        let sent = try sentResource()
        guard sent.type == type else {
            throw Refusal(
                409, "Resources of the type `\(sent.type)` are not created here.",
                pointer: JSONPointer(["data", "type"]))
        }
        let created = try create(sent)
        let answer =
            sent.id != nil && options.omitsUnchangedDocuments
            ? Answer(204) : try single(created, of: [type], query, status: 201)
        return located(answer, at: created)
    }

    private func sentResource() throws(Refusal) -> ResourceObject {
        if case .single(let resource?) = try document().data { return resource }
        throw Refusal(400, "The primary data are not a resource object.", pointer: JSONPointer(["data"]))
    }

    private func located(_ answer: Answer, at resource: ResourceObject) -> Answer {
        var answer = answer
        let presented = present(resource)
        answer.document?.links?["self"] = presented.links?["self"]
        if let href = presented.links?["self"]?.href { answer.fields[.location] = href }
        return answer
    }

    /// Adds a resource. Pointers of a refusal begin with `/data`.
    mutating func create(_ sent: ResourceObject) throws(Refusal) -> ResourceObject {
        var resource = sent
        if let id = sent.id {
            let pointer = JSONPointer(["data", "id"])
            guard options.acceptsClientIDs else { throw Refusal(403, "A client cannot choose ids.", pointer: pointer) }
            guard table[sent.type, id] == nil else { throw Refusal(409, "The id exists already.", pointer: pointer) }
        }
        let id = sent.id ?? table.nextID(of: sent.type)
        resource.id = id
        resource.lid = nil
        resource.links = nil
        if let lid = sent.lid { resource.resolveReferences { $0.type == sent.type && $0.lid == lid ? id : nil } }
        try checkRelationships(of: resource, isNew: true)
        try check(resource)
        table.insert(resource)
        return resource
    }

    mutating func answerResource(_ type: String, _ id: String, _ query: ResourceQuery) throws(Refusal) -> Answer {
        switch method {
        case .get: return try single(try existing(type, id), of: [type], query)
        case .patch:
            _ = try existing(type, id)
            let sent = try sentResource()
            guard sent.type == type, sent.id == id else {
                throw Refusal(409, "The type and the id are not those of the URL.", pointer: JSONPointer(["data"]))
            }
            let updated = try update(sent)
            return options.omitsUnchangedDocuments ? Answer(204) : try single(updated, of: [type], query)
        case .delete:
            try remove(type, id)
            return Answer(204)
        default: throw Refusal.method(method, allowed: [.get, .patch, .delete])
        }
    }

    /// Changes the fields that a resource object has. Pointers of a refusal begin with `/data`.
    mutating func update(_ sent: ResourceObject) throws(Refusal) -> ResourceObject {
        var resource = try existing(sent.type, sent.id ?? "")
        if let attributes = sent.attributes {
            var members = resource.attributes?.members ?? [:]
            for (name, value) in attributes.members { members[name] = value }
            resource.attributes = RawObject(members: members)
        }
        try checkRelationships(of: sent, isNew: false)
        for (name, relationship) in sent.relationships?.members ?? [:] {
            resource.setLinkage(relationship.data, of: name, in: relationship)
        }
        if let meta = sent.meta { resource.meta = meta }
        try check(resource)
        table.insert(resource)
        return resource
    }

    mutating func remove(_ type: String, _ id: String) throws(Refusal) {
        guard table.remove(type, id) else { throw Refusal(404, "There is no resource `\(type)` with the id `\(id)`.") }
    }

    private func check(_ resource: ResourceObject) throws(Refusal) {
        let errors = options.validate(resource)
        guard let first = errors.first else { return }
        throw Refusal(first.status.flatMap { Int($0) }.flatMap { 400...599 ~= $0 ? $0 : nil } ?? 422, errors: errors)
    }

    private func checkRelationships(of resource: ResourceObject, isNew: Bool) throws(Refusal) {
        for (name, relationship) in resource.relationships?.members ?? [:] {
            let pointer = JSONPointer(["data", "relationships", name])
            guard let linkage = relationship.data else {
                throw Refusal(400, "A relationship without linkage cannot be stored.", pointer: pointer)
            }
            if case .toMany = linkage, !isNew, !options.allowsFullReplacement {
                throw Refusal(403, "The relationship cannot be replaced.", pointer: pointer)
            }
            let own = resource.key
            for identifier in linkage.identifiers where table[identifier] == nil && identifier.key != own {
                throw Refusal(404, "There is no related resource `\(identifier.type)` with this id.", pointer: pointer)
            }
        }
    }
}
