// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The fields of a schema, in the forms in which they are looked up.
final class FieldTable<R: Resource>: Sendable {
    let type: String
    let fields: [JSONAPIField<R>]
    private let names: [String]
    /// The functions of the fields, by position. The arrays are not generic, because the compiler would look the type of
    /// their elements up for each member that is read.
    private let accesses: (attributes: [(any AnyObject & Sendable)?], relationships: [(any AnyObject & Sendable)?])
    let relationships: [RelationshipAccess<R>]
    let positions: [String: Int]
    let required: [Int]

    init(type: String, fields: [JSONAPIField<R>]) {
        self.type = type
        self.fields = fields
        names = fields.map(\.name)
        accesses = (fields.map(\.access.attribute), fields.map(\.access.relationship))
        relationships = fields.compactMap(\.access.relationship)
        positions = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        required = fields.indices.filter { fields[$0].options.contains(.required) }
    }

    /// The functions of the attribute at a position, or `nil` if there is a relationship.
    func attribute(at position: Int) -> AttributeAccess<R>? {
        guard let access = accesses.attributes[position] else { return nil }
        // The initializer fills this array with such objects only.
        return unsafeDowncast(access, to: AttributeAccess<R>.self)
    }

    /// The functions of the relationship at a position, or `nil` if there is an attribute.
    func relationship(at position: Int) -> RelationshipAccess<R>? {
        guard let access = accesses.relationships[position] else { return nil }
        // As above.
        return unsafeDowncast(access, to: RelationshipAccess<R>.self)
    }

    /// Returns the position of the field with the name of a member. As fields often come in order, the next is first.
    func position(ofName member: Int, in tree: JSONTree, after last: Int) -> Int? {
        let next = last + 1
        if next < names.count, tree.isText(at: member, names[next]) { return next }
        return tree.string(at: member).flatMap { positions[$0] }
    }
}
