// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

protocol RelationshipProperty: Sendable {
    /// The graph in which the relationship finds its resources.
    var graph: ResourceGraph? { get set }
    var details: ResourceDetails? { get set }
    var isLoaded: Bool { get }

    func toRelationshipObject() -> RelationshipObject

    /// Reads a relationship object that was checked. If it has no linkage, the earlier linkage is kept.
    mutating func read(_ reader: DocumentReader, at object: Int) throws(FieldFault)

    /// Returns whether the linkage must be sent in place of the confirmed one.
    func differs(from confirmed: Self) -> Bool

    mutating func replaceLocalIDs(_ ids: [ResourceKey: String])
}

extension RelationshipProperty {
    /// Takes over a relationship that a server has sent. If it has no linkage, the earlier linkage is kept.
    mutating func adopt(_ received: Self) {
        if received.isLoaded { self = received } else { details = received.details }
    }
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

    mutating func read(_ reader: DocumentReader, at object: Int) throws(FieldFault) {
        guard let places = try? reader.relationship(object) else { return }
        switch reader.tree.entries[places.data].kind {
        case _ where places.data == 0: break
        case .null: linkage = .empty
        case .array: throw FieldFault(reason: .wrongLinkage(expected: .toOne), pointer: JSONPointer(["data"]))
        default: linkage = .to(.reading(reader, at: places.data))
        }
        details = ResourceDetails(reader, links: places.links, meta: places.meta)
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
    mutating func read(_ reader: DocumentReader, at object: Int) throws(FieldFault) {
        guard let places = try? reader.relationship(object) else { return }
        switch reader.tree.entries[places.data].kind {
        case _ where places.data == 0: break
        case .null: linkage = .to([])
        case .object: throw FieldFault(reason: .wrongLinkage(expected: .toMany), pointer: JSONPointer(["data"]))
        default: linkage = .to(.reading(reader, at: places.data))
        }
        details = ResourceDetails(reader, links: places.links, meta: places.meta)
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

extension Array {
    /// Reads an array of identifiers that was checked. Appending would cost a metadata lookup for each.
    fileprivate static func reading<T>(_ reader: DocumentReader, at array: Int) -> [ResourceIdentifier<T>]
    where Element == ResourceIdentifier<T> {
        Array(unsafeUninitializedCapacity: reader.tree.count(of: array)) { identifiers, count in
            var elements = reader.tree.elements(of: array)
            while count < identifiers.count, let element = elements.next(in: reader.tree) {
                identifiers.initializeElement(at: count, to: .reading(reader, at: element))
                count += 1
            }
        }
    }
}

extension ResourceIdentifier {
    fileprivate static func reading(_ reader: DocumentReader, at object: Int) -> ResourceIdentifier {
        let places = (try? reader.resource(object, isIdentifier: true)) ?? ResourcePlaces(object: 0)
        return ResourceIdentifier(
            type: reader.text(Int(places.type)) ?? "", rawID: reader.text(Int(places.id)),
            rawLocalID: reader.text(Int(places.lid)), meta: reader.rawObject(Int(places.meta)))
    }
}
