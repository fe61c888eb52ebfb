// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The places of the parts of a resource object or an identifier in a ``JSONTree``. 0 stands for an absent part.
struct ResourcePlaces: Sendable {
    var object: UInt32
    var type: UInt32 = 0
    var id: UInt32 = 0
    var lid: UInt32 = 0
    var attributes: UInt32 = 0
    var relationships: UInt32 = 0
    var links: UInt32 = 0
    var meta: UInt32 = 0

    /// Whether the object can be an identifier, as ``ResourceObject/isBare``.
    var isBare: Bool { attributes == 0 && relationships == 0 && links == 0 }
}

/// The places of the parts of a relationship object. 0 stands for an absent part.
struct RelationshipPlaces {
    var data = 0
    var links = 0
    var meta = 0
}

/// The members of resource objects, identifiers and relationships that the specification defines.
private enum KnownName: String {
    case type, id, lid, attributes, relationships, links, meta, data
}

extension JSONTree {
    fileprivate func knownName(at index: Int) -> KnownName? {
        let entry = entries[index]
        guard !entry.isEscaped else { return string(at: index).flatMap(KnownName.init(rawValue:)) }
        // Most of them have different lengths.
        return switch entry.length {
        case 2 where isText(at: index, literal: "id"): .id
        case 3 where isText(at: index, literal: "lid"): .lid
        case 4 where isText(at: index, literal: "type"): .type
        case 4 where isText(at: index, literal: "data"): .data
        case 4 where isText(at: index, literal: "meta"): .meta
        case 5 where isText(at: index, literal: "links"): .links
        case 10 where isText(at: index, literal: "attributes"): .attributes
        case 13 where isText(at: index, literal: "relationships"): .relationships
        default: nil
        }
    }
}

/// A function that reads or checks a part of an object, given by its number.
typealias PartReading = (Int) throws(DocumentFault) -> Void

extension DocumentReader {
    /// Finds the parts of a resource object or an identifier, and checks them in their order. An identifier has an id,
    /// and neither attributes, relationships nor links.
    ///
    /// - Parameter other: Gets the name of each other member, optional ones with the value `null` included.
    @inline(__always)
    func resource(
        _ object: Int, isIdentifier: Bool = false, relationships: PartReading = { (_) throws(DocumentFault) in },
        links: PartReading = { (_) throws(DocumentFault) in }, other: (Int) -> Void = { _ in }
    ) throws(DocumentFault) -> ResourcePlaces {
        try expectObject(object)
        var places = ResourcePlaces(object: UInt32(truncatingIfNeeded: object))
        var names = tree.names(in: object)
        while let name = names.next(in: tree) {
            let value = name + 1
            let place = UInt32(truncatingIfNeeded: value)
            let known = tree.knownName(at: name)
            if known != .type, tree.isNull(value) {
                other(name)
                continue
            }
            switch known {
            case .type:
                try expectString(value)
                places.type = place
            case .id:
                try expectIdentification(value)
                places.id = place
            case .lid:
                try expectIdentification(value)
                places.lid = place
            case .attributes where !isIdentifier:
                try expectObject(value)
                places.attributes = place
            case .relationships where !isIdentifier:
                try relationships(value)
                places.relationships = place
            case .links where !isIdentifier:
                try links(value)
                places.links = place
            case .meta:
                try expectObject(value)
                places.meta = place
            default: other(name)
            }
        }
        guard !allowsMissingMembers else { return places }
        guard places.type != 0 else { throw DocumentFault(reason: .missingMember("type"), index: object) }
        guard !isIdentifier || places.id != 0 || places.lid != 0 else {
            throw DocumentFault(reason: .missingMember("id"), index: object)
        }
        return places
    }

    /// Finds the parts of a relationship object, and checks them in their order, with parameters as for a resource.
    @inline(__always)
    func relationship(
        _ object: Int, linkage: PartReading = { (_) throws(DocumentFault) in },
        links: PartReading = { (_) throws(DocumentFault) in }, other: (Int) -> Void = { _ in }
    ) throws(DocumentFault) -> RelationshipPlaces {
        try expectObject(object)
        var places = RelationshipPlaces()
        var names = tree.names(in: object)
        while let name = names.next(in: tree) {
            let value = name + 1
            switch tree.knownName(at: name) {
            case .data:
                try linkage(value)
                places.data = value
            case .links where !tree.isNull(value):
                try links(value)
                places.links = value
            case .meta where !tree.isNull(value):
                try expectObject(value)
                places.meta = value
            default: other(name)
            }
        }
        return places
    }

    /// Calls `read` with the name of each relationship, and `other` with those of the other members.
    @inline(__always)
    func relationships(_ object: Int, _ read: PartReading, other: (Int) -> Void = { _ in }) throws(DocumentFault) {
        try expectObject(object)
        var names = tree.names(in: object)
        while let name = names.next(in: tree) {
            if isRelationship(name) { try read(name) } else { other(name) }
        }
    }

    /// Whether a member of a relationships object is a relationship: its name is regular, and its value is not `null`.
    func isRelationship(_ name: Int) -> Bool { isRegular(name) && !tree.isNull(name + 1) }

    // MARK: Checking

    func checkedResource(_ object: Int) throws(DocumentFault) -> ResourcePlaces {
        try resource(
            object,
            relationships: { (value) throws(DocumentFault) in
                try relationships(value) { (name) throws(DocumentFault) in
                    _ = try relationship(name + 1, linkage: checkLinkage, links: checkLinks)
                }
            },
            links: checkLinks)
    }

    func checkedResources(_ array: Int) throws(DocumentFault) -> [ResourcePlaces] {
        try elements(of: array, checkedResource)
    }

    private func checkLinkage(_ value: Int) throws(DocumentFault) {
        switch tree.entries[value].kind {
        case .null: break
        case .object: _ = try resource(value, isIdentifier: true)
        case .array:
            var elements = tree.elements(of: value)
            while let element = elements.next(in: tree) { _ = try resource(element, isIdentifier: true) }
        default: throw wrongKind([.null, .array, .object], value)
        }
    }

    private func checkLinks(_ object: Int) throws(DocumentFault) {
        try expectObject(object)
        var names = tree.names(in: object)
        while let name = names.next(in: tree) {
            switch tree.entries[name + 1].kind {
            case _ where !isRegular(name), .null: break
            case .string: try expectString(name + 1)
            // Link objects are rare.
            default: _ = try JSONAPILink(reading: name + 1, with: self)
            }
        }
    }
}
