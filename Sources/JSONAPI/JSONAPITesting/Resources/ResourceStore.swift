// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import Synchronization

/// The resources of a mock server. It is thread-safe.
final class ResourceStore: Sendable {
    private let options: MockJSONAPIServerOptions
    private let table: Mutex<ResourceTable>

    init(_ table: ResourceTable, options: MockJSONAPIServerOptions) {
        self.table = Mutex(table)
        self.options = options
    }

    var resources: [ResourceObject] { table.withLock { $0.all } }

    func change<Result: Sendable>(_ body: (inout ResourceTable) -> Result) -> Result { table.withLock { body(&$0) } }

    /// Performs a request. A refused request changes nothing, because the handler works on a copy of the table.
    func respond(to request: ReceivedHTTPRequest) -> ReceivedHTTPResponse {
        table.withLock { table in
            var handler = RequestHandler(options: options, request: request, table: table)
            do throws(Refusal) {
                let answer = try handler.answer()
                table = handler.table
                return Self.response(answer)
            } catch {
                return Self.response(error)
            }
        }
    }

    static func response(_ refusal: Refusal) -> ReceivedHTTPResponse {
        var answer = Answer(refusal.status, RawDocument(errors: refusal.errors))
        if !refusal.allowedMethods.isEmpty {
            answer.fields[.allow] = refusal.allowedMethods.joined(separator: ", ")
        }
        return response(answer)
    }

    private static func response(_ answer: Answer) -> ReceivedHTTPResponse {
        var fields = answer.fields
        var bytes: [UInt8] = []
        if var document = answer.document {
            document.jsonapi = JSONAPIObject(version: "1.1")
            fields[.contentType] = answer.mediaType.description
            bytes = document.bytes
        }
        fields[.vary] = "Accept"
        return ReceivedHTTPResponse(
            HTTPResponse(status: .init(code: answer.status), headerFields: fields), body: HTTPByteStream(bytes))
    }
}

/// The resources of a mock server, in the order in which they were created.
struct ResourceTable: Sendable {
    private var keys: [ResourceKey] = []
    private var resources: [ResourceKey: ResourceObject] = [:]
    private var lastNumbers: [String: Int] = [:]

    /// Creates a table. If a resource is repeated, the last one wins. Resources without an id get one.
    init(_ resources: [ResourceObject] = []) {
        for resource in resources { insert(resource) }
    }

    var all: [ResourceObject] { keys.compactMap { resources[$0] } }

    func resources(ofType type: String) -> [ResourceObject] {
        keys.filter { $0.type == type }.compactMap { resources[$0] }
    }

    subscript(type: String, id: String) -> ResourceObject? { resources[ResourceKey(type: type, id: id)] }

    subscript(identifier: ResourceIdentifierObject) -> ResourceObject? { identifier.key.flatMap { resources[$0] } }

    /// Adds a resource, or replaces the one with the same type and id at its place.
    mutating func insert(_ resource: ResourceObject) {
        var resource = resource
        let id = resource.id ?? nextID(of: resource.type)
        resource.id = id
        resource.lid = nil
        let key = ResourceKey(type: resource.type, id: id)
        if resources.updateValue(resource, forKey: key) == nil { keys.append(key) }
    }

    /// Removes a resource, and the references to it. It returns whether the resource was there.
    mutating func remove(_ type: String, _ id: String) -> Bool {
        let removed = ResourceKey(type: type, id: id)
        guard resources.removeValue(forKey: removed) != nil else { return false }
        keys.removeAll { $0 == removed }
        for key in keys { resources[key]?.dropReferences(to: removed) }
        return true
    }

    /// Returns the smallest number from 1 that no resource of the type had as its id.
    mutating func nextID(of type: String) -> String {
        var number = lastNumbers[type] ?? 0
        repeat { number += 1 } while self[type, String(number)] != nil
        lastNumbers[type] = number
        return String(number)
    }
}

extension ResourceObject {
    fileprivate mutating func dropReferences(to key: ResourceKey) {
        for (name, relationship) in relationships?.members ?? [:] {
            switch relationship.data {
            case .toOne(let identifier?) where identifier.key == key:
                relationships?[name]?.data = .toOne(nil)
            case .toMany(let identifiers) where identifiers.contains { $0.key == key }:
                relationships?[name]?.data = .toMany(identifiers.filter { $0.key != key })
            default: break
            }
        }
    }

    /// Gives ids to references that have local ids. References for which `id` returns `nil` stay as they are.
    mutating func resolveReferences(_ id: (ResourceIdentifierObject) -> String?) {
        for (name, relationship) in relationships?.members ?? [:] {
            relationships?[name]?.data = relationship.data?.resolved(id)
        }
    }

    /// Sets the linkage of a relationship. If the resource lacks the relationship, it gets the given one.
    mutating func setLinkage(
        _ linkage: RelationshipObject.Linkage?, of name: String, in new: RelationshipObject = RelationshipObject()
    ) {
        var relationship = relationships?[name] ?? new
        relationship.data = linkage
        if relationships == nil { relationships = [:] }
        relationships?[name] = relationship
    }
}

extension RelationshipObject.Linkage {
    func resolved(_ id: (ResourceIdentifierObject) -> String?) -> Self {
        func resolve(_ identifier: ResourceIdentifierObject) -> ResourceIdentifierObject {
            guard identifier.id == nil, let found = id(identifier) else { return identifier }
            return ResourceIdentifierObject(type: identifier.type, id: found, meta: identifier.meta)
        }
        switch self {
        case .toOne(let identifier): return .toOne(identifier.map(resolve))
        case .toMany(let identifiers): return .toMany(identifiers.map(resolve))
        }
    }
}
