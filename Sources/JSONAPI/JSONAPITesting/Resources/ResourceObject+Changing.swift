// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import WireJSON

extension ResourceObject {
    /// Gives ids to references that have local ids. References for which `id` returns `nil` stay as they are.
    mutating func resolveReferences(_ id: (ResourceIdentifierObject) -> String?) {
        for (name, relationship) in relationships?.members ?? [:] {
            relationships?[name]?.data = relationship.data?.resolved(id)
        }
    }

    /// Sets the linkage of a relationship. If the resource does not have the relationship, it gets the given one.
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

extension RawObject {
    /// Creates an object from members. Members whose values escape half of a surrogate pair are left out.
    init(members: RawMembers) {
        var object = JSONObject()
        for (name, value) in members { object[name] = try? JSONValue(value) }
        self.init(object)
    }
}
