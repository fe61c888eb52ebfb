// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A resource object (JSON:API 1.1, "Resource Objects").
///
/// An identifier in the primary data of a document is a resource object with `type`, `id` and perhaps `meta`.
public struct ResourceObject: Sendable, Hashable {
    /// The type.
    public var type: String
    /// The id. A resource that a client creates can lack it.
    public var id: String?
    /// The local id, which identifies a resource without an id in its document.
    public var lid: String?
    /// The attributes as unparsed bytes. @-members in it are not attributes.
    public var attributes: RawObject?
    /// The relationships, or `nil` if the member is absent.
    public var relationships: Relationships?
    /// The links of the resource, or `nil` if the member is absent.
    public var links: JSONAPILinks?
    /// Meta information about the resource.
    public var meta: RawObject?
    /// The other members, such as those of extensions.
    public var additionalMembers: RawMembers

    public init(
        type: String, id: String? = nil, lid: String? = nil, attributes: RawObject? = nil,
        relationships: Relationships? = nil, links: JSONAPILinks? = nil, meta: RawObject? = nil,
        additionalMembers: RawMembers = [:]
    ) {
        self.type = type
        self.id = id
        self.lid = lid
        self.attributes = attributes
        self.relationships = relationships
        self.links = links
        self.meta = meta
        self.additionalMembers = additionalMembers
    }

    /// The names of the attributes in their order, without @-members and members of extensions.
    public var attributeNames: [String] {
        attributes?.members.names.filter { MemberName.kind(of: $0) == .regular } ?? []
    }

    /// Whether the object can be an identifier: it has neither attributes, relationships nor links.
    var isBare: Bool { attributes == nil && relationships == nil && links == nil }

    /// The identifier of the resource, without meta information. It is `nil` if there is neither an id nor a local id.
    public var identifier: ResourceIdentifierObject? {
        id == nil && lid == nil ? nil : ResourceIdentifierObject(type: type, id: id, lid: lid)
    }
}

extension ResourceObject: Codable, DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        var relationships: Relationships?
        var links: JSONAPILinks?
        var others = RawMembers()
        let places = try reader.resource(
            index,
            relationships: { (value) throws(DocumentFault) in
                relationships = try Relationships(reading: value, with: reader)
            },
            links: { (value) throws(DocumentFault) in links = try JSONAPILinks(reading: value, with: reader) },
            other: { others.add($0, in: reader.tree) })
        self.init(
            type: reader.text(Int(places.type)) ?? "", id: reader.text(Int(places.id)),
            lid: reader.text(Int(places.lid)),
            attributes: reader.rawObject(Int(places.attributes)), relationships: relationships, links: links,
            meta: reader.rawObject(Int(places.meta)), additionalMembers: others)
    }

    func write(to output: inout JSONOutput) {
        output.object(additional: additionalMembers) { object in
            object.member("type", type)
            object.member("id", id)
            object.member("lid", lid)
            object.member("attributes", attributes)
            object.member("relationships", relationships)
            object.member("links", links)
            object.member("meta", meta)
        }
    }
}

/// A resource identifier object (JSON:API 1.1, "Resource Identifier Objects").
public struct ResourceIdentifierObject: Sendable, Hashable {
    /// The type.
    public var type: String
    /// The id. It is `nil` for a resource that is not created yet.
    public var id: String?
    /// The local id, which identifies a resource without an id in its document.
    public var lid: String?
    /// Meta information about this reference, not about the resource.
    public var meta: RawObject?
    /// The other members, such as those of extensions.
    public var additionalMembers: RawMembers

    public init(
        type: String, id: String? = nil, lid: String? = nil, meta: RawObject? = nil, additionalMembers: RawMembers = [:]
    ) {
        self.type = type
        self.id = id
        self.lid = lid
        self.meta = meta
        self.additionalMembers = additionalMembers
    }
}

extension ResourceIdentifierObject: Codable, DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) {
        var others = RawMembers()
        let places = try reader.resource(index, isIdentifier: true, other: { others.add($0, in: reader.tree) })
        self.init(places, with: reader)
        additionalMembers = others
    }

    /// Creates an identifier from its places, without other members.
    init(_ places: ResourcePlaces, with reader: DocumentReader) {
        self.init(
            type: reader.text(Int(places.type)) ?? "", id: reader.text(Int(places.id)),
            lid: reader.text(Int(places.lid)),
            meta: reader.rawObject(Int(places.meta)))
    }

    func write(to output: inout JSONOutput) {
        output.object(additional: additionalMembers) { object in
            object.member("type", type)
            object.member("id", id)
            object.member("lid", lid)
            object.member("meta", meta)
        }
    }
}
