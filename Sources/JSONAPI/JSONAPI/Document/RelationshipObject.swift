// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The relationships of a resource, in their order.
public struct Relationships: Sendable, Hashable {
    /// The relationships by their names.
    public var members: OrderedMembers<RelationshipObject>
    /// The members that are not relationships: @-members and members of extensions.
    public var additionalMembers: RawMembers

    public init() { self.init(OrderedMembers()) }

    public init(_ members: OrderedMembers<RelationshipObject>, additionalMembers: RawMembers = [:]) {
        self.members = members
        self.additionalMembers = additionalMembers
    }

    /// The relationship with the given name, or `nil` if there is none. Setting `nil` removes it.
    public subscript(name: String) -> RelationshipObject? {
        get { members[name] }
        set { members[name] = newValue }
    }
}

extension Relationships: ExpressibleByDictionaryLiteral {
    /// Creates relationships. If a name is repeated, the last one wins.
    public init(dictionaryLiteral elements: (String, RelationshipObject)...) {
        self.init(OrderedMembers())
        for (name, relationship) in elements { members[name] = relationship }
    }
}

extension Relationships: Codable, DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        var members = OrderedMembers<RelationshipObject>()
        var others = RawMembers()
        try reader.relationships(
            index,
            { (name) throws(DocumentFault) in
                members[reader.text(name) ?? ""] = try RelationshipObject(reading: name + 1, with: reader)
            },
            other: { others.add($0, in: reader.tree) })
        self.init(members, additionalMembers: others)
    }

    func write(to output: inout JSONOutput) {
        output.object(additional: additionalMembers) { object in
            for (name, relationship) in members { object.member(name, relationship) }
        }
    }
}

/// A relationship object (JSON:API 1.1, "Relationships").
public struct RelationshipObject: Sendable, Hashable {
    /// The resource linkage.
    public enum Linkage: Sendable, Hashable {
        /// A reference to one resource, or `null` for an empty to-one relationship.
        case toOne(ResourceIdentifierObject?)
        /// References to any number of resources, in their order.
        case toMany([ResourceIdentifierObject])

        /// The identifiers: none for `null`, and the elements of an array.
        public var identifiers: [ResourceIdentifierObject] {
            switch self {
            case .toOne(let identifier): identifier.map { [$0] } ?? []
            case .toMany(let identifiers): identifiers
            }
        }
    }

    /// The resource linkage. It is `nil` if the member is absent: the related resources are then unknown.
    public var data: Linkage?
    /// The links of the relationship, such as `self` and `related`.
    public var links: JSONAPILinks?
    /// Meta information about the relationship.
    public var meta: RawObject?
    /// The other members, such as those of extensions.
    public var additionalMembers: RawMembers

    public init(
        data: Linkage? = nil, links: JSONAPILinks? = nil, meta: RawObject? = nil, additionalMembers: RawMembers = [:]
    ) {
        self.data = data
        self.links = links
        self.meta = meta
        self.additionalMembers = additionalMembers
    }
}

extension RelationshipObject: Codable, DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        var data: Linkage?
        var links: JSONAPILinks?
        var others = RawMembers()
        let places = try reader.relationship(
            index,
            linkage: { (value) throws(DocumentFault) in data = try Linkage(reading: value, with: reader) },
            links: { (value) throws(DocumentFault) in links = try JSONAPILinks(reading: value, with: reader) },
            other: { others.add($0, in: reader.tree) })
        self.init(data: data, links: links, meta: reader.rawObject(places.meta), additionalMembers: others)
    }

    func write(to output: inout JSONOutput) {
        output.object(additional: additionalMembers) { object in
            object.member("links", links)
            object.member("data", data)
            object.member("meta", meta)
        }
    }
}

extension RelationshipObject.Linkage: DocumentPart {
    package init(_ data: PrimaryData) {
        func identifier(_ resource: ResourceObject) -> ResourceIdentifierObject {
            ResourceIdentifierObject(type: resource.type, id: resource.id, lid: resource.lid, meta: resource.meta)
        }
        switch data {
        case .single(let resource): self = .toOne(resource.map(identifier))
        case .collection(let resources): self = .toMany(resources.map(identifier))
        }
    }

    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        switch reader.tree.entries[index].kind {
        case .null: self = .toOne(nil)
        case .array: self = .toMany(try reader.array(index))
        case .object: self = .toOne(try ResourceIdentifierObject(reading: index, with: reader))
        default: throw reader.wrongKind([.null, .array, .object], index)
        }
    }

    func write(to output: inout JSONOutput) {
        switch self {
        case .toOne(nil): output.null()
        case .toOne(let identifier?): identifier.write(to: &output)
        case .toMany(let identifiers): output.array(identifiers)
        }
    }
}
