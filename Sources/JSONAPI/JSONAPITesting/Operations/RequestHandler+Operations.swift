// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import WireJSON

extension RequestHandler {
    /// Performs all operations of the request in order. A refusal changes nothing, because the handler has a copy.
    mutating func performOperations() throws(Refusal) -> Answer {
        guard method == .post else { throw Refusal.method(method, allowed: [.post]) }
        var ids: [ResourceKey: String] = [:]
        var results: [ResourceObject?] = []
        for (index, operation) in try ReceivedOperation.operations(in: try document()).enumerated() {
            do throws(Refusal) {
                results.append(try perform(operation, &ids))
            } catch {
                throw error.inOperation(index)
            }
        }
        guard results.contains(where: { $0 != nil }) else { return Answer(204) }
        var answer = Answer(
            200, RawDocument(results: results.map { AtomicResult(data: $0.map { .single(present($0)) }) }))
        answer.mediaType = JSONAPIMediaType(extensions: [AtomicOperations.uri])
        return answer
    }

    /// - Returns: The resource of the result, if the operation has one.
    private mutating func perform(
        _ operation: ReceivedOperation, _ ids: inout [ResourceKey: String]
    ) throws(Refusal) -> ResourceObject? {
        let target = try target(of: operation, ids)
        if case .relationship(let type, let id, let name) = target {
            guard let change = AtomicOperation.Code(rawValue: operation.op), let data = operation.data else {
                throw Refusal(400, "An operation on a relationship has `data`, and adds, updates or removes.")
            }
            let linkage = RelationshipObject.Linkage(data).resolved { Self.id(of: $0, in: ids) }
            try self.change(type, id, name, by: change, linkage: linkage)
            return nil
        }
        switch operation.op {
        case "add": return try add(operation, to: target, &ids)
        case "update": return try update(operation, at: target, ids)
        case "remove":
            guard case .resource(let type, let id) = target else { throw Refusal(400, "A removal has no target.") }
            try remove(type, id)
            return nil
        default: throw Refusal(400, "There is no such operation.", pointer: JSONPointer(["op"]))
        }
    }

    private mutating func add(
        _ operation: ReceivedOperation, to target: RequestTarget?, _ ids: inout [ResourceKey: String]
    ) throws(Refusal) -> ResourceObject {
        guard case .single(var resource?) = operation.data else {
            throw Refusal(400, "An addition has no resource.", pointer: JSONPointer(["data"]))
        }
        if let target, target != .collection(type: resource.type) {
            throw Refusal(409, "Resources of this type are not created there.", pointer: JSONPointer(["data", "type"]))
        }
        try checkType(resource.type)
        let known = ids
        resource.resolveReferences { Self.id(of: $0, in: known) }
        let key = resource.localKey
        if let key, ids[key] != nil {
            throw Refusal(400, "The local id is used already.", pointer: JSONPointer(["data", "lid"]))
        }
        let created = try create(resource)
        if let key { ids[key] = created.id }
        return created
    }

    private mutating func update(
        _ operation: ReceivedOperation, at target: RequestTarget?, _ ids: [ResourceKey: String]
    ) throws(Refusal) -> ResourceObject {
        guard case .single(var resource?) = operation.data else {
            throw Refusal(400, "An update has no resource.", pointer: JSONPointer(["data"]))
        }
        resource.id = resource.id ?? resource.localKey.flatMap { ids[$0] }
        resource.resolveReferences { Self.id(of: $0, in: ids) }
        if let target, target != .resource(type: resource.type, id: resource.id ?? "") {
            throw Refusal(409, "The type and the id are not those of the target.", pointer: JSONPointer(["data"]))
        }
        return try update(resource)
    }

    /// Returns the target that `ref` or `href` names. It is `nil` if there is neither.
    private func target(of operation: ReceivedOperation, _ ids: [ResourceKey: String]) throws(Refusal) -> RequestTarget?
    {
        guard operation.ref == nil || operation.href == nil else {
            throw Refusal(400, "An operation has `ref` and `href`.")
        }
        if let href = operation.href {
            let path = href.hasPrefix(root) ? options.basePath + href.dropFirst(root.count) : href
            guard let target = RequestTarget(path: String(path.prefix { $0 != "?" }), options: options) else {
                throw Refusal(404, "There is nothing at this URL.", pointer: JSONPointer(["href"]))
            }
            return target
        }
        guard let ref = operation.ref else { return nil }
        let local = ref.lid.map { ResourceKey(type: ref.type, id: $0, isLocal: true) }
        guard let id = ref.id ?? local.flatMap({ ids[$0] }) else {
            throw Refusal(404, "No resource has this local id.", pointer: JSONPointer(["ref"]))
        }
        guard let name = ref.relationship else { return .resource(type: ref.type, id: id) }
        return .relationship(type: ref.type, id: id, name: name)
    }

    private static func id(of identifier: ResourceIdentifierObject, in ids: [ResourceKey: String]) -> String? {
        identifier.localKey.flatMap { ids[$0] }
    }
}

/// An operation of the extension "Atomic Operations".
struct ReceivedOperation: Decodable {
    struct Reference: Decodable {
        var type: String
        var id: String?
        var lid: String?
        var relationship: String?
    }

    private enum CodingKeys: String, CodingKey {
        case op, ref, href
    }

    var op: String
    var ref: Reference?
    var href: String?
    /// It is `nil` if the member is absent.
    var data: PrimaryData?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        op = try members.decode(String.self, forKey: .op)
        ref = try members.decodeIfPresent(Reference.self, forKey: .ref)
        href = try members.decodeIfPresent(String.self, forKey: .href)
        // An operation has `data` as a document has it.
        data = try RawDocument(from: decoder).data
    }

    static func operations(in document: RawDocument) throws(Refusal) -> [ReceivedOperation] {
        let name = "atomic:operations"
        let member = document.additionalMembers[name] ?? .null
        do {
            let operations = try member.decode(as: [ReceivedOperation].self)
            if !operations.isEmpty { return operations }
        } catch let error as DecodingError {
            throw Refusal(400, "An operation cannot be read.", pointer: error.pointer(below: name))
        } catch {
            throw Refusal(400, "An operation cannot be read.", pointer: JSONPointer([name]))
        }
        throw Refusal(400, "There is no operation.", pointer: JSONPointer([name]))
    }
}

extension DecodingError {
    fileprivate func pointer(below name: String) -> JSONPointer {
        JSONPointer([name] + context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue })
    }
}
