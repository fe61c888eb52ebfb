// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

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

    /// Creates an identifier.
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

    public init(from decoder: any Decoder) throws { try self.init(decodingFrom: decoder) }
    public func encode(to encoder: any Encoder) throws { try encodePart(to: encoder) }
}
