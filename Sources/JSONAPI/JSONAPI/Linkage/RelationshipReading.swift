// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A property that holds a relationship.
protocol RelationshipProperty: Sendable {
    /// The graph in which the relationship finds its resources.
    var graph: ResourceGraph? { get set }
    var details: ResourceDetails? { get set }

    func toRelationshipObject() -> RelationshipObject

    /// Takes over a relationship of a document. Without linkage in it, a linkage of before stays.
    mutating func read(_ object: RelationshipObject) throws(FieldFault)

    /// Takes over a relationship of a plain document. It returns whether the linkage fits.
    mutating func read(_ tree: JSONTree, at object: Int) -> Bool

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

    mutating func read(_ tree: JSONTree, at object: Int) -> Bool {
        let outline = RelationshipOutline(tree, at: object)
        switch tree.entries[outline.data].kind {
        case _ where outline.data == 0: break
        case .null: linkage = .empty
        case .object:
            guard let identifier = Identifier<T>(tree, at: outline.data) else { return false }
            linkage = .to(identifier)
        default: return false
        }
        details = outline.details(in: tree)
        return true
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

    mutating func read(_ tree: JSONTree, at object: Int) -> Bool {
        let outline = RelationshipOutline(tree, at: object)
        switch tree.entries[outline.data].kind {
        case _ where outline.data == 0: break
        case .null: linkage = .to([])
        case .array:
            var identifiers: [Identifier<T>] = []
            var index = outline.data + 1
            let end = Int(tree.entries[outline.data].next)
            while index < end {
                guard let identifier = Identifier<T>(tree, at: index) else { return false }
                identifiers.append(identifier)
                index = Int(tree.entries[index].next)
            }
            linkage = .to(identifiers)
        default: return false
        }
        details = outline.details(in: tree)
        return true
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
