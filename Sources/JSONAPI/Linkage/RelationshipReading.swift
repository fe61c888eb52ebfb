// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A property that holds a relationship.
protocol RelationshipProperty: Sendable {
    /// The graph in which the relationship finds its resources.
    var graph: ResourceGraph? { get set }

    func toRelationshipObject() -> RelationshipObject

    /// Takes over a relationship of a document. Without linkage in it, a linkage of before stays.
    mutating func read(_ object: RelationshipObject) throws(FieldFault)

    /// Returns whether the linkage must be sent in place of the confirmed one.
    func differs(from confirmed: Self) -> Bool

    /// Replaces local ids by the ids of a server.
    mutating func replaceLocalIDs(_ ids: [ResourceKey: String])
}

extension ToOne: RelationshipProperty {
    /// Returns the relationship as it is in documents, without members of extensions.
    public func toRelationshipObject() -> RelationshipObject {
        let data: RelationshipObject.Linkage? =
            switch linkage {
            case .notLoaded: nil
            case .empty: .toOne(nil)
            case .to(let identifier): .toOne(identifier.object)
            }
        return RelationshipObject(data: data, links: details.flatMap { $0.links.isEmpty ? nil : $0.links }, meta: meta)
    }

    mutating func read(_ object: RelationshipObject) throws(FieldFault) {
        switch object.data {
        case nil: break
        case .toOne(nil): linkage = .empty
        case .toOne(let identifier?): linkage = .to(Identifier(identifier))
        case .toMany:
            throw FieldFault(reason: .wrongLinkage(expected: .toOne), pointer: JSONPointer(["data"]))
        }
        details = ResourceDetails(links: object.links, meta: object.meta)
    }

    func differs(from confirmed: ToOne) -> Bool {
        switch (linkage, confirmed.linkage) {
        case (.notLoaded, _): false
        case (.to(let now), .to(let before)): now.differs(from: before)
        default: linkage != confirmed.linkage
        }
    }

    mutating func replaceLocalIDs(_ ids: [ResourceKey: String]) {
        if let replaced = identifier?.replacing(ids) { identifier = replaced }
    }
}

extension ToMany: RelationshipProperty {
    /// Returns the relationship as it is in documents, without members of extensions.
    public func toRelationshipObject() -> RelationshipObject {
        let data: RelationshipObject.Linkage? =
            switch linkage {
            case .notLoaded: nil
            case .to(let identifiers): .toMany(identifiers.map(\.object))
            }
        return RelationshipObject(data: data, links: details.flatMap { $0.links.isEmpty ? nil : $0.links }, meta: meta)
    }

    /// Reads a relationship. The linkage `null` counts as empty, because some servers send it.
    mutating func read(_ object: RelationshipObject) throws(FieldFault) {
        switch object.data {
        case nil: break
        case .toOne(nil): linkage = .to([])
        case .toMany(let identifiers): linkage = .to(identifiers.map(Identifier.init))
        case .toOne:
            throw FieldFault(reason: .wrongLinkage(expected: .toMany), pointer: JSONPointer(["data"]))
        }
        details = ResourceDetails(links: object.links, meta: object.meta)
    }

    func differs(from confirmed: ToMany) -> Bool {
        switch (linkage, confirmed.linkage) {
        case (.notLoaded, _): false
        case (.to, .notLoaded): true
        case (.to(let now), .to(let before)):
            now.count != before.count || zip(now, before).contains { $0.differs(from: $1) }
        }
    }

    mutating func replaceLocalIDs(_ ids: [ResourceKey: String]) {
        guard identifiers.contains(where: { $0.replacing(ids) != nil }) else { return }
        identifiers = identifiers.map { $0.replacing(ids) ?? $0 }
    }
}
