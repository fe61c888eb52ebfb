// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The relationships of a resource, in their order.
public struct Relationships: Sendable, Hashable {
    /// The relationships by their names.
    public var members: OrderedMembers<RelationshipObject>
    /// The members that are no relationships: @-members and members of extensions.
    public var additionalMembers: RawMembers

    /// Creates an object without members.
    public init() { self.init(OrderedMembers()) }

    /// Creates relationships.
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

    public init(from decoder: any Decoder) throws { try self.init(decodingFrom: decoder) }
    public func encode(to encoder: any Encoder) throws { try encodePart(to: encoder) }
}
